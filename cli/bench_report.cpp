#include "bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace upres::cli {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json layer_object(const upscale::BenchLayer& layer) {
  return {{"name", layer.name},
          {"kernel", layer.kernel},
          {"constants", layer.constants},
          {"median_ms", or_null(layer.median_ms)},
          {"gflops", or_null(layer.gflops)},
          {"bytes", layer.bytes},
          {"registers", or_null(layer.facts.registers)},
          {"shared_bytes", or_null(layer.facts.shared_bytes)}};
}

Json result_object(const BenchSubject& subject, upscale::Precision precision,
                   const upscale::BenchResult& result) {
  Json layers = Json::array();
  for (const upscale::BenchLayer& layer : result.layers) layers.push_back(layer_object(layer));
  return {{"device", subject.device.info().name},
          {"driver", subject.device.info().driver},
          {"model", subject.model.model.name},
          {"kernel", result.kernel},
          {"precision", upscale::name(precision)},
          {"lowered", false},
          {"width", subject.options.size.width_px},
          {"height", subject.options.size.height_px},
          {"runs", subject.options.runs},
          {"median_ms", or_null(result.median_ms)},
          {"min_ms", or_null(result.min_ms)},
          {"total_ms", or_null(result.total_ms)},
          {"gflops", or_null(result.gflops)},
          {"share_of_peak", or_null(result.share_of_peak)},
          {"bytes", result.bytes},
          {"times_naive", or_null(result.times_naive)},
          {"max_error", std::isfinite(result.max_error) ? Json(result.max_error) : Json(nullptr)},
          {"layers", layers},
          {"steady_ms", or_null(result.steady_ms)}};
}

std::string number(const std::optional<double>& value, int decimals = 2) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "?";
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "?";
}

std::string count(const std::optional<uint64_t>& value) { return value ? std::to_string(*value) : "?"; }

std::string group_text(const session::KernelFacts& facts) {
  const auto& [x, y, z] = facts.group_size;
  return x == 0 ? "?" : fmt::format("{}x{}x{}", x, y, z);
}

// "fp32 51.2, fp16 102.4, matrices 600.0 TFLOP/s"; empty where nothing is known.
std::string peaks_text(const upscale::Peaks& peaks) {
  std::string text;
  const auto add = [&text](std::string_view what, const std::optional<double>& gflops) {
    if (gflops) text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", what, *gflops / 1000);
  };
  add("fp32", peaks.fp32_gflops);
  add("fp16", peaks.fp16_gflops);
  add("matrices", peaks.matrix_gflops);
  return text.empty() ? text : text + " TFLOP/s";
}

void tell_parts(Console& console, const upscale::BenchResult& result) {
  const upscale::BenchTransfers& parts = result.transfers;
  console.detail(
      fmt::format("pixels to pixels: host copies in {} ms, device uploads {} ms, computes {} ms, downloads "
                  "{} ms, host copies out "
                  "{} ms (medians; ?: does not happen or is not told)",
                  number(parts.host_in_ms, 3), number(parts.upload_ms, 3), number(parts.compute_ms, 3),
                  number(parts.download_ms, 3), number(parts.host_out_ms, 3)));
  if (const std::string peaks = peaks_text(result.peaks); !peaks.empty())
    console.detail("measured peak: " + peaks);
  for (const std::string& failure : result.peaks.failures) console.note("the peak is not known: " + failure);
}

// Name of a rung in tables: "conv_tile fp16".
std::string rung_name(const upscale::Rung& rung) {
  return rung.kernel + " " + std::string(upscale::name(rung.precision));
}

void print_layer_table(Console& console, const std::vector<upscale::ClimbedRung>& climbed,
                       std::string_view title, std::string (*cell)(const upscale::BenchLayer&)) {
  const upscale::ClimbedRung* first = nullptr;
  for (const auto& each : climbed) {
    if (each.result && first == nullptr) first = &each;
  }
  if (first == nullptr) return;
  console.print(fmt::format("\n{:<20}", title));
  for (const upscale::BenchLayer& layer : first->result->layers)
    console.print(fmt::format(" {:>22}", layer.name));
  console.print("\n");
  for (const auto& each : climbed) {
    if (!each.result) continue;
    console.print(fmt::format("{:<20}", rung_name(each.rung)));
    for (const upscale::BenchLayer& layer : each.result->layers)
      console.print(fmt::format(" {:>22}", cell(layer)));
    console.print("\n");
  }
}

}  // namespace

