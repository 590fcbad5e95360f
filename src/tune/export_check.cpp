#include "tune/export_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "devicedb/devicedb.h"
#include "devicedb/json.h"
#include "devicedb/shape.h"
#include "tune/task.h"
#include "tune/task_json.h"

namespace upres::tune {
namespace {

using devicedb::Json;
using devicedb::ObjectReader;

constexpr auto kCode = ErrorCode::usage;
constexpr uint32_t kMostChannels = 4096;
constexpr uint32_t kMostKernelSide = 64;
// Of one convolution: more than any network has, and little memory.
constexpr uint64_t kMostWeights = 1 << 24;

// Padded to keep the size, as in the networks that enlarge pictures: a shape does not tell.
Result<graph::Conv> conv_from(const devicedb::ShapeConv& shape) {
  const auto fits = [](uint32_t number, uint32_t most) { return number >= 1 && number <= most; };
  const bool is_usual =
      fits(shape.in_channels, kMostChannels) && fits(shape.out_channels, kMostChannels) &&
      fits(shape.kernel_width, kMostKernelSide) && fits(shape.kernel_height, kMostKernelSide) &&
      uint64_t{shape.in_channels} * shape.out_channels * shape.kernel_width * shape.kernel_height <=
          kMostWeights;
  if (!is_usual) return fail(kCode, "the shape is none of a network");
  graph::Conv conv;
  conv.in_channels = static_cast<int>(shape.in_channels);
  conv.out_channels = static_cast<int>(shape.out_channels);
  conv.kernel_width = static_cast<int>(shape.kernel_width);
  conv.kernel_height = static_cast<int>(shape.kernel_height);
  const int pad_x = conv.kernel_width / 2;
  const int pad_y = conv.kernel_height / 2;
  conv.padding = {.top = pad_y, .left = pad_x, .bottom = pad_y, .right = pad_x};
  return conv;
}

Result<graph::Operator> operator_from(const devicedb::Shape& shape) {
  auto first = conv_from(shape.convs.front());
  if (!first) return propagate(first);
  if (shape.convs.size() == 1) return graph::Operator(std::move(*first));
  auto second = conv_from(shape.convs.back());
  if (!second) return propagate(second);
  if (first->out_channels != second->in_channels)
    return fail(kCode, "the two convolutions of the shape do not fit together");
  return graph::Operator(graph::ConvPair{std::move(*first), std::move(*second)});
}

Result<Task> task_from(const ObjectReader& reader) {
  const auto id = reader.string("kernel");
  if (!id) return tl::unexpected(id.error());
  const kernels::Kernel* kernel = kernels::find_kernel(*id);
  if (kernel == nullptr || kernel->family() != "conv")
    return reader.complain("kernel", "names no convolution kernel");
  const auto text = reader.string("shape");
  if (!text) return tl::unexpected(text.error());
  const auto shape = devicedb::parse_shape(*text);
  if (!shape) return reader.complain("shape", "is no shape");
  auto op = operator_from(*shape);
  if (!op) return propagate(op);
  return make_task(*kernel, std::move(*op), {1, 1}, shape->dtype);
}

// Values that cost exactness are nothing that a fast device may talk others into.
Status check_by_hand(const kernels::Kernel& kernel, const Parameters& parameters) {
  for (const kernels::Tunable& tunable : kernel.tunables()) {
    if (tunable.tuned_by != kernels::TunedBy::hand) continue;
    const auto value = std::ranges::find(parameters, tunable.name, &kernels::Tuning::name);
    if (value != parameters.end() && value->value != tunable.values.front())
      return fail(kCode,
                  "best.parameters." + value->name + " is set by hand alone, in files of the database");
  }
  return {};
}

Status check_entry(const Json& json, const kernels::DeviceInfo& device) {
  if (!json.is_object()) return fail(kCode, "it is no object");
  const ObjectReader reader(json, "", kCode);
  const auto task = task_from(reader);
  if (!task) return tl::unexpected(task.error());
  const auto best = reader.object("best");
  if (!best) return tl::unexpected(best.error());
  const auto values = ObjectReader(**best, "best", kCode).object("parameters");
  if (!values) return tl::unexpected(values.error());
  const auto parameters = parameters_from_json(**values, *task->kernel);
  if (!parameters) return tl::unexpected(parameters.error());
  if (auto status = check_by_hand(*task->kernel, *parameters); !status) return status;
  return task->kernel->legal(task->graph, task->node(), device, task->selection(*parameters));
}

Result<kernels::DeviceInfo> device_from(const ObjectReader& reader) {
  Json device = {{"uuid", ""}, {"type", ""}};
  for (const auto& [from, to] : {std::pair{"device", "name"}, std::pair{"driver", "driver"}}) {
    const auto text = reader.string(from);
    if (!text) return tl::unexpected(text.error());
    device[to] = *text;
  }
  const auto limits = reader.object("limits");
  if (!limits) return tl::unexpected(limits.error());
  device["limits"] = **limits;
  return devicedb::device_info_from_json(device.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Status check_family(const ObjectReader& reader) {
  const auto vendor = reader.string("vendor");
  if (!vendor) return tl::unexpected(vendor.error());
  const auto architecture = reader.string("architecture");
  if (!architecture) return tl::unexpected(architecture.error());
  if (devicedb::is_known({*vendor, *architecture})) return {};
  return reader.complain("architecture", "is none that src/devicedb/family.cpp has of this vendor");
}

}  // namespace

Result<std::vector<Status>> check_export(std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return fail(kCode, "it is no JSON object");
  const ObjectReader reader(json, "", kCode);
  if (const auto family = check_family(reader); !family) return tl::unexpected(family.error());
  const auto device = device_from(reader);
  if (!device) return tl::unexpected(device.error());
  const auto entries = reader.array("entries");
  if (!entries) return tl::unexpected(entries.error());
  std::vector<Status> found;
  for (const Json& entry : **entries) found.push_back(check_entry(entry, *device));
  return found;
}

}  // namespace upres::tune
