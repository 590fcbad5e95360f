#include "session/gpu/gpu_session.h"

#include <vkc/transfer.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "kernels/resize/lanczos.h"
#include "session/gpu/compiled_kernels.h"
#include "session/gpu/copy_threads.h"
#include "session/gpu/run.h"
#include "session/gpu/slot_memory.h"
#include "session/gpu/staging.h"
#include "session/gpu/vkc_error.h"

namespace upres::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxSlots = 16;
// A picture has one window size; a few more for pictures of a folder in turn.
constexpr size_t kMaxPlans = 8;

struct CachedPlan {
  std::vector<Extent> inputs;
  Extent resampled;
  std::shared_ptr<const plan::Plan> plan;
};

// A job in flight.
struct Active {
  uint64_t id = 0;
  Job job;
  std::shared_ptr<const plan::Plan> plan;
  std::unique_ptr<Run> run;
  Clock::time_point begin;
  double host_in_ms = -1;
};

struct Slot {
  SlotMemory memory;
  std::optional<Active> active;
};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<Extent> input_extents(const Job& job) {
  std::vector<Extent> extents;
  for (const TensorView& view : job.inputs) extents.push_back(view.extent);
  return extents;
}

TensorView read_only(const MutableTensorView& view) {
  return {view.type, view.extent, view.row_stride_bytes, view.bytes};
}

Status check_views(const Job& job, const plan::Plan& plan) {
  const graph::Graph& graph = plan.chosen->graph;
  for (size_t i = 0; i < job.inputs.size(); ++i) {
    const graph::ValueId id = graph.inputs()[i];
    auto status = check_view(graph.value(id).type, plan.extents[id], job.inputs[i]);
    if (!status) return propagate(status, "input " + graph.value(id).name);
  }
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    const graph::ValueId id = graph.outputs()[i];
    auto status = check_view(graph.value(id).type, plan.extents[id], read_only(job.outputs[i]));
    if (!status) return propagate(status, "output " + graph.value(id).name);
  }
  return {};
}

Status check_counts(const Job& job, const graph::Graph& graph) {
  if (job.inputs.size() == graph.inputs().size() && job.outputs.size() == graph.outputs().size()) return {};
  return fail(ErrorCode::usage, "the network has " + std::to_string(graph.inputs().size()) + " inputs and " +
                                    std::to_string(graph.outputs().size()) + " outputs, the job " +
                                    std::to_string(job.inputs.size()) + " and " +
                                    std::to_string(job.outputs.size()));
}

template <typename T>
void put(const std::vector<T>& values, const plan::Resource& resource, std::span<std::byte> block) {
  const size_t bytes = std::min<size_t>(values.size() * sizeof(T), resource.size_bytes);
  std::memcpy(block.data() + resource.offset_bytes, values.data(), bytes);
}

// Tables of Resample steps, which depend on where the window lies.
void put_tables(const plan::Plan& plan, const kernels::JobWindow& window, std::span<std::byte> block) {
  const graph::Graph& graph = plan.chosen->graph;
  for (const plan::Step& step : plan.steps) {
    const graph::Node& node = graph.nodes()[step.node_index];
    if (!std::holds_alternative<graph::Resample>(node.op)) continue;
    const auto table = kernels::make_resample_table(graph, node, plan.extents, window);
    for (const plan::Binding& binding : step.bindings) {
      const plan::Resource& resource = plan.resources[binding.resource];
      if (resource.kind != plan::ResourceKind::table) continue;
      if (binding.name == plan::kFirstSamples) put(table.first_samples, resource, block);
      if (binding.name == plan::kTapWeights) put(table.weights, resource, block);
    }
  }
}

void put_inputs(const plan::Plan& plan, const Job& job, std::span<std::byte> block, CopyThreads& threads) {
  for (size_t i = 0; i < job.inputs.size(); ++i) {
    const plan::Resource& resource = plan.resources[plan.inputs[i]];
    copy_to_device(job.inputs[i], block.subspan(resource.offset_bytes, resource.size_bytes), threads);
  }
}

// An output that is an input (a network that does nothing) is still in the input block.
void take_outputs(const plan::Plan& plan, const Job& job, const SlotMemory& memory, CopyThreads& threads) {
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    const plan::Resource& resource = plan.resources[plan.outputs[i]];
    const bool is_input = resource.kind == plan::ResourceKind::input;
    const std::span<const std::byte> block = is_input ? memory.host_input() : memory.host_output();
    copy_from_device(block.subspan(resource.offset_bytes, resource.size_bytes), job.outputs[i], threads);
  }
}

