#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "graph/verify.h"
#include "plan/plan.h"

namespace upres::plan {
namespace {

// Combinations of tunables looked at when neither the database's nor the default one is legal.
constexpr size_t kMaxCombinations = 4096;

struct Chooser {
  const graph::Graph& graph;
  const kernels::DeviceInfo& device;
  const devicedb::Database& database;
};

// The index-th combination of the kernel's tunables, counting through the values of the first tunable
// fastest; empty beyond the last.
std::vector<kernels::Tuning> combination(const kernels::Kernel& kernel, size_t index) {
  std::vector<kernels::Tuning> tuning;
  for (const kernels::Tunable& tunable : kernel.tunables()) {
    tuning.push_back({std::string(tunable.name), tunable.values[index % tunable.values.size()]});
    index /= tunable.values.size();
  }
  return index == 0 ? tuning : std::vector<kernels::Tuning>{};
}

// Tunables for a node: the database's, else the first legal combination in the kernel's order. The error is
// that of the kernel's own default.
Result<std::vector<kernels::Tuning>> legal_tuning(const Chooser& chooser, const kernels::Kernel& kernel,
                                                  const graph::Node& node) {
  const auto known = kernels::complete_tuning(kernel, chooser.database.tuning(chooser.device, kernel.id()));
  if (kernel.legal(chooser.graph, node, chooser.device, known)) return known;
  const auto standard = kernels::complete_tuning(kernel, {});
  auto status = kernel.legal(chooser.graph, node, chooser.device, standard);
  if (status) return standard;
  for (size_t i = 1; i < kMaxCombinations; ++i) {
    auto tuning = combination(kernel, i);
    if (tuning.empty()) break;
    if (kernel.legal(chooser.graph, node, chooser.device, tuning)) return tuning;
  }
  return propagate(status);
}

ChosenNode chosen_node(const Chooser& chooser, const kernels::Kernel& kernel, const graph::Node& node,
                       std::span<const kernels::Tuning> tuning) {
  return {&kernel, kernel.choose(chooser.graph, node, tuning),
          kernel.pack_constant_data(chooser.graph, node)};
}

std::string node_text(const graph::Node& node) {
  return fmt::format("node '{}' ({})", node.name, graph::operator_name(node.op));
}

Result<ChosenNode> choose_best(const Chooser& chooser, const graph::Node& node) {
  std::vector<std::string> reasons;
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    if (!kernel->computes(chooser.graph, node)) continue;
    auto tuning = legal_tuning(chooser, *kernel, node);
    if (tuning) return chosen_node(chooser, *kernel, node, *tuning);
    reasons.push_back(fmt::format("{}: {}", kernel->id(), tuning.error().message));
  }
  if (reasons.empty()) reasons.emplace_back("no kernel computes this operator");
  return fail(ErrorCode::device,
              fmt::format("no kernel can run {} on {}", node_text(node), chooser.device.name),
              std::move(reasons));
}

Result<const kernels::Kernel*> find_forced(const std::string& id) {
  const kernels::Kernel* kernel = kernels::find_kernel(id);
  if (kernel != nullptr && kernel->family() == "conv") return kernel;
  std::vector<std::string_view> names;
  for (const kernels::Kernel* each : kernels::all_kernels()) {
    if (each->family() == "conv") names.push_back(each->id());
  }
  return fail(ErrorCode::usage,
              fmt::format("there is no convolution kernel '{}'; there are: {}", id, fmt::join(names, ", ")));
}

// Keeps count of where a forced kernel was legal, and why not elsewhere.
class Forced {
 public:
  explicit Forced(const kernels::Kernel* kernel) : kernel_(kernel) {}

  // The node on the forced kernel, or empty where it does not fit.
  ChosenNode try_node(const Chooser& chooser, const graph::Node& node) {
    if (kernel_ == nullptr || !std::holds_alternative<graph::Conv>(node.op)) return {};
    if (!kernel_->computes(chooser.graph, node)) return refuse(node, "it does not compute this convolution");
    auto tuning = legal_tuning(chooser, *kernel_, node);
    if (!tuning) return refuse(node, tuning.error().message);
    ++taken_;
    return chosen_node(chooser, *kernel_, node, *tuning);
  }

  [[nodiscard]] Status check() {
    if (taken_ > 0 || reasons_.empty()) return {};
    return fail(ErrorCode::device,
                fmt::format("kernel {} is legal for no convolution of this network", kernel_->id()),
                std::move(reasons_));
  }

 private:
  ChosenNode refuse(const graph::Node& node, std::string_view why) {
    reasons_.push_back(fmt::format("{}: {}", node_text(node), why));
    return {};
  }

  const kernels::Kernel* kernel_;
  size_t taken_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace

Result<std::shared_ptr<const ChosenGraph>> choose_kernels(const graph::Graph& graph,
                                                          const kernels::DeviceInfo& device,
                                                          const devicedb::Database& database,
                                                          const ChooseOptions& options) {
  if (auto status = graph::verify_runnable(graph); !status) return propagate(status);
  const kernels::Kernel* forced_kernel = nullptr;
  if (!options.forced_conv.empty()) {
    auto found = find_forced(options.forced_conv);
    if (!found) return propagate(found);
    forced_kernel = *found;
  }
  auto chosen = std::make_shared<ChosenGraph>(ChosenGraph{graph, device, {}});
  const Chooser chooser{chosen->graph, device, database};
  Forced forced(forced_kernel);
  for (const graph::Node& node : chosen->graph.nodes()) {
    ChosenNode chosen_here = forced.try_node(chooser, node);
    if (chosen_here.kernel == nullptr) {
      auto best = choose_best(chooser, node);
      if (!best) return propagate(best);
      chosen_here = std::move(*best);
    }
    chosen->nodes.push_back(std::move(chosen_here));
  }
  if (auto status = forced.check(); !status) return propagate(status);
  return chosen;
}

}  // namespace upres::plan
