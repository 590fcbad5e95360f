// upres inspect: a model's graph, and what a device is to run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "base/display_name.h"
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
#include "signals.h"
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
a.json is what upres devices --json prints; of several GPUs the first counts.
)";

constexpr uint64_t kMaxDeviceInfoBytes = 1 << 20;

struct InspectOptions {
  ConsoleOptions console;
  ComputeOptions compute;
  std::vector<std::string> models;  // one
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

// What is stored between convolutions when this precision is asked for; `auto` means fp32, as nothing can be
// measured on a device that is not here.
Result<DType> dtype_for(upscale::Precision precision, const kernels::DeviceInfo& device) {
  if (precision == upscale::Precision::automatic || precision == upscale::Precision::fp32) return DType::f32;
  if (precision == upscale::Precision::fp16) return DType::f16;
  return fail(ErrorCode::device, fmt::format("--precision {}: {} is a GPU and has fp32 and fp16",
                                             upscale::name(precision), device.name));
}

// The steps for one window of a picture of this size, or for all of it where it fits.
Result<std::string> plan_for_gpu(const graph::Graph& graph, const kernels::DeviceInfo& device,
                                 const devicedb::Database& database, const Extent& size,
                                 const ComputeOptions& compute) {
  if (auto checked = upscale::check_kernel(compute.kernel, false); !checked)
    return propagate(checked, "--kernel");
  const upscale::DeviceOptions defaults;
  auto dtype = dtype_for(compute.precision, device);
  if (!dtype) return propagate(dtype);
  auto chosen = plan::choose_kernels(graph, device, database, {compute.kernel, *dtype});
  if (!chosen) return propagate(chosen);
  auto edge_px = compute.tile_px ? Result<int>(*compute.tile_px)
                                 : plan::choose_tile_edge(graph, size, device.limits, defaults.slots);
  if (!edge_px) return propagate(edge_px);
  auto made = plan::make_plan(std::move(*chosen), std::array{window_of(size, *edge_px)});
  if (!made) return propagate(made);
  return plan::to_text(*made);
}

// The GPU's object in what `devices --json` printed: the first GPU's line where there are several.
Result<std::string> gpu_description(const std::string& text) {
  const auto kind_of = [](std::string_view line) {
    const Json object = Json::parse(line, nullptr, false);
    const auto kind = object.is_object() ? object.find("kind") : object.end();
    return kind != object.end() && kind->is_string() ? kind->get<std::string>() : std::string();
  };
  bool has_cpu = kind_of(text) == "cpu";
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::string kind = kind_of(line);
    if (kind == "gpu") return line;
    has_cpu = has_cpu || kind == "cpu";
    begin = end + 1;
  }
  if (!has_cpu) return text;
  return fail(ErrorCode::usage,
              "it describes a CPU, and plans can be made for GPUs only; on that machine itself "
              "--plan --device cpu tells what its CPU runs");
}

Result<std::string> plan_for_described(const graph::Graph& graph, const InspectOptions& options,
                                       const Extent& size) {
  const auto file = upscale::read_file(options.device_info, kMaxDeviceInfoBytes, is_cancelled);
  if (!file) {
    const bool is_cancelled = file.error().code == ErrorCode::cancelled;
    return fail(is_cancelled ? ErrorCode::cancelled : ErrorCode::usage, file.error().message);
  }
  const std::string shown = display_name(std::filesystem::path(options.device_info));
  const auto text = gpu_description({reinterpret_cast<const char*>(file->data()), file->size()});
  if (!text) return tl::unexpected(text.error().in_context(shown));
  const auto device = devicedb::device_info_from_json(*text);
  if (!device) return tl::unexpected(device.error().in_context(shown));
  return plan_for_gpu(graph, *device, devicedb::Database::embedded(), size, options.compute);
}

Result<std::string> plan_for_present(const graph::Graph& graph, const upscale::Model& model,
                                     const InspectOptions& options, const Extent& size, Console& console) {
  auto device = open_device(options.compute, console);
  if (!device) return propagate(device);
  if (!device->is_cpu())
    return plan_for_gpu(graph, device->info(), *device->tunings()->database(), size, options.compute);
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

int run_inspect(const InspectOptions& options) {
  Console console(options.console);
  if (options.models.size() != 1) {
    return report_failure(console, {ErrorCode::usage, "inspect needs one model; see upres inspect --help"});
  }
  const auto model = upscale::open_model(options.models.front());
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
  Subcommand command(app, "inspect", "Print a model's graph, or what a device runs", kExamples);
  command.add_plain("MODEL", "an ONNX file or an embedded model", options->models);
  command.add_flag("--plan", options->plan,
                   "the steps that the device runs, for one window of an RGB picture");
  command.add_text({"--device-info", "FILE", "plan for the device that this file describes"},
                   options->device_info);
  command.add_text({"--size", "WxH", "size of the picture to plan for", true}, options->size);
  add_compute_options(command, options->compute, upscale::Precision::automatic);
  add_text_options(command, options->console);
  command.sets(action, [options] { return run_inspect(*options); });
}

}  // namespace upres::cli
