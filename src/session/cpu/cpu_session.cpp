#include "session/cpu/cpu_session.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "graph/extents.h"
#include "graph/verify.h"
#include "session/cpu/caller_tensors.h"
#include "session/cpu/cpu_info.h"
#include "session/cpu/program.h"
#include "session/cpu/row_buffer.h"
#include "session/cpu/strip_plan.h"
#include "session/cpu/worker.h"

namespace upres::session {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Workers are the threads; what oneDNN computes within one is that thread's alone. The caller's number comes
// back at the end.
class OneThreadEach {
 public:
  OneThreadEach() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThreadEach() { omp_set_num_threads(before_); }
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

 private:
  int before_;
};

bool same(const kernels::JobWindow& a, const kernels::JobWindow& b) {
  return a.input == b.input && a.resampled == b.resampled && a.resampled_extent == b.resampled_extent;
}

std::string text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

// Runs f, turning what the standard library throws into an error.
template <typename F>
auto without_exceptions(F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::device, "cpu: out of memory; a smaller picture or tile size needs less");
  } catch (const std::exception& error) {
    return fail(ErrorCode::device, std::string("cpu: ") + error.what());
  }
}

}  // namespace

class CpuSession::Impl {
 public:
  Impl(graph::Graph graph, const CpuOptions& options)
      : graph_(std::move(graph)),
        options_(options),
        threads_(options.threads > 0 ? options.threads : omp_get_num_procs()) {}

  Status make_program() {
    const OneThreadEach one_thread_each;
    auto program = cpu::make_program(graph_, options_.precision == CpuPrecision::bf16);
    if (!program) return propagate(program);
    program_ = std::move(*program);
    const graph::Halo halo = graph::receptive_field(graph_);
    overlap_px_ = halo.top_px + halo.bottom_px;
    return {};
  }

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const CpuOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return threads_; }

  Result<std::string> describe(std::span<const Extent> inputs, const Extent& resampled) {
    const OneThreadEach one_thread_each;
    kernels::JobWindow window;
    window.resampled_extent = resampled;
    if (auto status = make_ready({inputs.begin(), inputs.end()}, window); !status) return propagate(status);
    std::string all;
    for (const cpu::ProgramStep& step : program_.steps) {
      const cpu::Place& out = program_.places[step.outputs[0]];
      all += step.label + ": " + step.step->kernel() + ", " + text(extents_[out.value]) + "\n";
    }
    return all + std::to_string(threads_) + " threads, " + std::to_string(plan_.strips.size()) +
           " strips, bands of " + std::to_string(plan_.band_rows) + " input rows, " +
           std::to_string(row_buffers_bytes() >> 20) + " MiB of rows\n";
  }

  [[nodiscard]] uint64_t row_buffers_bytes() const {
    uint64_t bytes = 0;
    for (const cpu::Worker& worker : workers_) bytes += worker.buffer_bytes();
    return bytes;
  }

  Result<Ticket> submit(const Job& job) {
    auto report = run(job);
    if (!report) return propagate(report);
    const Ticket ticket{next_ticket_++};
    reports_.emplace(ticket.id, std::move(*report));
    return ticket;
  }

  Result<JobReport> wait(Ticket ticket) {
    auto found = reports_.extract(ticket.id);
    if (found.empty())
      return fail(ErrorCode::device, "cpu: no job " + std::to_string(ticket.id) + " to wait for");
    return std::move(found.mapped());
  }

 private:
  Result<JobReport> run(const Job& job) {
    const Clock::time_point begin = Clock::now();
    const OneThreadEach one_thread_each;
    std::vector<Extent> inputs;
    for (const TensorView& input : job.inputs) inputs.push_back(input.extent);
    if (auto status = make_ready(std::move(inputs), job.window); !status) return propagate(status);
    if (auto status = cpu::check_job(graph_, extents_, job); !status) return propagate(status);
    const Clock::time_point computing = Clock::now();
    if (auto status = compute(job); !status) return propagate(status);
    JobReport report;
    report.compute_ms = ms_since(computing);
    cpu::copy_outputs(program_, job);
    report.total_ms = ms_since(begin);
    report.steps = step_times();
    return report;
  }

  // ---- before the first row

  Status make_ready(std::vector<Extent> inputs, const kernels::JobWindow& window) {
    const bool known = plan_known_ && inputs == inputs_ && same(window, window_);
    if (!known) {
      plan_known_ = false;
      auto extents = graph::infer_extents(graph_, inputs, window.resampled_extent);
      if (!extents) return propagate(extents);
      extents_ = std::move(*extents);
      inputs_ = std::move(inputs);
      window_ = window;
    }
    const cpu::JobShape shape{graph_, extents_, window_, threads_};
    for (cpu::ProgramStep& step : program_.steps) {
      if (auto status = step.step->prepare(shape); !status) return status;
    }
    if (!known) plan_ = cpu::make_strip_plan(program_, extents_, {threads_, options_.band_rows, overlap_px_});
    while (workers_.size() < std::min(static_cast<size_t>(threads_), plan_.strips.size())) {
      workers_.emplace_back(program_, static_cast<int>(workers_.size()));
    }
    for (cpu::Worker& worker : workers_) worker.prepare(plan_, extents_);
    for (const cpu::Schedule& strip : plan_.strips) {
      if (auto status = make_ready(strip); !status) return status;
    }
    plan_known_ = true;
    return {};
  }

  Status make_ready(const cpu::Schedule& strip) {
    for (const auto& band : strip.bands) {
      for (size_t s = 0; s < band.size(); ++s) {
        if (band[s].rows.size() <= 0) continue;
        if (auto status = program_.steps[s].step->make_ready(band[s].rows); !status) return status;
      }
    }
    return {};
  }

  // ---- the rows

  Status compute(const Job& job) {
    std::atomic<size_t> next_strip = 0;
    std::vector<Status> results(workers_.size());
    const int count = static_cast<int>(workers_.size());
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int w = 0; w < count; ++w) {
      const auto worker = static_cast<size_t>(w);
      results[worker] = run_strips(workers_[worker], next_strip, job);
    }
    for (Status& result : results) {
      if (!result) return std::move(result);
    }
    for (const cpu::ProgramStep& step : program_.steps) finish(step, job);
    return {};
  }

  // One strip after the other, as long as there are any.
  Status run_strips(cpu::Worker& worker, std::atomic<size_t>& next_strip, const Job& job) const {
    return without_exceptions([&]() -> Status {
      for (size_t strip = next_strip++; strip < plan_.strips.size(); strip = next_strip++) {
        if (auto status = worker.run(plan_.strips[strip], job); !status) return status;
      }
      return {};
    });
  }

  void finish(const cpu::ProgramStep& step, const Job& job) const {
    std::vector<cpu::MutableRows> outputs;
    for (const size_t p : step.outputs) {
      const cpu::Place& place = program_.places[p];
      const bool callers = place.kind == cpu::Place::Kind::job_output;
      outputs.push_back(callers ? cpu::rows_of(job.outputs[place.index]) : cpu::MutableRows{});
    }
    step.step->finish(outputs);
  }

  [[nodiscard]] std::vector<StepTime> step_times() const {
    std::vector<StepTime> times;
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const cpu::ProgramStep& step = program_.steps[s];
      StepTime time = {
          .node = step.label, .kernel = step.step->kernel(), .constants = {}, .device_ms = step_ms(s)};
      const Extent& out = extents_[program_.places[step.outputs[0]].value];
      if (step.node != nullptr) time.flops = graph::flops(*step.node, out);
      for (const size_t place : step.inputs) time.bytes += place_bytes(place);
      for (const size_t place : step.outputs) time.bytes += place_bytes(place);
      times.push_back(std::move(time));
    }
    return times;
  }
  // Mean over the workers: what the step adds to the job's time when they are equally fast.
  [[nodiscard]] double step_ms(size_t s) const {
    double sum = 0;
    for (const cpu::Worker& worker : workers_) sum += worker.step_ms()[s];
    return sum / static_cast<double>(std::max<size_t>(1, workers_.size()));
  }
  [[nodiscard]] uint64_t place_bytes(size_t p) const {
    const cpu::Place& place = program_.places[p];
    const Extent& extent = extents_[place.value];
    return cpu::row_bytes(place.form, place.channels, extent.width_px) *
           static_cast<uint64_t>(extent.height_px);
  }

  const graph::Graph graph_;
  const CpuOptions options_;
  const int threads_;
  int overlap_px_ = 0;
  cpu::Program program_;
  std::deque<cpu::Worker> workers_;
  // Of the last job: kept as long as the next has the same sizes.
  bool plan_known_ = false;
  std::vector<Extent> inputs_;
  kernels::JobWindow window_;
  std::vector<Extent> extents_;  // [value]
  cpu::StripPlan plan_;
  uint64_t next_ticket_ = 1;
  std::map<uint64_t, JobReport> reports_;  // of jobs nobody waited for yet
};

