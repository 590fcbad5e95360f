// A session that computes with the plain references, for tests of what lies above sessions.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "kernels/reference.h"
#include "session/session.h"
#include "upscale/windows.h"

namespace upres::upscale {

// Computes in wait(), so that views that were dropped too early would show. `change` may alter what comes
// out.
class ReferenceSession final : public session::Session {
 public:
  using Change = std::function<void(std::vector<Tensor>& outputs)>;

  explicit ReferenceSession(graph::Graph graph, int slots = 2, Change change = {})
      : graph_(std::move(graph)), slots_(slots), change_(std::move(change)) {}

  [[nodiscard]] const graph::Graph& graph() const override { return graph_; }
  [[nodiscard]] std::string device_name() const override { return "reference"; }
  [[nodiscard]] std::string precision() const override { return "fp32"; }
  [[nodiscard]] int slots() const override { return slots_; }
  [[nodiscard]] session::MemoryUse memory_use() const override { return {}; }
  Result<std::string> describe(std::span<const Extent>, const Extent&) override {
    return std::string("reference");
  }

  Result<session::Ticket> submit(const session::Job& job) override {
    ++submitted;
    if (submitted == fail_at) return fail(ErrorCode::device, "the device is lost");
    jobs_[submitted] = job;
    largest_in_flight = std::max(largest_in_flight, jobs_.size());
    return session::Ticket{submitted};
  }

  Result<session::JobReport> wait(session::Ticket ticket) override {
    const session::Job job = jobs_.at(ticket.id);
    jobs_.erase(ticket.id);
    std::vector<Tensor> inputs;
    for (const TensorView& view : job.inputs) {
      inputs.emplace_back(view.type, view.extent);
      copy_window(view, {}, inputs.back().view(), {}, view.extent);
    }
    auto outputs = kernels::run_reference(graph_, inputs, job.window);
    if (!outputs) return propagate(outputs);
    if (change_) change_(*outputs);
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Tensor& output = (*outputs)[i];
      if (output.extent != job.outputs[i].extent) return fail(ErrorCode::model, "wrong extent");
      copy_window(output.view(), {}, job.outputs[i], {}, output.extent);
    }
    session::JobReport report;
    report.compute_ms = 1;
    report.total_ms = 2;
    report.steps = {{"node", "reference", "", 1, 10, 100}};
    return report;
  }

  [[nodiscard]] size_t in_flight() const { return jobs_.size(); }

  uint64_t submitted = 0;
  uint64_t fail_at = 0;
  size_t largest_in_flight = 0;

 private:
  graph::Graph graph_;
  int slots_;
  Change change_;
  std::map<uint64_t, session::Job> jobs_;
};

}  // namespace upres::upscale
