#include "tune/task_json.h"

#include <algorithm>
#include <array>

namespace upres::tune {
namespace {

using devicedb::Json;
using devicedb::ObjectReader;
using kernels::Arrangement;
using kernels::Storage;

constexpr auto kCode = ErrorCode::usage;
constexpr uint64_t kMostChannels = 4096;
constexpr uint64_t kMostKernelSide = 64;

// Reads one number after the other and keeps the first error.
class NumberReader {
 public:
  explicit NumberReader(const ObjectReader& reader) : reader_(reader) {}
  void operator()(std::string_view key, uint64_t least, uint64_t most, int& value) {
    auto number = reader_.number(key, least, most);
    if (number) {
      value = static_cast<int>(*number);
    } else if (status_) {
      status_ = propagate(number);
    }
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const ObjectReader& reader_;
  Status status_;
};

Result<graph::Conv> conv_from(const ObjectReader& reader) {
  graph::Conv conv;
  NumberReader read(reader);
  read("in_channels", 1, kMostChannels, conv.in_channels);
  read("out_channels", 1, kMostChannels, conv.out_channels);
  read("kernel_width", 1, kMostKernelSide, conv.kernel_width);
  read("kernel_height", 1, kMostKernelSide, conv.kernel_height);
  read("padding_left", 0, kMostKernelSide, conv.padding.left);
  read("padding_top", 0, kMostKernelSide, conv.padding.top);
  read("padding_right", 0, kMostKernelSide, conv.padding.right);
  read("padding_bottom", 0, kMostKernelSide, conv.padding.bottom);
  read("shuffle_block", 1, kMostKernelSide, conv.shuffle.block);
  if (!read.status()) return tl::unexpected(read.status().error());
  const auto relu = reader.boolean("relu");
  if (!relu) return tl::unexpected(relu.error());
  conv.apply_relu = *relu;
  const auto crd = reader.boolean("shuffle_crd");
  if (!crd) return tl::unexpected(crd.error());
  conv.shuffle.mode = *crd ? graph::ShuffleMode::crd : graph::ShuffleMode::dcr;
  if (conv.out_channels % (conv.shuffle.block * conv.shuffle.block) != 0)
    return reader.complain("shuffle_block", "does not divide the channels");
  return conv;
}

// One convolution, or two that fit together.
Result<graph::Operator> operator_from(const ObjectReader& reader) {
  const auto array = reader.array("convolutions");
  if (!array) return tl::unexpected(array.error());
  std::vector<graph::Conv> convs;
  for (const Json& each : **array) {
    if (!each.is_object()) return reader.complain("convolutions", "holds something else than objects");
    auto conv = conv_from(ObjectReader(each, "task.convolutions", kCode));
    if (!conv) return propagate(conv);
    convs.push_back(std::move(*conv));
  }
  if (convs.size() == 1) return graph::Operator(std::move(convs.front()));
  const bool fit =
      convs.size() == 2 && convs[0].out_channels == convs[1].in_channels && convs[0].shuffle.block == 1;
  if (!fit) return reader.complain("convolutions", "are not one, or two that fit together");
  return graph::Operator(graph::ConvPair{std::move(convs[0]), std::move(convs[1])});
}

Json conv_json(const graph::Conv& conv) {
  return {{"in_channels", conv.in_channels},
          {"out_channels", conv.out_channels},
          {"kernel_width", conv.kernel_width},
          {"kernel_height", conv.kernel_height},
          {"padding_left", conv.padding.left},
          {"padding_top", conv.padding.top},
          {"padding_right", conv.padding.right},
          {"padding_bottom", conv.padding.bottom},
          {"relu", conv.apply_relu},
          {"shuffle_block", conv.shuffle.block},
          {"shuffle_crd", conv.shuffle.mode == graph::ShuffleMode::crd}};
}

Result<Extent> extent_from(const ObjectReader& reader) {
  Extent extent;
  NumberReader read(reader);
  read("width", 1, kMostSide_px, extent.width_px);
  read("height", 1, kMostSide_px, extent.height_px);
  if (!read.status()) return tl::unexpected(read.status().error());
  return extent;
}

Result<DType> dtype_from(const ObjectReader& reader) {
  const auto text = reader.string("dtype");
  if (!text) return tl::unexpected(text.error());
  for (const DType dtype : {DType::f32, DType::f16}) {
    if (*text == name(dtype)) return dtype;
  }
  return reader.complain("dtype", "is none of f32, f16");
}

// One of those that the kernel can have.
Result<Storage> storage_from(const ObjectReader& reader, std::string_view key,
                             const std::vector<Storage>& possible) {
  const auto text = reader.string(key);
  if (!text) return tl::unexpected(text.error());
  for (const Storage& storage : possible) {
    if (*text == kernels::to_text(storage)) return storage;
  }
  return reader.complain(key, "is no storage of this kernel");
}

Result<const kernels::Kernel*> kernel_from(const ObjectReader& reader) {
  const auto id = reader.string("kernel");
  if (!id) return tl::unexpected(id.error());
  const kernels::Kernel* kernel = kernels::find_kernel(*id);
  if (kernel == nullptr || kernel->family() != "conv")
    return reader.complain("kernel", "names no convolution kernel");
  return kernel;
}

}  // namespace

Json to_json(const Parameters& parameters) {
  Json json = Json::object();
  for (const kernels::Tuning& tuned : parameters) json[tuned.name] = tuned.value;
  return json;
}

Json to_json(const Task& task) {
  Json convs = Json::array();
  for (const graph::Conv* conv : graph::convolutions(task.node().op)) convs.push_back(conv_json(*conv));
  return {{"kernel", task.kernel->id()},
          {"convolutions", std::move(convs)},
          {"width", task.extent.width_px},
          {"height", task.extent.height_px},
          {"dtype", name(task.dtype)},
          {"input", kernels::to_text(task.input)},
          {"output", kernels::to_text(task.output)}};
}

Result<Task> task_from_json(const Json& json) {
  const ObjectReader reader(json, "task", kCode);
  const auto kernel = kernel_from(reader);
  if (!kernel) return tl::unexpected(kernel.error());
  auto op = operator_from(reader);
  if (!op) return propagate(op);
  const auto extent = extent_from(reader);
  if (!extent) return tl::unexpected(extent.error());
  const auto dtype = dtype_from(reader);
  if (!dtype) return tl::unexpected(dtype.error());
  auto task = make_task(**kernel, std::move(*op), *extent, *dtype);
  if (!task) return propagate(task);
  const auto input = storage_from(reader, "input", (*kernel)->reads(task->graph, task->node(), *dtype));
  if (!input) return tl::unexpected(input.error());
  const auto output = storage_from(reader, "output", (*kernel)->writes(task->graph, task->node(), *dtype));
  if (!output) return tl::unexpected(output.error());
  task->input = *input;
  task->output = *output;
  return task;
}

Result<Parameters> parameters_from_json(const Json& json, const kernels::Kernel& kernel) {
  const ObjectReader reader(json, "parameters", kCode);
  Parameters parameters;
  for (const kernels::Tunable& tunable : kernel.tunables()) {
    const auto value = reader.number(tunable.name, 0, UINT32_MAX);
    if (!value) return tl::unexpected(value.error());
    const auto number = static_cast<uint32_t>(*value);
    if (std::find(tunable.values.begin(), tunable.values.end(), number) == tunable.values.end())
      return reader.complain(tunable.name, "has a value that this kernel does not take");
    parameters.push_back({std::string(tunable.name), number});
  }
  return parameters;
}

}  // namespace upres::tune
