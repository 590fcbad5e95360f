#include "session/cpu/cpu_session.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "graph/extents.h"
#include "graph/verify.h"
#include "session/cpu/cpu_info.h"
#include "session/cpu/onednn.h"
#include "session/cpu/program.h"
#include "session/cpu/row_buffer.h"

namespace upres::session {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Band height where nothing else is asked for: see bench/README.md for the measurement.
constexpr int kBandRows = 32;
// Rows of all buffers together may take this much; wide pictures get lower bands.
constexpr size_t kBufferBudget_bytes = 192U << 20;
// Buffers are this many bands longer than they must be, so that rows move to the front only now and then.
constexpr int kSlackBands = 1;

bool same(const kernels::JobWindow& a, const kernels::JobWindow& b) {
  return a.input == b.input && a.resampled == b.resampled && a.resampled_extent == b.resampled_extent;
}

std::string text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

}  // namespace

class CpuSession::Impl {
 public:
  Impl(graph::Graph graph, const CpuOptions& options, Log log)
      : graph_(std::move(graph)),
        options_(options),
        log_(std::move(log)),
        threads_(options.threads > 0 ? options.threads : omp_get_num_procs()) {}

  Status make_program() {
    use_threads();
    auto program = cpu::make_program(graph_, options_.precision == CpuPrecision::bf16);
    if (!program) return propagate(program);
    program_ = std::move(*program);
    buffers_.resize(program_.places.size());
    return {};
  }

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const CpuOptions& options() const { return options_; }
  [[nodiscard]] int threads() const { return threads_; }

  Result<std::string> describe(std::span<const Extent> inputs, const Extent& resampled) {
    kernels::JobWindow window;
    window.resampled_extent = resampled;
    if (auto status = make_ready({inputs.begin(), inputs.end()}, window); !status) return propagate(status);
    std::string all;
    for (const cpu::ProgramStep& step : program_.steps) {
      const cpu::Place& out = program_.places[step.outputs[0]];
      all += step.label + ": " + step.step->kernel() + ", " + text(extents_[out.value]) + "\n";
    }
    return all + "bands of " + std::to_string(band_rows_) + " input rows, " + std::to_string(threads_) +
           " threads, " + std::to_string(buffer_bytes() >> 20) + " MiB of rows\n";
  }

  Result<JobReport> run(const Job& job) {
    const Clock::time_point begin = Clock::now();
    use_threads();
    std::vector<Extent> inputs;
    for (const TensorView& input : job.inputs) inputs.push_back(input.extent);
    if (auto status = make_ready(std::move(inputs), job.window); !status) return propagate(status);
    if (auto status = check(job); !status) return propagate(status);
    const Clock::time_point computing = Clock::now();
    if (auto status = compute(job); !status) return propagate(status);
    JobReport report;
    report.compute_ms = ms_since(computing);
    copy_outputs(job);
    report.total_ms = ms_since(begin);
    report.steps = step_times();
    return report;
  }

 private:
  // OpenMP keeps this number for each thread of the caller.
  void use_threads() const { omp_set_num_threads(threads_); }

  // ---- before the first row

