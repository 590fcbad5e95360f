#include "tune/trial.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "graph/extents.h"
#include "kernels/cases.h"
#include "session/gpu/compiled_kernels.h"
#include "session/gpu/vkc_error.h"

namespace upres::tune {
namespace {

using Clock = std::chrono::steady_clock;
using kernels::Storage;
using session::device_error;

constexpr Extent kPatternExtent = {64, 64};

// A tensor's memory.
using Piece = std::variant<vkc::Buffer, vkc::Image>;

// Memory of a launch: input, output, then constants.
struct Pieces {
  std::vector<Piece> all;
  std::vector<vkc::Binding> bindings;
};

constexpr size_t kOutput = 1;

template <typename T>
vkc::Result<Piece> piece_of(vkc::Result<T> made) {
  if (!made) return tl::unexpected(made.error());
  return Piece(std::move(*made));
}

vkc::Result<Piece> make_buffer(const vkc::Device& device, size_t bytes, std::string_view name) {
  return piece_of(vkc::Buffer::create(device, bytes, vkc::MemoryKind::device, name));
}

vkc::Result<Piece> make_piece(const vkc::Device& device, const Storage& storage, const TensorType& type,
                              const Extent& extent, std::string_view name) {
  if (storage.arrangement != kernels::Arrangement::image)
    return make_buffer(device, kernels::storage_bytes(storage, type, extent), name);
  const kernels::TexelExtent texels = kernels::texel_extent(type, extent);
  const auto format =
      storage.dtype == DType::f16 ? vkc::ImageFormat::rgba16_sfloat : vkc::ImageFormat::rgba32_sfloat;
  return piece_of(vkc::Image::create_3d(device, format, {texels.width, texels.height, texels.depth},
                                        {.use = vkc::ImageUse::storage, .name = name}));
}

// Samples in this storage, repeated until they fill a tensor of this size: what they are does not
// matter, but NaN and zeros could be faster or slower than what pictures give.
std::vector<std::byte> pattern(const Task& task, const Storage& storage, size_t bytes) {
  kernels::KernelCase small = kernels::conv_case(task.node().op, kPatternExtent);
  const auto tile = kernels::to_storage(storage, kernels::case_inputs(small).front());
  std::vector<std::byte> filled(bytes);
  for (size_t at = 0; at < bytes; at += tile.size())
    std::copy_n(tile.begin(), std::min(tile.size(), bytes - at),
                filled.begin() + static_cast<std::ptrdiff_t>(at));
  return filled;
}

}  // namespace

struct Trial::Impl {
  vkc::Device device;
  Task task;
  std::vector<kernels::Tuning> tuning;
  kernels::KernelChoice choice;
  vkc::Kernel kernel;
  double compile_ms = 0;
  Pieces pieces;
  std::vector<Extent> extents;