// More do not make memory faster.
constexpr int kMostCopyThreads = 8;

int copy_thread_count(const GpuOptions& options) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::min(options.copy_threads > 0 ? options.copy_threads : cores, kMostCopyThreads);
}

}  // namespace

struct GpuSession::Impl {
  Impl(RunShared run_shared, const GpuOptions& gpu_options, Log session_log)
      : shared(std::move(run_shared)),
        options(gpu_options),
        log(std::move(session_log)),
        copy_threads(copy_thread_count(gpu_options)) {
    for (int i = 0; i < options.slots; ++i)
      slots.push_back({SlotMemory(shared.device, options.always_copy, options.poison), std::nullopt});
  }

  Result<std::shared_ptr<const plan::Plan>> plan_for(const std::vector<Extent>& inputs,
                                                     const Extent& resampled);
  Result<Slot*> free_slot();
  Status begin(Slot& slot, const Job& job, std::shared_ptr<const plan::Plan> plan);
  Result<JobReport> finish(Slot& slot);
  void serve_others(const Slot& slot);

  RunShared shared;
  GpuOptions options;
  Log log;
  CopyThreads copy_threads;
  std::vector<CachedPlan> plans;  // last used first
  std::vector<Slot> slots;
  std::map<uint64_t, Result<JobReport>> finished;  // not yet asked for
  uint64_t next_id = 1;
  int submits = 0;
};

Result<std::shared_ptr<const plan::Plan>> GpuSession::Impl::plan_for(const std::vector<Extent>& inputs,
                                                                     const Extent& resampled) {
  const auto known = std::find_if(plans.begin(), plans.end(), [&](const CachedPlan& cached) {
    return cached.inputs == inputs && cached.resampled == resampled;
  });
  if (known != plans.end()) {
    std::rotate(plans.begin(), known, known + 1);
    return plans.front().plan;
  }
  auto made = plan::make_plan(shared.chosen, inputs, resampled);
  if (!made) return propagate(made);
  if (plans.size() == kMaxPlans) plans.pop_back();
  plans.insert(plans.begin(), {inputs, resampled, std::make_shared<const plan::Plan>(std::move(*made))});
  return plans.front().plan;
}

// A slot without a job; if there is none, the oldest job is finished and its report kept for wait().
Result<Slot*> GpuSession::Impl::free_slot() {
  Slot* oldest = &slots.front();
  for (Slot& slot : slots) {
    if (!slot.active) return &slot;
    if (slot.active->id < oldest->active->id) oldest = &slot;
  }
  const uint64_t id = oldest->active->id;
  finished.emplace(id, finish(*oldest));
  return oldest;
}

Status GpuSession::Impl::begin(Slot& slot, const Job& job, std::shared_ptr<const plan::Plan> plan) {
  const auto now = Clock::now();
  if (auto status = slot.memory.reserve(*plan); !status) return status;
  const auto copy_begin = Clock::now();
  const std::span<std::byte> block = slot.memory.host_input();
  if (options.poison) std::memset(block.data(), 0xff, block.size());
  put_inputs(*plan, job, block, copy_threads);
  put_tables(*plan, job.window, block);
  const double host_in_ms = ms_since(copy_begin);
  auto run = std::make_unique<Run>(shared, slot.memory, plan);
  run->submit_more();
  if (!run->status()) return run->status();
  slot.active = Active{next_id++, job, std::move(plan), std::move(run), now, host_in_ms};
  return {};
}

void GpuSession::Impl::serve_others(const Slot& slot) {
  for (Slot& other : slots) {
    if (&other == &slot || !other.active) continue;
    other.active->run->collect(false);
    other.active->run->submit_more();
  }
}

Result<JobReport> GpuSession::Impl::finish(Slot& slot) {
  Active& active = *slot.active;
  for (;;) {
    active.run->submit_more();
    serve_others(slot);
    if (active.run->finished()) break;
    active.run->collect(true);
  }
  Status status = active.run->status();
  JobReport report = active.run->report();
  const auto copy_begin = Clock::now();
  if (status) take_outputs(*active.plan, active.job, slot.memory, copy_threads);
  report.transfers.host_in_ms = active.host_in_ms;
  report.transfers.host_out_ms = ms_since(copy_begin);
  report.total_ms = ms_since(active.begin);
  slot.active.reset();
  if (!status) return propagate(status);
  return report;
}

GpuSession::GpuSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GpuSession::~GpuSession() = default;

