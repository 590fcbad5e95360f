// upres bench: how fast a model runs on a device.
#include "upscale/bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/display_name.h"
#include "bench_plot.h"
#include "bench_report.h"
#include "bench_trace.h"
#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "files.h"
#include "naming.h"
#include "options.h"
#include "signals.h"
#include "upscale/ladder.h"
#include "upscale/model.h"
#include "upscale/scale.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres bench                               the default model on a 1280x720 picture
  upres bench -m espcn_x3 --size 640x360    another model and size
  upres bench --device cpu --runs 20 --json
  upres bench --ladder --plot ladder.svg    every kernel, from the plainest to the fastest
  upres bench --trace trace.json            for ui.perfetto.dev
The first time is the network alone, the total from host pixels to host pixels, "in a row" that of a picture
among others. The peak is measured, too. Exit code 3 if the device computes something else than the reference.
)";

struct BenchCommand {
  ConsoleOptions console;
  ComputeOptions compute;
  std::string model;
  std::string size = "1280x720";
  int runs = 10;
  bool ladder = false;
  std::string trace;
  std::string plot;
  bool overwrite = false;
};

// Before any work: what is to be written neither exists nor is the model, and has a folder.
Status check_output(const std::string& name, const BenchCommand& command) {
  if (name.empty()) return {};
  std::error_code ignored;
  if (auto folder = check_output_folder(name); !folder) return folder;
  if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) return {};
  if (!command.overwrite) return fail(ErrorCode::input, display_name(name) + " exists (--overwrite)");
  if (std::filesystem::equivalent(name, command.model, ignored))
    return fail(ErrorCode::input, display_name(name) + ": the output would be the model itself");
  return {};
}

// The names alone: no pipes, and what a plot is.
Status check_names(const BenchCommand& command) {
  for (const auto& [option, name] :
       {std::pair{"--trace", &command.trace}, std::pair{"--plot", &command.plot}}) {
    if (*name == kPipe)
      return fail(ErrorCode::usage,
                  fmt::format("{} writes a file, not standard output; give its name", option));
  }
  if (command.plot.empty() || std::filesystem::path(command.plot).extension() == ".svg") return {};
  return fail(ErrorCode::usage,
              "--plot: " + display_name(command.plot) + " is to hold SVG, so its name must end in .svg");
}

Status check_outputs(const BenchCommand& command) {
  if (!command.trace.empty() && command.trace == command.plot)
    return fail(ErrorCode::usage, display_name(command.plot) + " would be written twice");
  if (auto checked = check_names(command); !checked) return checked;
  for (const std::string& output : {command.trace, command.plot}) {
    if (auto checked = check_output(output, command); !checked) return checked;
  }
  return {};
}

Status write_text(const std::string& name, const std::string& text, bool overwrite) {
  return write_output_file(name, std::as_bytes(std::span(text)),
                           overwrite ? IfExists::replace : IfExists::fail);
}

std::string times_text(const std::optional<double>& times) {
  return times ? fmt::format(", {:.1f} times naive", *times) : std::string();
}

Chart chart_of(const BenchSubject& subject, const std::string& what) {
  const upscale::BenchOptions& options = subject.options;
  Chart chart;
  chart.title = fmt::format("{} on {}", subject.model.model.name, subject.device.info().name);
  chart.subtitle = fmt::format("{}; {}x{} pixels, median of {} runs; {}", what, options.size.width_px,
                               options.size.height_px, options.runs, subject.device.info().driver);
  return chart;
}

Chart layers_chart(const BenchSubject& subject, const upscale::BenchResult& result) {
  Chart chart = chart_of(subject, fmt::format("layers in {}", upscale::name(subject.options.precision)));
  for (const upscale::BenchLayer& layer : result.layers) {
    if (!layer.median_ms) continue;
    const std::string gflops =
        layer.gflops && *layer.gflops > 0 ? fmt::format(", {:.0f} GFLOP/s", *layer.gflops) : "";
    chart.bars.push_back(
        {layer.name, *layer.median_ms, fmt::format("{:.3f} ms{}", *layer.median_ms, gflops)});
  }
  return chart;
}

Chart ladder_chart(const BenchSubject& subject, const std::vector<upscale::ClimbedRung>& climbed) {
  Chart chart = chart_of(subject, "time of the network");
  chart.colors = {"fp32", "fp16"};
  for (const upscale::ClimbedRung& each : climbed) {
    if (!each.result || !each.result->median_ms) continue;
    const bool is_fp16 = each.rung.precision == upscale::Precision::fp16;
    chart.bars.push_back(
        {each.rung.kernel, *each.result->median_ms,
         fmt::format("{:.2f} ms{}", *each.result->median_ms, times_text(each.result->times_naive)),
         is_fp16 ? 1 : 0});
  }
  return chart;
}

Status write_plot(const BenchCommand& command, const Chart& chart) {
  if (command.plot.empty()) return {};
  if (chart.bars.empty())
    return fail(ErrorCode::device, "the device has no timestamps, so there are no times to plot");
  return write_text(command.plot, svg_of(chart), command.overwrite);
}

