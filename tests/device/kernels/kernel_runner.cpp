#include "kernel_runner.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <variant>

#include "kernels/resize/lanczos.h"
#include "upres_shaders_kernels.h"

namespace upres::kernels {

namespace {

constexpr size_t kGuardBytes = 4096;
constexpr uint32_t kPoison = 0x7fc5a5a5;  // a NaN, and as pixels nothing that looks like padding

Error device_error(const std::string& what, const vkc::Error& error) {
  return {ErrorCode::device, what + ": " + error.message, error.reasons};
}

std::vector<std::byte> poison(size_t bytes) {
  std::vector<std::byte> filled(bytes);
  for (size_t at = 0; at + 4 <= bytes; at += 4) std::memcpy(filled.data() + at, &kPoison, 4);
  return filled;
}

// Copies rows between the packed and the device layout of a tensor.
void copy_rows(const TensorType& type, const Extent& extent, std::span<const std::byte> from,
               size_t from_stride, std::span<std::byte> to, size_t to_stride) {
  const size_t bytes = row_bytes(type, extent);
  const size_t rows = packed_bytes(type, extent) / bytes;
  for (size_t row = 0; row < rows; ++row)
    std::memcpy(to.data() + row * to_stride, from.data() + row * from_stride, bytes);
}

std::vector<std::byte> device_layout(const Tensor& tensor, const Storage& storage) {
  if (storage.arrangement != Arrangement::plain) return to_storage(storage, tensor);
  std::vector<std::byte> bytes = poison(device_bytes(tensor.type, tensor.extent));
  copy_rows(tensor.type, tensor.extent, tensor.bytes, row_bytes(tensor.type, tensor.extent), bytes,
            device_row_bytes(tensor.type, tensor.extent));
  return bytes;
}

Tensor packed_layout(const TensorType& type, const Extent& extent, const Storage& storage,
                     std::span<const std::byte> bytes) {
  if (storage.arrangement != Arrangement::plain) return from_storage(storage, type, extent, bytes);
  Tensor tensor(type, extent);
  copy_rows(type, extent, bytes, device_row_bytes(type, extent), tensor.bytes, row_bytes(type, extent));
  return tensor;
}

// Whether the padding of every row is zero.
bool zero_padding(const TensorType& type, const Extent& extent, std::span<const std::byte> bytes) {
  const size_t used = row_bytes(type, extent);
  const size_t stride = device_row_bytes(type, extent);
  for (size_t row = 0; row < bytes.size(); row += stride) {
    const auto padding = bytes.subspan(row + used, stride - used);
    if (std::ranges::any_of(padding, [](std::byte byte) { return byte != std::byte{0}; })) return false;
  }
  return true;
}

// A tensor's bytes on the device, with guards on both sides.
class GuardedBuffer {
 public:
  static Result<GuardedBuffer> create(const vkc::Device& device, std::string_view name,
                                      std::vector<std::byte> bytes) {
    GuardedBuffer guarded;
    guarded.name_ = name;
    guarded.size_bytes_ = bytes.size();
    guarded.before_ = poison(bytes.size() + 2 * kGuardBytes);
    std::ranges::copy(bytes, guarded.before_.begin() + kGuardBytes);
    auto buffer = vkc::Buffer::create(device, guarded.before_.size(), vkc::MemoryKind::device, name);
    if (!buffer) return tl::unexpected(device_error("buffer", buffer.error()));
    guarded.buffer_ = *buffer;
    if (auto status = vkc::upload(device, *buffer, guarded.before_); !status) {
      return tl::unexpected(device_error("upload", status.error()));
    }
    return guarded;
  }

  // What the kernel gets: it ends behind the guard, so that robust access of a driver hides no read past the
  // end.
  [[nodiscard]] vkc::Binding binding() const {
    return {name_, buffer_->range(kGuardBytes, size_bytes_ + kGuardBytes)};
  }