  // graph: of one node that the kernel was chosen for, or one of the same choice.
  Result<Pieces> make_pieces(const graph::Graph& graph, std::span<const Extent> sizes,
                             std::span<const std::byte> input) const;
  Status record(vkc::Commands& commands, const graph::Graph& graph, const Pieces& with,
                std::span<const Extent> sizes) const;
};

Result<Pieces> Trial::Impl::make_pieces(const graph::Graph& graph, std::span<const Extent> sizes,
                                        std::span<const std::byte> input) const {
  const graph::Node& node = graph.nodes().front();
  const kernels::BindingNames names = task.kernel->bindings(graph, node);
  Pieces made;
  const auto add = [&](std::string_view name, vkc::Result<Piece> piece,
                       std::span<const std::byte> content) -> Status {
    if (!piece) return device_error(piece.error(), "making memory for a trial");
    const auto use = [&](const auto& memory) -> Status {
      made.bindings.push_back({name, memory});
      if (content.empty()) return {};
      const auto filled = vkc::upload_bytes(device, memory, content);
      return filled ? Status() : Status(device_error(filled.error(), "filling memory for a trial"));
    };
    made.all.push_back(std::move(*piece));
    return std::visit(use, made.all.back());
  };
  const auto add_value = [&](std::string_view name, const Storage& storage, graph::ValueId id,
                             std::span<const std::byte> content) {
    return add(name, make_piece(device, storage, graph.value(id).type, sizes[id], name), content);
  };
  Status status = add_value(names.inputs.front(), choice.input, node.inputs.front(), input);
  if (status) status = add_value(names.outputs.front(), choice.output, node.outputs.front(), {});
  const auto constants = task.kernel->pack_constant_data(graph, node, choice);
  for (size_t i = 0; i < constants.size() && status; ++i) {
    const std::string_view name = names.constant_data[i];
    status = add(name, make_buffer(device, constants[i].size(), name), constants[i]);
  }
  if (!status) return propagate(status);
  return made;
}

Status Trial::Impl::record(vkc::Commands& commands, const graph::Graph& graph, const Pieces& with,
                           std::span<const Extent> sizes) const {
  const kernels::Launch launch = task.kernel->launch({graph, graph.nodes().front(), sizes, choice});
  const vkc::Extent extent{launch.grid.width, launch.grid.persistent ? 1 : launch.grid.rows,
                           launch.grid.depth};
  const auto status =
      kernel.dispatch(commands, vkc::group_count(extent, kernel.group_size()), with.bindings, launch.push);
  return status ? Status() : Status(device_error(status.error(), "launching a trial"));
}

Trial::Trial(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;
Trial::~Trial() = default;

Result<Trial> Trial::create(const vkc::Device& device, const Task& task,
                            std::vector<kernels::Tuning> tuning) {
  auto extents = graph::infer_extents(task.graph, std::array{task.extent});
  if (!extents) return propagate(extents);
  kernels::KernelChoice choice = task.kernel->choose(task.graph, task.node(), task.selection(tuning));
  const auto begin = Clock::now();
  auto kernel = session::compile_kernel(device, choice, task.node().name);
  if (!kernel) return propagate(kernel);
  const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  auto impl = std::make_unique<Impl>(Impl{device,
                                          task,
                                          std::move(tuning),
                                          std::move(choice),
                                          std::move(*kernel),
                                          compile_ms,
                                          {},
                                          std::move(*extents)});
  const auto& in_type = task.graph.value(task.node().inputs.front()).type;
  const Storage& storage = impl->choice.input;
  const auto input = pattern(task, storage, kernels::storage_bytes(storage, in_type, task.extent));
  auto pieces = impl->make_pieces(task.graph, impl->extents, input);
  if (!pieces) return propagate(pieces);
  impl->pieces = std::move(*pieces);
  return Trial(std::move(impl));
}

const kernels::KernelChoice& Trial::choice() const { return impl_->choice; }
double Trial::compile_ms() const { return impl_->compile_ms; }
std::span<const kernels::Tuning> Trial::tuning() const { return impl_->tuning; }

Result<Reference> make_reference(const Task& task, const Extent& extent) {
  Reference reference;
  reference.test = kernels::conv_case(task.node().op, extent);
  if (task.dtype == DType::f16) kernels::allow_rounding(reference.test, kernels::kHalfBits);
  reference.inputs = kernels::case_inputs(reference.test);
  auto expected = kernels::case_expected(reference.test, reference.inputs);
  if (!expected) return propagate(expected);
  reference.expected = std::move(*expected);
  return reference;
}

Result<kernels::Comparison> Trial::compare(const Reference& reference) const {
  kernels::KernelCase test = reference.test;
  if (kernels::sums_in_half(impl_->task.selection(impl_->tuning))) kernels::allow_half_sums(test);
  const auto sizes = kernels::case_extents(test);
  if (!sizes) return tl::unexpected(sizes.error());
  auto pieces = impl_->make_pieces(test.graph, *sizes,
                                   kernels::to_storage(impl_->choice.input, reference.inputs.front()));
  if (!pieces) return propagate(pieces);
  auto commands = vkc::Commands::create(impl_->device);
  if (!commands) return device_error(commands.error(), "checking a trial");
  if (auto status = impl_->record(*commands, test.graph, *pieces, *sizes); !status) return propagate(status);
  const auto submission = commands->submit();
  if (!submission) return device_error(submission.error(), "checking a trial");
  if (auto done = submission->wait(); !done) return device_error(done.error(), "checking a trial");
  const auto download = [&](const auto& memory) { return vkc::download<std::byte>(impl_->device, memory); };
  const auto bytes = std::visit(download, pieces->all[kOutput]);
  if (!bytes) return device_error(bytes.error(), "checking a trial");
  const graph::ValueId out = test.node().outputs.front();
  const std::array actual = {
      kernels::from_storage(impl_->choice.output, test.graph.value(out).type, (*sizes)[out], *bytes)};
  return kernels::compare_outputs(test, reference.expected, actual);
}

Status Trial::check(const Reference& reference) const {
  const auto comparison = compare(reference);
  if (!comparison) return tl::unexpected(comparison.error());
  if (comparison->ok()) return {};
  return fail(ErrorCode::device, "wrong result: " + comparison->mismatch);
}

Result<double> Trial::time_ms(int launches) const {
  auto commands = vkc::Commands::create(impl_->device);
  if (!commands) return device_error(commands.error(), "timing a trial");
  const auto stamps = vkc::Timestamps::create(impl_->device, 2);
  if (!stamps) return device_error(stamps.error(), "timing a trial");
  (void)commands->write_timestamp(*stamps, 0);  // errors come back from submit
  for (int i = 0; i < launches; ++i) {
    if (auto status = impl_->record(*commands, impl_->task.graph, impl_->pieces, impl_->extents); !status)
      return propagate(status);
  }
  (void)commands->write_timestamp(*stamps, 1);
  const auto submission = commands->submit();
  if (!submission) return device_error(submission.error(), "timing a trial");
  if (auto done = submission->wait(); !done) return device_error(done.error(), "timing a trial");
  const auto ms = stamps->elapsed_ms(0, 1);
  if (!ms) return device_error(ms.error(), "timing a trial");
  return *ms / launches;
}

}  // namespace upres::tune