  Status make_ready(std::vector<Extent> inputs, const kernels::JobWindow& window) {
    const bool known = schedule_known_ && inputs == inputs_ && same(window, window_);
    if (!known) {
      schedule_known_ = false;
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
    if (!known) {
      if (auto status = make_schedule(); !status) return status;
    }
    make_buffers();
    schedule_known_ = true;
    return {};
  }

  Status make_schedule() {
    std::vector<cpu::ScheduledStep> steps;
    for (const cpu::ProgramStep& step : program_.steps) {
      steps.push_back({.inputs = step.inputs,
                       .outputs = picture_outputs(step),
                       .out_rows = extents_[program_.places[step.outputs[0]].value].height_px,
                       .rows_read = [&step](size_t index, int y) { return step.step->rows_read(index, y); }});
    }
    std::vector<int> heights;
    for (const cpu::Place& place : program_.places) heights.push_back(extents_[place.value].height_px);
    band_rows_ = choose_band_rows();
    schedule_ = cpu::make_schedule(steps, heights, band_rows_);
    for (const auto& band : schedule_.bands) {
      for (size_t s = 0; s < band.size(); ++s) {
        if (band[s].rows.size() == 0) continue;
        if (auto status = program_.steps[s].step->make_ready(band[s].rows); !status) return status;
      }
    }
    return {};
  }

  // Outputs that grow row by row.
  [[nodiscard]] std::vector<size_t> picture_outputs(const cpu::ProgramStep& step) const {
    std::vector<size_t> outputs = step.outputs;
    std::erase_if(outputs, [this](size_t place) { return program_.places[place].flat; });
    return outputs;
  }

  [[nodiscard]] int choose_band_rows() const {
    if (options_.band_rows > 0) return options_.band_rows;
    // Bytes that one more input row costs in all buffers.
    double row_bytes = 0;
    const double in_rows = inputs_.empty() ? 1 : inputs_.front().height_px;
    for (const cpu::Place& place : program_.places) {
      if (place.kind != cpu::Place::Kind::buffer || place.flat) continue;
      const Extent& extent = extents_[place.value];
      const auto bytes = static_cast<double>(cpu::row_bytes(place.form, place.channels, extent.width_px));
      row_bytes += bytes * extent.height_px / in_rows;
    }
    const double affordable =
        static_cast<double>(kBufferBudget_bytes) / ((1 + kSlackBands) * std::max(row_bytes, 1.0));
    return std::clamp(static_cast<int>(std::min(affordable, 1e6)), 1, kBandRows);
  }

  void make_buffers() {
    for (size_t p = 0; p < program_.places.size(); ++p) {
      const cpu::Place& place = program_.places[p];
      if (place.kind != cpu::Place::Kind::buffer) continue;
      const Extent& extent = extents_[place.value];
      const int held = place.flat ? 1 : schedule_.held_rows[p];
      const double scale =
          inputs_.empty() ? 1 : static_cast<double>(extent.height_px) / inputs_.front().height_px;
      const int slack = place.flat ? 0 : static_cast<int>(kSlackBands * band_rows_ * scale);
      buffers_[p].reset(place.form, place.channels, extent, held + slack);
    }
  }

  [[nodiscard]] size_t buffer_bytes() const {
    size_t bytes = 0;
    for (const cpu::RowBuffer& buffer : buffers_) bytes += buffer.size_bytes();
    return bytes;
  }

  // ---- the caller's tensors

  template <typename View>
  Status check_view(const View& view, graph::ValueId id) const {
    const graph::Value& value = graph_.value(id);
    const Extent& extent = extents_[id];
    if (view.type != value.type)
      return fail(ErrorCode::model, "tensor " + value.name + " is of another type");
    if (view.extent != extent) {
      return fail(ErrorCode::model,
                  "tensor " + value.name + " is " + text(view.extent) + " and must be " + text(extent));
    }
    const size_t row = row_bytes(view.type, extent);
    const size_t planes = view.type.layout == Layout::planar ? static_cast<size_t>(view.type.channels) : 1;
    const size_t rows = planes * static_cast<size_t>(extent.height_px);
    const bool small = rows > 1 && view.row_stride_bytes < row;
    if (small || view.bytes.size() < (rows - 1) * view.row_stride_bytes + row) {
      return fail(ErrorCode::model,
                  "tensor " + value.name + ": its memory is smaller than " + text(extent) + " needs");
    }
    return {};
  }

  [[nodiscard]] Status check(const Job& job) const {
    if (job.outputs.size() != graph_.outputs().size()) {
      return fail(ErrorCode::model, "the graph has " + std::to_string(graph_.outputs().size()) +
                                        " outputs, " + std::to_string(job.outputs.size()) + " were given");
    }
    for (size_t i = 0; i < job.inputs.size(); ++i) {
      if (auto status = check_view(job.inputs[i], graph_.inputs()[i]); !status) return status;
    }
    for (size_t i = 0; i < job.outputs.size(); ++i) {
      if (auto status = check_view(job.outputs[i], graph_.outputs()[i]); !status) return status;
    }
    return {};
  }

  template <typename View, typename Byte>
  static cpu::BasicRows<Byte> rows_of(const View& view, Byte* data) {
    return {.data = data,
            .first_row = 0,
            .row_stride_bytes = view.row_stride_bytes,
            .plane_stride_bytes = view.row_stride_bytes * static_cast<size_t>(view.extent.height_px),
            .channels = view.type.channels,
            .width_px = view.extent.width_px,
            .height_px = view.extent.height_px};
  }

  [[nodiscard]] cpu::Rows readable(size_t p, const Job& job) const {
    const cpu::Place& place = program_.places[p];
    if (place.kind != cpu::Place::Kind::job_input) return cpu::read_only(buffers_[p].rows());
    const TensorView& view = job.inputs[place.index];
    return rows_of(view, view.bytes.data());
  }
  [[nodiscard]] cpu::MutableRows writable(size_t p, const Job& job) const {
    const cpu::Place& place = program_.places[p];
    if (place.kind != cpu::Place::Kind::job_output) return buffers_[p].rows();
    const MutableTensorView& view = job.outputs[place.index];
    return rows_of(view, view.bytes.data());
  }

  // ---- the rows

  Status compute(const Job& job) {
    step_ms_.assign(program_.steps.size(), 0);
    for (const auto& band : schedule_.bands) {
      for (size_t s = 0; s < band.size(); ++s) {
        if (band[s].rows.size() == 0) continue;
        const Clock::time_point begin = Clock::now();
        if (auto status = run_step(s, band[s], job); !status) return status;
        step_ms_[s] += ms_since(begin);
      }
    }
    for (const cpu::ProgramStep& step : program_.steps) {
      std::vector<cpu::MutableRows> outputs;
      for (const size_t place : step.outputs) outputs.push_back(writable(place, job));
      step.step->finish(outputs);
    }
    return {};
  }

  Status run_step(size_t s, const cpu::BandStep& share, const Job& job) {
    const cpu::ProgramStep& step = program_.steps[s];
    const std::vector<size_t> pictures = picture_outputs(step);
    for (size_t i = 0; i < pictures.size(); ++i) {
      if (program_.places[pictures[i]].kind != cpu::Place::Kind::buffer) continue;
      buffers_[pictures[i]].make_room(share.keep_from[i], share.rows.begin, share.rows.end);
    }
    std::vector<cpu::Rows> inputs;
    for (const size_t place : step.inputs) inputs.push_back(readable(place, job));
    std::vector<cpu::MutableRows> outputs;
    for (const size_t place : step.outputs) outputs.push_back(writable(place, job));
    return step.step->run(share.rows, inputs, outputs);
  }

  void copy_outputs(const Job& job) const {
    for (const cpu::OutputCopy& copy : program_.copies) {
      const MutableTensorView& to = job.outputs[copy.output];
      const TensorView from = copy.from_input ? job.inputs[copy.from] : read_only(job.outputs[copy.from]);
      const size_t planes = to.type.layout == Layout::planar ? static_cast<size_t>(to.type.channels) : 1;
      const size_t row = row_bytes(to.type, to.extent);
      for (size_t y = 0; y < planes * static_cast<size_t>(to.extent.height_px); ++y) {
        std::memcpy(to.bytes.data() + y * to.row_stride_bytes, from.bytes.data() + y * from.row_stride_bytes,
                    row);
      }
    }
  }
  static TensorView read_only(const MutableTensorView& view) {
    return {view.type, view.extent, view.row_stride_bytes, view.bytes};
  }

  [[nodiscard]] std::vector<StepTime> step_times() const {
    std::vector<StepTime> times;
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const cpu::ProgramStep& step = program_.steps[s];
      StepTime time = {
          .node = step.label, .kernel = step.step->kernel(), .constants = {}, .device_ms = step_ms_[s]};
      const Extent& out = extents_[program_.places[step.outputs[0]].value];
      if (step.node != nullptr) time.flops = graph::flops(*step.node, out);
      for (const size_t place : step.inputs) time.bytes += place_bytes(place);
      for (const size_t place : step.outputs) time.bytes += place_bytes(place);
      times.push_back(std::move(time));
    }
    return times;
  }
  [[nodiscard]] uint64_t place_bytes(size_t p) const {
    const cpu::Place& place = program_.places[p];
    const Extent& extent = extents_[place.value];
    return cpu::row_bytes(place.form, place.channels, extent.width_px) *
           static_cast<uint64_t>(extent.height_px);
  }