  // The tensor's bytes after the run. Errors: device, when anything else changed, or the tensor itself where
  // `writable` is false.
  [[nodiscard]] Result<std::vector<std::byte>> read(const vkc::Device& device, bool writable) const {
    auto after = vkc::download<std::byte>(device, *buffer_);
    if (!after) return tl::unexpected(device_error("download", after.error()));
    const size_t end = kGuardBytes + size_bytes_;
    for (size_t at = 0; at < after->size(); ++at) {
      const bool own = at >= kGuardBytes && at < end;
      if ((*after)[at] == before_[at] || (own && writable)) continue;
      return fail(ErrorCode::device,
                  std::string(name_) + ": byte " +
                      std::to_string(static_cast<int64_t>(at) - static_cast<int64_t>(kGuardBytes)) + " of " +
                      std::to_string(size_bytes_) + " was overwritten");
    }
    return std::vector<std::byte>(after->begin() + kGuardBytes,
                                  after->begin() + static_cast<std::ptrdiff_t>(end));
  }

 private:
  std::string_view name_;
  size_t size_bytes_ = 0;
  std::vector<std::byte> before_;
  std::optional<vkc::Buffer> buffer_;
};

// A tensor's texels in an image that is larger than it, with poison beyond them: what a kernel reads or
// writes there shows up.
class GuardedImage {
 public:
  static Result<GuardedImage> create(const vkc::Device& device, std::string_view name, const Storage& storage,
                                     const TexelExtent& extent, std::span<const std::byte> texels) {
    GuardedImage guarded;
    guarded.name_ = name;
    guarded.extent_ = extent;
    guarded.texel_bytes_ = kTexelChannels * size_bytes(storage.dtype);
    const vkc::Extent all = {extent.width + 3, extent.height + 2, extent.depth + 1};
    guarded.before_ = poison(size_t{all.width} * all.height * all.depth * guarded.texel_bytes_);
    guarded.for_each_row(all, [&](size_t own, size_t at, size_t bytes) {
      std::copy_n(texels.begin() + static_cast<std::ptrdiff_t>(own), bytes,
                  guarded.before_.begin() + static_cast<std::ptrdiff_t>(at));
    });
    const auto format =
        storage.dtype == DType::f16 ? vkc::ImageFormat::rgba16_sfloat : vkc::ImageFormat::rgba32_sfloat;
    auto image = vkc::Image::create_3d(device, format, all, {.use = vkc::ImageUse::storage, .name = name});
    if (!image) return tl::unexpected(device_error("image", image.error()));
    guarded.image_ = *image;
    if (auto status = vkc::upload(device, *image, guarded.before_); !status)
      return tl::unexpected(device_error("upload", status.error()));
    return guarded;
  }

  [[nodiscard]] vkc::Binding binding() const { return {name_, *image_}; }

  // As GuardedBuffer::read.
  [[nodiscard]] Result<std::vector<std::byte>> read(const vkc::Device& device, bool writable) const {
    auto after = vkc::download<std::byte>(device, *image_);
    if (!after) return tl::unexpected(device_error("download", after.error()));
    std::vector<std::byte> own(size_t{extent_.width} * extent_.height * extent_.depth * texel_bytes_);
    std::vector<std::byte> expected = before_;
    for_each_row(image_->extent(), [&](size_t to, size_t at, size_t bytes) {
      std::copy_n(after->begin() + static_cast<std::ptrdiff_t>(at), bytes,
                  own.begin() + static_cast<std::ptrdiff_t>(to));
      if (writable)
        std::copy_n(after->begin() + static_cast<std::ptrdiff_t>(at), bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(at));
    });
    if (expected == *after) return own;
    return fail(ErrorCode::device, std::string(name_) + ": a texel beyond the tensor's was overwritten");
  }

 private:
  static constexpr size_t kTexelChannels = 4;

  // Calls visit(byte in the tensor, byte in the image, bytes) for every row of the tensor.
  template <typename Visit>
  void for_each_row(const vkc::Extent& all, const Visit& visit) const {
    const size_t row_bytes = extent_.width * texel_bytes_;
    for (size_t z = 0; z < extent_.depth; ++z) {
      for (size_t y = 0; y < extent_.height; ++y) {
        visit((z * extent_.height + y) * row_bytes, (z * all.height + y) * all.width * texel_bytes_,
              row_bytes);
      }
    }
  }