CpuSession::CpuSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CpuSession::~CpuSession() = default;

Result<std::unique_ptr<CpuSession>> CpuSession::create(graph::Graph graph, const CpuOptions& options,
                                                       Log log) {
  return without_exceptions([&]() -> Result<std::unique_ptr<CpuSession>> {
    if (auto status = graph::verify_runnable(graph); !status) return propagate(status);
    const CpuInfo info = cpu_info();
    if (options.precision == CpuPrecision::bf16 && !info.bf16) {
      return fail(ErrorCode::device, "precision bf16: " + info.name +
                                         " has neither AVX512-BF16 nor AMX (instruction set in use: " +
                                         info.isa + "); use fp32");
    }
    auto impl = std::make_unique<Impl>(std::move(graph), options);
    if (auto status = impl->make_program(); !status) return propagate(status);
    log.debug("cpu: " + info.name + ", " + std::to_string(impl->threads()) + " threads, " + info.library +
              " " + info.isa);
    return std::unique_ptr<CpuSession>(new CpuSession(std::move(impl)));
  });
}

const graph::Graph& CpuSession::graph() const { return impl_->graph(); }

std::string CpuSession::device_name() const { return cpu_info().name; }

std::string CpuSession::precision() const {
  return impl_->options().precision == CpuPrecision::bf16 ? "bf16" : "fp32";
}

MemoryUse CpuSession::memory_use() const {
  return {0, impl_->row_buffers_bytes() + graph::parameter_count(impl_->graph()) * sizeof(float)};
}

Result<std::string> CpuSession::describe(std::span<const Extent> inputs, const Extent& resampled) {
  return without_exceptions([&] { return impl_->describe(inputs, resampled); });
}

Result<Ticket> CpuSession::submit(const Job& job) {
  return without_exceptions([&] { return impl_->submit(job); });
}

Result<JobReport> CpuSession::wait(Ticket ticket) {
  return without_exceptions([&] { return impl_->wait(ticket); });
}

}  // namespace upres::session
