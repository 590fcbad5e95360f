// upres bench: how fast a model runs on a device.
#include "upscale/bench.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "signals.h"
#include "upscale/model.h"
#include "upscale/scale.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres bench                               the default model on a 1280x720 picture
  upres bench -m espcn_x3 --size 640x360    another model and size
  upres bench --device cpu --runs 20 --json
The first time is the network alone, the total from host pixels to host pixels.
Exit code 3 if the device computes something else than the reference.
)";

struct BenchCommand {
  ConsoleOptions console;
  ComputeOptions compute;
  std::string model;
  std::string size = "1280x720";
  int runs = 10;
};

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
          {"registers", nullptr},
          {"shared_bytes", nullptr}};
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.2f}", *value) : "?"; }

void print_result(Console& console, const upscale::Device& device, const upscale::PictureModel& model,
                  const upscale::BenchOptions& options, const upscale::BenchResult& result) {
  Json layers = Json::array();
  for (const upscale::BenchLayer& layer : result.layers) layers.push_back(layer_object(layer));
  console.event("result",
                {{"device", device.info().name},
                 {"driver", device.info().driver},
                 {"model", model.model.name},
                 {"kernel", result.kernel},
                 {"precision", upscale::name(options.precision)},
                 {"lowered", false},
                 {"width", options.size.width_px},
                 {"height", options.size.height_px},
                 {"runs", options.runs},
                 {"median_ms", or_null(result.median_ms)},
                 {"min_ms", or_null(result.min_ms)},
                 {"total_ms", or_null(result.total_ms)},
                 {"gflops", or_null(result.gflops)},
                 {"share_of_peak", nullptr},
                 {"bytes", result.bytes},
                 {"times_naive", or_null(result.times_naive)},
                 {"max_error", std::isfinite(result.max_error) ? Json(result.max_error) : Json(nullptr)},
                 {"layers", layers}});
  console.print(fmt::format("{}, {}, {}, {}x{}, {} runs\n", device.info().name, model.model.name,
                            upscale::name(options.precision), options.size.width_px, options.size.height_px,
                            options.runs));
  console.print(fmt::format(
      "network median {} ms, fastest {} ms, {} GFLOP/s; pixels to pixels {} ms; max error {:.2g}\n",
      number(result.median_ms), number(result.min_ms), number(result.gflops), number(result.total_ms),
      result.max_error));
  for (const upscale::BenchLayer& layer : result.layers) {
    console.print(fmt::format("  {:<24} {:<34} {:>10} ms {:>10} GFLOP/s\n", layer.name, layer.kernel,
                              number(layer.median_ms), number(layer.gflops)));
  }
}

Result<upscale::PictureModel> open_bench_model(const std::string& name) {
  if (!name.empty()) return upscale::open_picture_model(name);
  const auto smallest = upscale::smallest_model_for(2);
  if (!smallest) return tl::unexpected(smallest.error());
  if (!*smallest)
    return fail(ErrorCode::usage, "this build has no embedded models; give one with -m FILE.onnx");
  return upscale::open_picture_model((*smallest)->name);
}

int run_bench(const BenchCommand& command) {
  Console console(command.console);
  const auto size = upscale::parse_size(command.size);
  if (!size) return report_failure(console, size.error().in_context("--size"));
  const auto model = open_bench_model(command.model);
  if (!model) return report_failure(console, model.error());
  const auto device = open_device(command.compute, console);
  if (!device) return report_failure(console, device.error());
  const auto precision = device->resolve(command.compute.precision, model->model.network);
  if (!precision) return report_failure(console, precision.error());
  announce(console, "bench", *device, model->model.name, *precision);
  upscale::BenchOptions options;
  options.size = *size;
  options.runs = command.runs;
  options.precision = *precision;
  options.tile_px = command.compute.tile_px;
  options.cancelled = is_cancelled;
  const auto result = upscale::bench(*device, *model, options);
  if (!result) return report_failure(console, in_tile_context(result.error(), command.compute));
  print_result(console, *device, *model, options, *result);
  device->options().cache.trim();
  const auto right = upscale::check_error(result.value());
  return right ? kDone : report_failure(console, right.error());
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  const auto options = std::make_shared<BenchCommand>();
  Subcommand command(app, "bench", "Measure how fast a model runs on the device", kExamples);
  add_model_option(command, options->model,
                   "an ONNX file or an embedded model (the smallest factor of at least 2)");
  command.add_text({"--size", "WxH", "size of the input picture", true}, options->size);
  command.add_number({"--runs", "N", "measured runs", true}, {1, 100'000}, options->runs);
  add_compute_options(command, options->compute, upscale::Precision::automatic);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_bench(*options); });
}

}  // namespace upres::cli