  std::string_view name_;
  TexelExtent extent_;
  size_t texel_bytes_ = 0;
  std::vector<std::byte> before_;
  std::optional<vkc::Image> image_;
};

using Guarded = std::variant<GuardedBuffer, GuardedImage>;

vkc::ConstantValue vkc_value(const Constant& constant) {
  return std::visit([](auto value) { return vkc::ConstantValue(value); }, constant.value);
}

std::string key_of(const KernelChoice& choice) {
  std::string key = module_name(choice);
  for (const Constant& constant : choice.constants) {
    key += " " + constant.name + "=" +
           std::visit([](auto value) { return std::to_string(value); }, constant.value);
  }
  const GroupSize& size = choice.group_size;
  return key + " " + std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

std::vector<std::byte> table_bytes(const ResampleTable& table, std::string_view name) {
  const auto bytes = name == "first_samples" ? std::as_bytes(std::span(table.first_samples))
                                             : std::as_bytes(std::span(table.weights));
  return {bytes.begin(), bytes.end()};
}

// All memory of one run, inputs (and data that does not change) before outputs.
struct Buffers {
  std::vector<Guarded> read_only;
  std::vector<Guarded> outputs;

  [[nodiscard]] std::vector<vkc::Binding> bindings() const {
    std::vector<vkc::Binding> all;
    for (const auto* list : {&read_only, &outputs}) {
      for (const Guarded& memory : *list)
        all.push_back(std::visit([](const auto& guarded) { return guarded.binding(); }, memory));
    }
    return all;
  }
};

Result<std::vector<std::byte>> read(const vkc::Device& device, const Guarded& memory, bool writable) {
  return std::visit([&](const auto& guarded) { return guarded.read(device, writable); }, memory);
}

Status add(std::vector<Guarded>& to, const vkc::Device& device, std::string_view name,
           std::vector<std::byte> bytes) {
  auto buffer = GuardedBuffer::create(device, name, std::move(bytes));
  if (!buffer) return propagate(buffer);
  to.emplace_back(std::move(*buffer));
  return {};
}

// A value in its storage.
Status add(std::vector<Guarded>& to, const vkc::Device& device, std::string_view name, const Storage& storage,
           const LaunchTensor& value, std::vector<std::byte> bytes) {
  if (storage.arrangement != Arrangement::image) return add(to, device, name, std::move(bytes));
  auto image = GuardedImage::create(device, name, storage, texel_extent(value.type, value.extent), bytes);
  if (!image) return propagate(image);
  to.emplace_back(std::move(*image));
  return {};
}

Result<Buffers> make_buffers(const vkc::Device& device, const Kernel& kernel, const KernelChoice& choice,
                             const KernelCase& test, std::span<const Tensor> inputs,
                             std::span<const Extent> extents) {
  Buffers buffers;
  const BindingNames names = kernel.bindings(test.graph, test.node());
  Status status;
  for (size_t i = 0; i < names.inputs.size() && status; ++i) {
    const Storage storage = i == 0 ? choice.input : Storage{};
    status = add(buffers.read_only, device, names.inputs[i], storage, {inputs[i].type, inputs[i].extent},
                 device_layout(inputs[i], storage));
  }
  const auto constant_data = kernel.pack_constant_data(test.graph, test.node(), choice);
  for (size_t i = 0; i < names.constant_data.size() && status; ++i) {
    status = add(buffers.read_only, device, names.constant_data[i], constant_data[i]);
  }
  for (size_t i = 0; i < names.tables.size() && status; ++i) {
    const auto table = make_resample_table(test.graph, test.node(), extents, test.window);
    status = add(buffers.read_only, device, names.tables[i], table_bytes(table, names.tables[i]));
  }
  for (size_t i = 0; i < names.outputs.size() && status; ++i) {
    const graph::ValueId id = test.node().outputs[i];
    const TensorType& type = test.graph.value(id).type;
    const Storage storage = i == 0 ? choice.output : Storage{};
    const size_t bytes = storage_bytes(storage, type, extents[id]);
    status = add(buffers.outputs, device, names.outputs[i], storage, {type, extents[id]},
                 type.layout == Layout::flat ? std::vector<std::byte>(bytes) : poison(bytes));
  }
  if (!status) return propagate(status);
  return buffers;
}

// Cuts rows into `parts` ranges of unequal height, of whole rows of groups, without empty ones.
std::vector<RowRange> cut_rows(uint32_t rows, uint32_t parts, uint32_t group_rows) {
  std::vector<RowRange> ranges;
  uint32_t begin = 0;
  for (uint32_t part = 1; part <= parts; ++part) {
    const uint32_t cut = (rows * part * part / (parts * parts) + group_rows) / group_rows * group_rows;
    const uint32_t end = part == parts ? rows : std::min(rows, cut);
    if (end > begin) ranges.push_back({begin, end});
    begin = std::max(begin, end);
  }
  return ranges;
}

Status dispatch(const vkc::Device& device, const vkc::Kernel& kernel, const Launch& launch,
                const Buffers& buffers, uint32_t dispatches) {
  auto commands = vkc::Commands::create(device);
  if (!commands) return tl::unexpected(device_error("commands", commands.error()));
  std::vector<std::byte> push = launch.push;
  const uint32_t group_rows = launch.grid.persistent ? 1 : kernel.group_size().y;
  for (const RowRange& rows : cut_rows(launch.grid.rows, dispatches, group_rows)) {
    std::memcpy(push.data(), &rows, sizeof(rows));
    const uint32_t grid_rows = launch.grid.persistent ? 1 : rows.row_end - rows.row_begin;
    const vkc::Extent extent = {launch.grid.width, grid_rows, launch.grid.depth};
    // Errors are kept by the commands and come back from submit.
    (void)kernel.dispatch(*commands, vkc::group_count(extent, kernel.group_size()), buffers.bindings(), push);
  }
  const auto submission = commands->submit();
  if (!submission) return tl::unexpected(device_error("submit", submission.error()));
  const auto done = submission->wait();
  if (!done) return tl::unexpected(device_error("wait", done.error()));
  return {};
}

}  // namespace

Result<vkc::Kernel> KernelRunner::compiled(const KernelChoice& choice) {
  const std::string key = key_of(choice);
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  const vkc::KernelSource* source = upres_shaders_kernels::find(module_name(choice));
  if (source == nullptr) return fail(ErrorCode::device, "no shader is named " + module_name(choice));
  std::vector<vkc::Constant> constants;
  for (const Constant& constant : choice.constants) constants.push_back({constant.name, vkc_value(constant)});
  const vkc::KernelGroupSize size = {choice.group_size.x, choice.group_size.y, choice.group_size.z};
  auto kernel = vkc::Kernel::create(device_, *source, constants, size);
  if (!kernel) return tl::unexpected(device_error("kernel " + key, kernel.error()));
  compiled_.emplace(key, *kernel);
  return *kernel;
}

Result<std::vector<Tensor>> KernelRunner::run(const Kernel& kernel, const KernelCase& test,
                                              std::span<const Tensor> inputs, const RunOptions& options) {
  auto extents = case_extents(test);
  if (!extents) return propagate(extents);
  Selection selection = options.selection;
  selection.tuning = options.tuning;
  const KernelChoice choice = kernel.choose(test.graph, test.node(), selection);
  auto built = compiled(choice);
  if (!built) return propagate(built);
  auto buffers = make_buffers(device_, kernel, choice, test, inputs, *extents);
  if (!buffers) return propagate(buffers);
  const Launch launch = kernel.launch({test.graph, test.node(), *extents, choice});
  if (auto status = dispatch(device_, *built, launch, *buffers, options.dispatches); !status)
    return propagate(status);

  for (const Guarded& memory : buffers->read_only) {
    if (auto bytes = read(device_, memory, false); !bytes) return propagate(bytes);
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < buffers->outputs.size(); ++i) {
    auto bytes = read(device_, buffers->outputs[i], true);
    if (!bytes) return propagate(bytes);
    const graph::Value& value = test.graph.value(test.node().outputs[i]);
    const Extent& extent = (*extents)[test.node().outputs[i]];
    const Storage storage = i == 0 ? choice.output : Storage{};
    if (storage.arrangement == Arrangement::plain && !zero_padding(value.type, extent, *bytes))
      return fail(ErrorCode::device, value.name + ": padding of a row is not zero");
    outputs.push_back(packed_layout(value.type, extent, storage, *bytes));
  }
  return outputs;
}

}  // namespace upres::kernels
