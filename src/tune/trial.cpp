#include "tune/trial.h"

#include <algorithm>
#include <chrono>

#include "graph/extents.h"
#include "kernels/cases.h"
#include "session/gpu/compiled_kernels.h"
#include "session/gpu/vkc_error.h"

namespace upres::tune {
namespace {

using Clock = std::chrono::steady_clock;
using session::device_error;

constexpr Extent kPatternExtent = {64, 64};

// Memory of a launch.
struct Buffers {
  std::vector<vkc::Buffer> all;
  std::vector<vkc::Binding> bindings;
};

// Samples in the task's storage, repeated until they fill a tensor of this size: what they are does not
// matter, but NaN and zeros could be faster or slower than what pictures give.
std::vector<std::byte> pattern(const Task& task, size_t bytes) {
  kernels::KernelCase small = kernels::conv_case(task.node().op, kPatternExtent);
  const auto tile = kernels::to_storage(task.input, kernels::case_inputs(small).front());
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
  Buffers buffers;
  std::vector<Extent> extents;

  // graph: of one node that the kernel was chosen for, or one of the same choice.
  Result<Buffers> make_buffers(const graph::Graph& graph, std::span<const Extent> sizes,
                               std::span<const std::byte> input) const;
  Status record(vkc::Commands& commands, const graph::Graph& graph, const Buffers& with,
                std::span<const Extent> sizes) const;
};

Result<Buffers> Trial::Impl::make_buffers(const graph::Graph& graph, std::span<const Extent> sizes,
                                          std::span<const std::byte> input) const {
  const graph::Node& node = graph.nodes().front();
  const kernels::BindingNames names = task.kernel->bindings(graph, node);
  Buffers made;
  const auto add = [&](std::string_view name, size_t bytes, std::span<const std::byte> content) -> Status {
    auto buffer = vkc::Buffer::create(device, bytes, vkc::MemoryKind::device, name);
    if (!buffer) return device_error(buffer.error(), "making memory for a trial");
    if (!content.empty()) {
      if (auto status = vkc::upload_bytes(device, *buffer, content); !status)
        return device_error(status.error(), "filling memory for a trial");
    }
    made.all.push_back(*buffer);
    made.bindings.push_back({name, made.all.back()});
    return {};
  };
  if (auto status = add(names.inputs.front(), input.size(), input); !status) return propagate(status);
  const auto& out_type = graph.value(node.outputs.front()).type;
  const size_t out_bytes = kernels::storage_bytes(task.output, out_type, sizes[node.outputs.front()]);
  if (auto status = add(names.outputs.front(), out_bytes, {}); !status) return propagate(status);
  const auto constants = task.kernel->pack_constant_data(graph, node, choice);
  for (size_t i = 0; i < constants.size(); ++i) {
    if (auto status = add(names.constant_data[i], constants[i].size(), constants[i]); !status)
      return propagate(status);
  }
  return made;
}

Status Trial::Impl::record(vkc::Commands& commands, const graph::Graph& graph, const Buffers& with,
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
  const auto input = pattern(task, kernels::storage_bytes(task.input, in_type, task.extent));
  auto buffers = impl->make_buffers(task.graph, impl->extents, input);
  if (!buffers) return propagate(buffers);
  impl->buffers = std::move(*buffers);
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
  const kernels::KernelCase& test = reference.test;
  const auto sizes = kernels::case_extents(test);
  if (!sizes) return tl::unexpected(sizes.error());
  auto buffers = impl_->make_buffers(test.graph, *sizes,
                                     kernels::to_storage(impl_->task.input, reference.inputs.front()));
  if (!buffers) return propagate(buffers);
  auto commands = vkc::Commands::create(impl_->device);
  if (!commands) return device_error(commands.error(), "checking a trial");
  if (auto status = impl_->record(*commands, test.graph, *buffers, *sizes); !status) return propagate(status);
  const auto submission = commands->submit();
  if (!submission) return device_error(submission.error(), "checking a trial");
  if (auto done = submission->wait(); !done) return device_error(done.error(), "checking a trial");
  const auto bytes = vkc::download<std::byte>(impl_->device, buffers->all[1]);
  if (!bytes) return device_error(bytes.error(), "checking a trial");
  const graph::ValueId out = test.node().outputs.front();
  const std::array actual = {
      kernels::from_storage(impl_->task.output, test.graph.value(out).type, (*sizes)[out], *bytes)};
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
    if (auto status = impl_->record(*commands, impl_->task.graph, impl_->buffers, impl_->extents); !status)
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
