// upres inspect: a model's graph, and what a device is to run.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "devicedb/devicedb.h"
#include "exit_code.h"
#include "graph/extents.h"
#include "graph/picture.h"
#include "graph/text.h"
#include "options.h"
#include "plan/plan.h"
#include "plan/tiles.h"
#include "upscale/files.h"
#include "upscale/model.h"
#include "upscale/scale.h"
#include "upscale/upscaler.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres inspect espcn_x3                              the graph, one operator a line
  upres inspect my_x2.onnx --plan                     what the chosen device runs for an RGB picture
  upres inspect espcn_x3 --plan --device-info a.json  the same for a GPU that is not here
a.json is one GPU's line of upres devices --json.
)";

constexpr uint64_t kMaxDeviceInfoBytes = 1 << 20;

struct InspectOptions {
  ConsoleOptions console;
  ComputeOptions compute;
  bool plan = false;
  std::string device_info;
  std::string size = "1280x720";
};

// What is planned: pixels to pixels for an 8-bit RGB picture.
Result<graph::Graph> picture_graph(const upscale::Model& model) {
  auto graph = graph::attach_picture_ends(model.network, {});
  if (!graph) return propagate(graph, model.name);
  return graph;
}

Extent window_of(const Extent& picture, int edge_px) {
  return {std::min(picture.width_px, edge_px), std::min(picture.height_px, edge_px)};
}

// The steps for one window of a picture of this size, or for all of it where it fits.
Result<std::string> plan_for_gpu(const graph::Graph& graph, const kernels::DeviceInfo& device,
                                 const Extent& size, const ComputeOptions& compute) {
  const upscale::DeviceOptions defaults;
  auto chosen = plan::choose_kernels(graph, device, devicedb::Database::embedded(), {compute.kernel});
  if (!chosen) return propagate(chosen);
  auto edge_px = compute.tile_px ? Result<int>(*compute.tile_px)
                                 : plan::choose_tile_edge(graph, size, device.limits, defaults.slots);
  if (!edge_px) return propagate(edge_px);
  auto made = plan::make_plan(std::move(*chosen), std::array{window_of(size, *edge_px)});
  if (!made) return propagate(made);
  return plan::to_text(*made);
}

Result<std::string> plan_for_described(const graph::Graph& graph, const InspectOptions& options,
                                       const Extent& size) {
  const auto file = upscale::read_file(options.device_info, kMaxDeviceInfoBytes);
  if (!file) return tl::unexpected(Error{ErrorCode::usage, file.error().message, {}});
  const auto device =
      devicedb::device_info_from_json({reinterpret_cast<const char*>(file->data()), file->size()});
  if (!device) return tl::unexpected(device.error().in_context(options.device_info));
  return plan_for_gpu(graph, *device, size, options.compute);
}

Result<std::string> plan_for_present(const graph::Graph& graph, const upscale::Model& model,
                                     const InspectOptions& options, const Extent& size, Console& console) {
  auto device = open_device(options.compute, console);
  if (!device) return propagate(device);
  if (!device->is_cpu()) return plan_for_gpu(graph, device->info(), size, options.compute);
  const auto precision = device->resolve(options.compute.precision, model.network);
  if (!precision) return tl::unexpected(precision.error());
  auto session = device->make_session(graph, *precision);
  if (!session) return propagate(session);
  return (*session)->describe(std::array{size}, {});
}

Result<std::string> plan_text(const upscale::Model& model, const InspectOptions& options, Console& console) {
  const auto size = upscale::parse_size(options.size);
  if (!size) return tl::unexpected(size.error().in_context("--size"));
  const auto graph = picture_graph(model);
  if (!graph) return tl::unexpected(graph.error());
  if (!options.device_info.empty()) return plan_for_described(*graph, options, *size);
  return plan_for_present(*graph, model, options, *size, console);
}

int run_inspect(const InspectOptions& options, const std::vector<std::string>& names) {
  Console console(options.console);
  if (names.size() != 1) {
    return report_failure(console, {ErrorCode::usage, "inspect needs one model; see upres inspect --help"});
  }
  const auto model = upscale::open_model(names.front());
  if (!model) return report_failure(console, model.error());
  if (!options.plan && options.device_info.empty()) {
    console.print(graph::to_text(model->network));
    return kDone;
  }
  const auto text = plan_text(*model, options, console);
  if (!text) return report_failure(console, text.error());
  console.print(*text);
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Print a model's graph, or what a device runs");
  command->footer(std::string(kExamples));
  CLI::Option* model = add_plain_arguments(*command, "MODEL", "an ONNX file or an embedded model");
  command->add_flag("--plan", options->plan,
                    "the steps that the device runs, for one window of an RGB picture");
  command->add_option("--device-info", options->device_info, "plan for the device that this file describes")
      ->type_name("FILE");
  command->add_option("--size", options->size, "size of the picture to plan for")
      ->type_name("WxH")
      ->capture_default_str();
  add_compute_options(*command, options->compute, upscale::Precision::automatic);
  add_text_options(*command, options->console);
  command->callback([options, model, &action] {
    action = [options, names = plain_values(model)] { return run_inspect(*options, names); };
  });
}

}  // namespace upres::cli