Result<upscale::PictureModel> open_bench_model(const std::string& name) {
  if (!name.empty()) return upscale::open_picture_model(name);
  const auto smallest = upscale::smallest_model_for(2);
  if (!smallest) return tl::unexpected(smallest.error());
  if (!*smallest)
    return fail(ErrorCode::usage, "this build has no embedded models; give one with -m FILE.onnx");
  return upscale::open_picture_model((*smallest)->name);
}

// One result and what is to be written of it.
int run_once(Console& console, const BenchCommand& command, const BenchSubject& subject) {
  const auto result = upscale::bench(subject.device, subject.model, subject.options);
  if (!result) return report_failure(console, in_tile_context(result.error(), command.compute));
  print_bench_result(console, subject, subject.options.precision, *result);
  if (!command.trace.empty()) {
    const auto trace =
        trace_text(*result, fmt::format("{} on {}", subject.model.model.name, subject.device.info().name));
    if (!trace) return report_failure(console, trace.error());
    if (auto written = write_text(command.trace, *trace, command.overwrite); !written)
      return report_failure(console, written.error());
  }
  if (auto written = write_plot(command, layers_chart(subject, *result)); !written)
    return report_failure(console, written.error());
  const auto right = upscale::check_error(result.value());
  return right ? kDone : report_failure(console, right.error());
}

// The error of a rung, or that it computes something else; empty: neither.
Status check_rung(const upscale::ClimbedRung& climbed) {
  const std::string name = climbed.rung.kernel + " " + std::string(upscale::name(climbed.rung.precision));
  if (!climbed.result) return tl::unexpected(climbed.result.error().in_context(name));
  const auto right = upscale::check_error(*climbed.result);
  return right ? Status() : tl::unexpected(right.error().in_context(name));
}

int run_ladder(Console& console, const BenchCommand& command, const BenchSubject& subject) {
  std::optional<upscale::Precision> only;
  if (command.compute.precision != upscale::Precision::automatic) only = command.compute.precision;
  const auto rungs = upscale::ladder_rungs(subject.device, subject.model.model.network, only);
  print_ladder_head(console, subject);
  std::vector<upscale::ClimbedRung> climbed;
  int code = kDone;
  const auto done = upscale::climb_ladder(subject.device, subject.model, rungs, subject.options,
                                          [&](const upscale::ClimbedRung& each) {
                                            print_rung(console, subject, each);
                                            const auto right = check_rung(each);
                                            if (!right) code = report_failure(console, right.error());
                                            climbed.push_back(each);
                                          });
  if (!done) return report_failure(console, in_tile_context(done.error(), command.compute));
  print_ladder_tables(console, climbed);
  for (const upscale::Rung& rung : rungs) {
    if (!rung.refusal) continue;
    console.note(fmt::format("not here: {} {}: {}", rung.kernel, upscale::name(rung.precision),
                             rung.refusal->message));
    for (const std::string& reason : rung.refusal->reasons) console.detail("  " + reason);
  }
  if (auto written = write_plot(command, ladder_chart(subject, climbed)); !written)
    return report_failure(console, written.error());
  return code;
}

int run_bench(const BenchCommand& command) {
  Console console(command.console);
  const auto size = upscale::parse_size(command.size);
  if (!size) return report_failure(console, size.error().in_context("--size"));
  if (const auto checked = check_outputs(command); !checked) return report_failure(console, checked.error());
  const auto model = open_bench_model(command.model);
  if (!model) return report_failure(console, model.error());
  const auto device = open_device(command.compute, console);
  if (!device) return report_failure(console, device.error());
  upscale::BenchOptions options;
  options.size = *size;
  options.runs = command.runs;
  options.tile_px = command.compute.tile_px;
  options.cancelled = is_cancelled;
  std::optional<upscale::Precision> precision;
  if (!command.ladder) {
    const auto resolved = device->resolve(command.compute.precision, model->model.network);
    if (!resolved) return report_failure(console, resolved.error());
    precision = *resolved;
    options.precision = *resolved;
  }
  announce(console, "bench", *device, model->model.name, precision);
  const BenchSubject subject{*device, *model, options};
  const int code =
      command.ladder ? run_ladder(console, command, subject) : run_once(console, command, subject);
  device->options().cache.trim();
  return code;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  const auto options = std::make_shared<BenchCommand>();
  Subcommand command(app, "bench", "Measure how fast a model runs on the device", kExamples);
  add_model_option(command, options->model,
                   "an ONNX file or an embedded model (the smallest factor of at least 2)");
  command.add_text({"--size", "WxH", "size of the input picture", true}, options->size);
  command.add_number({"--runs", "N", "measured runs", true}, {1, 100'000}, options->runs);
  command.add_flag("--ladder", options->ladder, "every kernel that the device can run, from the plainest on");
  command.add_text({"--trace", "FILE", "write the last runs, step by step, as JSON for Perfetto"},
                   options->trace);
  command.add_text({"--plot", "FILE.svg", "write a bar chart of the layers, or of the ladder"},
                   options->plot);
  command.add_flag("--overwrite", options->overwrite, "replace files that exist");
  add_compute_options(command, options->compute, upscale::Precision::automatic);
  command.exclude("--ladder", "--kernel");
  command.exclude("--ladder", "--trace");
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_bench(*options); });
}

}  // namespace upres::cli