void print_bench_result(Console& console, const BenchSubject& subject, upscale::Precision precision,
                        const upscale::BenchResult& result) {
  console.event("result", result_object(subject, precision, result));
  console.print(fmt::format("{}, {}, {}, {}x{}, {} runs\n", subject.device.info().name,
                            subject.model.model.name, upscale::name(precision), subject.options.size.width_px,
                            subject.options.size.height_px, subject.options.runs));
  console.print(fmt::format(
      "network median {} ms, fastest {} ms, {} GFLOP/s; pixels to pixels {} ms; max error {:.2g}\n",
      number(result.median_ms), number(result.min_ms), number(result.gflops), number(result.total_ms),
      result.max_error));
  console.print(fmt::format("in a row {} ms a picture; {} of the device's measured peak\n",
                            number(result.steady_ms), percent(result.share_of_peak)));
  for (const upscale::BenchLayer& layer : result.layers) {
    console.print(fmt::format("  {:<24} {:<34} {:>10} ms {:>10} GFLOP/s\n", layer.name, layer.kernel,
                              number(layer.median_ms), number(layer.gflops)));
  }
  tell_parts(console, result);
}

void print_ladder_head(Console& console, const BenchSubject& subject) {
  console.print(fmt::format("{} ({}), {}, {}x{}, {} runs\n\n", subject.device.info().name,
                            subject.device.info().driver, subject.model.model.name,
                            subject.options.size.width_px, subject.options.size.height_px,
                            subject.options.runs));
  console.print(fmt::format("{:<16} {:<5} {:>10} {:>12} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "rung", "",
                            "ms", "times naive", "GFLOP/s", "of peak", "computes", "all ms", "error"));
}

void print_rung(Console& console, const BenchSubject& subject, const upscale::ClimbedRung& climbed) {
  const upscale::Rung& rung = climbed.rung;
  const std::string precision(upscale::name(rung.precision));
  if (!climbed.result) {
    console.print(fmt::format("{:<16} {:<5} failed\n", rung.kernel, precision));
    return;
  }
  const upscale::BenchResult& result = *climbed.result;
  Json object = result_object(subject, rung.precision, result);
  object["share_computed"] = climbed.share;
  console.event("result", object);
  console.print(fmt::format("{:<16} {:<5} {:>10} {:>12} {:>10} {:>8} {:>10} {:>10} {:>10.2g}{}\n",
                            rung.kernel, precision, number(result.median_ms, 3), number(result.times_naive),
                            number(result.gflops, 1), percent(result.share_of_peak), percent(climbed.share),
                            number(result.total_ms), result.max_error,
                            upscale::check_error(result) ? "" : "  WRONG"));
  tell_parts(console, result);
}

void print_ladder_tables(Console& console, const std::vector<upscale::ClimbedRung>& climbed) {
  if (console.json()) return;
  print_layer_table(console, climbed, "ms",
                    [](const upscale::BenchLayer& layer) { return number(layer.median_ms, 3); });
  print_layer_table(console, climbed, "MB, each tensor once", [](const upscale::BenchLayer& layer) {
    return fmt::format("{:.2f}", static_cast<double>(layer.bytes) / 1e6);
  });
  print_layer_table(console, climbed, "group: shared bytes", [](const upscale::BenchLayer& layer) {
    return fmt::format("{}: {}", group_text(layer.facts), count(layer.facts.shared_bytes));
  });
  const auto is_told = [](const upscale::ClimbedRung& each) {
    return each.result && !each.result->layers.empty() && each.result->layers.front().facts.registers;
  };
  if (std::none_of(climbed.begin(), climbed.end(), is_told)) return;
  print_layer_table(console, climbed, "registers", [](const upscale::BenchLayer& layer) {
    return fmt::format("{}, {} spills, {} in flight", count(layer.facts.registers), count(layer.facts.spills),
                       count(layer.facts.subgroups_in_flight));
  });
}

}  // namespace upres::cli