namespace {

Status check_options(const GpuOptions& options) {
  if (options.slots < 1 || options.slots > kMaxSlots) {
    return fail(ErrorCode::usage,
                "slots must be 1 to " + std::to_string(kMaxSlots) + ", not " + std::to_string(options.slots));
  }
  if (options.max_submit_ms > 0) return {};
  return fail(ErrorCode::usage,
              "max_submit_ms must be above 0, not " + std::to_string(options.max_submit_ms));
}

Result<std::optional<vkc::Buffer>> upload_weights(const vkc::Device& device,
                                                  const plan::ChosenGraph& chosen) {
  const plan::WeightBlock block = plan::pack_weights(chosen);
  if (block.bytes.empty()) return std::nullopt;
  auto buffer = vkc::Buffer::create(device, block.bytes.size(), vkc::MemoryKind::device, "weights");
  if (!buffer) return device_error(buffer.error(), "making memory for the weights");
  const auto status = vkc::upload_bytes(device, *buffer, block.bytes);
  if (!status) return device_error(status.error(), "uploading the weights");
  return std::move(*buffer);
}

}  // namespace

Result<std::unique_ptr<GpuSession>> GpuSession::create(vkc::Device device,
                                                       std::shared_ptr<const plan::ChosenGraph> chosen,
                                                       const GpuOptions& options, Log log) {
  if (auto status = check_options(options); !status) return propagate(status);
  auto kernels = compile_kernels(device, *chosen, log, options.statistics);
  if (!kernels) return propagate(kernels);
  auto weights = upload_weights(device, *chosen);
  if (!weights) return propagate(weights);
  const size_t nodes = chosen->nodes.size();
  std::vector<KernelFacts> facts;
  std::transform(kernels->begin(), kernels->end(), std::back_inserter(facts), facts_of);
  RunShared shared{std::move(device),
                   std::move(chosen),
                   std::move(*kernels),
                   std::move(facts),
                   std::move(*weights),
                   Pace(options.max_submit_ms, nodes),
                   {},
                   {}};
  auto impl = std::make_unique<Impl>(std::move(shared), options, std::move(log));
  if (options.fail_at_submit >= 0) {
    impl->shared.before_submit = [state = impl.get()]() -> Status {
      if (state->submits++ != state->options.fail_at_submit) return {};
      return fail(ErrorCode::device, "the device was lost (a test asked for it)");
    };
  }
  return std::unique_ptr<GpuSession>(new GpuSession(std::move(impl)));
}

const graph::Graph& GpuSession::graph() const { return impl_->shared.chosen->graph; }

std::string GpuSession::device_name() const { return impl_->shared.chosen->device.name; }

std::string GpuSession::precision() const {
  const auto& nodes = impl_->shared.chosen->nodes;
  const bool fp16 = std::any_of(nodes.begin(), nodes.end(),
                                [](const plan::ChosenNode& node) { return node.choice.dtype == DType::f16; });
  return fp16 ? "fp16" : "fp32";
}

int GpuSession::slots() const { return impl_->options.slots; }

MemoryUse GpuSession::memory_use() const {
  MemoryUse use;
  if (impl_->shared.weights) use.device_bytes += impl_->shared.weights->size_bytes();
  for (const Slot& slot : impl_->slots) use.device_bytes += slot.memory.size_bytes();
  return use;
}

Result<std::string> GpuSession::describe(std::span<const Extent> inputs, const Extent& resampled) {
  auto plan = impl_->plan_for({inputs.begin(), inputs.end()}, resampled);
  if (!plan) return propagate(plan);
  return plan::to_text(**plan);
}

Result<Ticket> GpuSession::submit(const Job& job) {
  if (auto status = check_counts(job, graph()); !status) return propagate(status);
  auto plan = impl_->plan_for(input_extents(job), job.window.resampled_extent);
  if (!plan) return propagate(plan);
  if (auto status = check_views(job, **plan); !status) return propagate(status);
  auto slot = impl_->free_slot();
  if (!slot) return propagate(slot);
  const Ticket ticket{impl_->next_id};
  if (auto status = impl_->begin(**slot, job, std::move(*plan)); !status) return propagate(status);
  impl_->serve_others(**slot);
  return ticket;
}

Result<JobReport> GpuSession::wait(Ticket ticket) {
  if (const auto kept = impl_->finished.find(ticket.id); kept != impl_->finished.end()) {
    Result<JobReport> result = std::move(kept->second);
    impl_->finished.erase(kept);
    return result;
  }
  for (Slot& slot : impl_->slots) {
    if (slot.active && slot.active->id == ticket.id) return impl_->finish(slot);
  }
  return fail(ErrorCode::usage,
              "no job has ticket " + std::to_string(ticket.id) + ", or it was waited for already");
}

}  // namespace upres::session