  const graph::Graph graph_;
  const CpuOptions options_;
  const Log log_;
  const int threads_;
  cpu::Program program_;
  std::vector<cpu::RowBuffer> buffers_;  // [place]
  // Of the last job: kept as long as the next has the same sizes.
  bool schedule_known_ = false;
  std::vector<Extent> inputs_;
  kernels::JobWindow window_;
  std::vector<Extent> extents_;  // [value]
  cpu::Schedule schedule_;
  int band_rows_ = 1;
  std::vector<double> step_ms_;  // [step]

 public:
  uint64_t next_ticket = 1;
  std::map<uint64_t, JobReport> reports;  // of jobs nobody waited for yet
};

namespace {

// Runs f, turning what the standard library throws into an error.
template <typename F>
auto without_exceptions(F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::device, "cpu: out of memory; a smaller picture or --tile needs less");
  } catch (const std::exception& error) {
    return fail(ErrorCode::device, std::string("cpu: ") + error.what());
  }
}

}  // namespace

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
                                         info.isa + "); use --precision fp32");
    }
    auto impl = std::make_unique<Impl>(std::move(graph), options, log);
    if (auto status = impl->make_program(); !status) return propagate(status);
    log.info("cpu: " + info.name + ", " + std::to_string(impl->threads()) + " threads, " + info.library +
             " " + info.isa);
    return std::unique_ptr<CpuSession>(new CpuSession(std::move(impl)));
  });
}

const graph::Graph& CpuSession::graph() const { return impl_->graph(); }

std::string CpuSession::device_name() const { return cpu_info().name; }

std::string CpuSession::precision() const {
  return impl_->options().precision == CpuPrecision::bf16 ? "bf16" : "fp32";
}

Result<std::string> CpuSession::describe(std::span<const Extent> inputs, const Extent& resampled) {
  return without_exceptions([&] { return impl_->describe(inputs, resampled); });
}

Result<Ticket> CpuSession::submit(const Job& job) {
  return without_exceptions([&]() -> Result<Ticket> {
    auto report = impl_->run(job);
    if (!report) return propagate(report);
    const Ticket ticket{impl_->next_ticket++};
    impl_->reports.emplace(ticket.id, std::move(*report));
    return ticket;
  });
}

Result<JobReport> CpuSession::wait(Ticket ticket) {
  return without_exceptions([&]() -> Result<JobReport> {
    auto found = impl_->reports.extract(ticket.id);
    if (found.empty())
      return fail(ErrorCode::device, "cpu: no job " + std::to_string(ticket.id) + " to wait for");
    return std::move(found.mapped());
  });
}

}  // namespace upres::session
