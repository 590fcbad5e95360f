#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/display_name.h"
#include "graph/passes/passes.h"
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
  DType dtype = DType::f32;
  bool by_cost = true;  // else in the table's order
};

// A kernel for a node, before it is known how its input and output are stored.
struct Pick {
  const kernels::Kernel* kernel = nullptr;
  std::vector<kernels::Tuning> tuning;
  DType dtype = DType::f32;
};

// What the kernel stores if `wanted` is asked for: that, if it can, or f32; empty: it can do neither.
std::optional<DType> dtype_of(const kernels::Kernel& kernel, DType wanted) {
  for (const DType dtype : {wanted, DType::f32}) {
    if (kernels::has_dtype(kernel, dtype)) return dtype;
  }
  return std::nullopt;
}

void keep_buffers(Pick& pick) {
  for (kernels::Tuning& tuned : pick.tuning) {
    if (tuned.name == kernels::kStorageTunable) tuned.value = kernels::kInBuffers;
  }
}

// The kernel with tunables for a node: the database's, with buffers where the device lacks its images, else
// the first legal combination in the kernel's order. The error is that of the kernel's own default.
Result<Pick> legal_pick(const Chooser& chooser, const kernels::Kernel& kernel, const graph::Node& node) {
  const auto can = dtype_of(kernel, chooser.dtype);
  if (!can)
    return fail(ErrorCode::device, fmt::format("kernel {} has no {}", kernel.id(), name(chooser.dtype)));
  const DType dtype = *can;
  const auto check = [&](std::span<const kernels::Tuning> tuning) {
    return kernel.legal(chooser.graph, node, chooser.device, {.tuning = tuning, .dtype = dtype});
  };
  Pick known{&kernel,
             kernels::complete_tuning(kernel, chooser.database.tuning(chooser.device, kernel.id(),
                                                                      kernels::shape_text(node, dtype))),
             dtype};
  if (check(known.tuning)) return known;
  keep_buffers(known);
  if (check(known.tuning)) return known;
  auto standard = kernels::complete_tuning(kernel, {});
  auto status = check(standard);
  if (status) return Pick{&kernel, std::move(standard), dtype};
  const size_t count = std::min(kernels::combination_count(kernel), kMaxCombinations);
  for (size_t i = 1; i < count; ++i) {
    auto tuning = kernels::combination(kernel, i);
    if (check(tuning)) return Pick{&kernel, std::move(tuning), dtype};
  }
  return propagate(status);
}

std::string node_text(const graph::Node& node) {
  return fmt::format("node '{}' ({})", node.name, graph::operator_name(node.op));
}

// The nearest place that knows the costs of several kernels for a node, or none.
std::optional<int> common_place(const std::vector<std::vector<devicedb::Cost>>& costs) {
  std::vector<int> places;
  for (const auto& known : costs) {
    for (const devicedb::Cost& cost : known) places.push_back(cost.place);
  }
  std::ranges::sort(places, std::ranges::greater());
  const auto twice = std::ranges::adjacent_find(places);
  return twice == places.end() ? std::nullopt : std::optional(*twice);
}

std::optional<double> cost_at(std::span<const devicedb::Cost> costs, int place) {
  const auto found = std::ranges::find(costs, place, &devicedb::Cost::place);
  return found == costs.end() ? std::nullopt : std::optional(found->ns_per_px);
}

std::vector<devicedb::Cost> costs_of(const Chooser& chooser, const graph::Node& node, const Pick& pick) {
  return chooser.database.costs(chooser.device, pick.kernel->id(), kernels::shape_text(node, pick.dtype));
}

// Those whose costs are known in one place change places so that the cheapest comes first; the others stay.
void cheapest_first(const Chooser& chooser, const graph::Node& node, std::vector<Pick>& candidates) {
  std::vector<std::vector<devicedb::Cost>> costs;
  for (const Pick& pick : candidates) {
    const bool is_wanted = pick.dtype == chooser.dtype;
    costs.push_back(is_wanted ? costs_of(chooser, node, pick) : std::vector<devicedb::Cost>());
  }
  const auto place = common_place(costs);
  if (!place) return;
  std::vector<size_t> positions;
  std::vector<std::pair<double, Pick>> known;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto cost = cost_at(costs[i], *place);
    if (!cost) continue;
    positions.push_back(i);
    known.emplace_back(*cost, candidates[i]);
  }
  std::ranges::stable_sort(known, {}, &std::pair<double, Pick>::first);
  for (size_t i = 0; i < positions.size(); ++i) candidates[positions[i]] = std::move(known[i].second);
}

// What could compute a node, best first: in the table's order, those that can have the wanted type before the
// others, the cheapest first where costs are known.
Result<std::vector<Pick>> candidates_for(const Chooser& chooser, const graph::Node& node) {
  std::vector<std::string> reasons;
  std::vector<Pick> candidates;
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    if (!kernel->computes(chooser.graph, node)) continue;
    auto pick = legal_pick(chooser, *kernel, node);
    if (pick) {
      candidates.push_back(std::move(*pick));
    } else {
      reasons.push_back(pick.error().message);
    }
  }
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const Pick& pick) { return pick.dtype == chooser.dtype; });
  if (chooser.by_cost) cheapest_first(chooser, node, candidates);
  if (!candidates.empty()) return candidates;
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
  return fail(ErrorCode::usage, fmt::format("there is no convolution kernel '{}'; there are: {}",
                                            display_name(id), fmt::join(names, ", ")));
}

// Keeps count of where a forced kernel was legal, and why not elsewhere.
class Forced {
 public:
  explicit Forced(const kernels::Kernel* kernel) : kernel_(kernel) {}

  // The node on the forced kernel, or empty where it does not fit.
  Pick try_node(const Chooser& chooser, const graph::Node& node) {
    if (kernel_ == nullptr || graph::convolutions(node.op).empty()) return {};
    if (!kernel_->computes(chooser.graph, node)) return refuse(node, "it does not compute this convolution");
    auto pick = legal_pick(chooser, *kernel_, node);
    if (!pick) return refuse(node, pick.error().message);
    ++taken_;
    return std::move(*pick);
  }

  [[nodiscard]] Status check() {
    if (taken_ > 0 || reasons_.empty()) return {};
    return fail(ErrorCode::device,
                fmt::format("kernel {} is legal for no convolution of this network", kernel_->id()),
                std::move(reasons_));
  }

 private:
  Pick refuse(const graph::Node& node, std::string_view why) {
    reasons_.push_back(fmt::format("{}: {}", node_text(node), why));
    return {};
  }

  const kernels::Kernel* kernel_;
  size_t taken_ = 0;
  std::vector<std::string> reasons_;
};

Status check_dtype(const Chooser& chooser, std::span<const Pick> picks) {
  const bool is_had =
      std::any_of(picks.begin(), picks.end(), [&](const Pick& pick) { return pick.dtype == chooser.dtype; });
  if (is_had || picks.empty()) return {};
  return fail(ErrorCode::device, fmt::format("no kernel computes this network in {} on {}",
                                             name(chooser.dtype), chooser.device.name));
}

std::vector<kernels::Storage> reads_of(const graph::Graph& graph, const Pick& pick, const graph::Node& node) {
  return kernels::usable_storages(pick.kernel->reads(graph, node, pick.dtype), pick.tuning);
}
std::vector<kernels::Storage> writes_of(const graph::Graph& graph, const Pick& pick,
                                        const graph::Node& node) {
  return kernels::usable_storages(pick.kernel->writes(graph, node, pick.dtype), pick.tuning);
}

// Whether what lies between them could be packed, as long as neither keeps images.
bool can_share_packed(const graph::Graph& graph, const Pick& from, const graph::Node& producer,
                      const Pick& to, const graph::Node& consumer) {
  const auto reads = to.kernel->reads(graph, consumer, to.dtype);
  return std::ranges::any_of(from.kernel->writes(graph, producer, from.dtype), [&](const auto& storage) {
    return storage.arrangement == kernels::Arrangement::packed && std::ranges::count(reads, storage) > 0;
  });
}

// A kernel has images or packed buffers on both sides. Where one that is to keep images has a neighbour that
// keeps packed buffers, it keeps buffers, too: between the two the value would have to be plain.
void agree_on_images(const graph::Graph& graph, std::vector<Pick>& picks) {
  const auto differ = [&](size_t from, size_t to) {
    const graph::Node& producer = graph.nodes()[from];
    const graph::Node& consumer = graph.nodes()[to];
    return !consumer.inputs.empty() && consumer.inputs.front() == producer.outputs.front() &&
           kernels::keeps_images(picks[from].tuning) != kernels::keeps_images(picks[to].tuning) &&
           can_share_packed(graph, picks[from], producer, picks[to], consumer);
  };
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    for (size_t from = 0; from < picks.size(); ++from) {
      for (size_t to = from + 1; to < picks.size(); ++to) {
        if (!differ(from, to)) continue;
        keep_buffers(picks[from]);
        keep_buffers(picks[to]);
        is_settled = false;
      }
    }
  }
}

// How each value is stored: as its producer likes best among what all its consumers can read.
class StorageChooser {
 public:
  StorageChooser(const Chooser& chooser, std::span<const Pick> picks) : chooser_(chooser), picks_(picks) {}

  [[nodiscard]] std::vector<kernels::Storage> run() const {
    const graph::Graph& graph = chooser_.graph;
    std::vector<kernels::Storage> storages(graph.values().size());
    for (size_t producer = 0; producer < picks_.size(); ++producer) {
      const graph::Node& node = graph.nodes()[producer];
      const graph::ValueId value = node.outputs.front();
      const auto& outputs = graph.outputs();
      if (std::find(outputs.begin(), outputs.end(), value) != outputs.end()) continue;
      const Pick& pick = picks_[producer];
      for (const kernels::Storage& storage : writes_of(graph, pick, node)) {
        if (!all_read(value, storage)) continue;
        storages[value] = storage;
        break;
      }
    }
    return storages;
  }

 private:
  [[nodiscard]] bool all_read(graph::ValueId value, const kernels::Storage& storage) const {
    for (size_t i = 0; i < picks_.size(); ++i) {
      const graph::Node& node = chooser_.graph.nodes()[i];
      const auto uses = std::count(node.inputs.begin(), node.inputs.end(), value);
      if (uses == 0) continue;
      if (uses > 1 || node.inputs.front() != value) return false;
      const auto can = reads_of(chooser_.graph, picks_[i], node);
      if (std::find(can.begin(), can.end(), storage) == can.end()) return false;
    }
    return true;
  }

  const Chooser& chooser_;
  std::span<const Pick> picks_;
};

// Which storages a kernel is given, and whether it can do with them.
bool is_content(const Chooser& chooser, const Pick& pick, const graph::Node& node,
                std::span<const kernels::Storage> storages) {
  const auto has = [](const std::vector<kernels::Storage>& can, const kernels::Storage& storage) {
    return std::find(can.begin(), can.end(), storage) != can.end();
  };
  return has(writes_of(chooser.graph, pick, node), storages[node.outputs.front()]) &&
         (node.inputs.empty() || has(reads_of(chooser.graph, pick, node), storages[node.inputs.front()]));
}

struct Picked {
  std::vector<Pick> nodes;
  bool is_first_choice = true;  // nothing gave way to its neighbours
  std::vector<kernels::Storage> storages;
};

// The best candidates that understand each other: where a kernel cannot do with what its neighbours store,
// the next candidate of that node takes its place.
Result<Picked> pick_in_order(const Chooser& chooser, const kernels::Kernel* forced_kernel) {
  Forced forced(forced_kernel);
  std::vector<std::vector<Pick>> candidates;  // the last is the best
  for (const graph::Node& node : chooser.graph.nodes()) {
    auto all = candidates_for(chooser, node);
    if (!all) return propagate(all);
    std::reverse(all->begin(), all->end());
    Pick pick = forced.try_node(chooser, node);
    if (pick.kernel != nullptr) all->push_back(std::move(pick));
    candidates.push_back(std::move(*all));
  }
  if (auto status = forced.check(); !status) return propagate(status);
  Picked picked;
  for (;;) {
    picked.nodes.clear();
    for (const auto& all : candidates) picked.nodes.push_back(all.back());
    agree_on_images(chooser.graph, picked.nodes);
    picked.storages = StorageChooser(chooser, picked.nodes).run();
    size_t node = 0;
    while (node < picked.nodes.size() &&
           is_content(chooser, picked.nodes[node], chooser.graph.nodes()[node], picked.storages))
      ++node;
    if (node == picked.nodes.size()) return picked;
    candidates[node].pop_back();
    picked.is_first_choice = false;
    if (candidates[node].empty()) {
      return fail(ErrorCode::device, fmt::format("no kernel for {} reads what the kernels before it store",
                                                 node_text(chooser.graph.nodes()[node])));
    }
  }
}

// What all convolutions cost together, at every place that knows it.
std::map<int, double> total_costs(const Chooser& chooser, std::span<const Pick> picks) {
  std::map<int, std::pair<size_t, double>> sums;
  size_t convolutions = 0;
  for (size_t i = 0; i < picks.size(); ++i) {
    const graph::Node& node = chooser.graph.nodes()[i];
    if (graph::convolutions(node.op).empty()) continue;
    ++convolutions;
    for (const devicedb::Cost& cost : costs_of(chooser, node, picks[i])) {
      ++sums[cost.place].first;
      sums[cost.place].second += cost.ns_per_px;
    }
  }
  std::map<int, double> totals;
  for (const auto& [place, sum] : sums) {
    if (sum.first == convolutions) totals[place] = sum.second;
  }
  return totals;
}

// By cost, unless kernels had to give way to what their neighbours store and the table's order is not known
// to cost more: the cheapest kernel of one layer can force a dear one on the next.
Result<Picked> pick_all(Chooser chooser, const kernels::Kernel* forced_kernel) {
  auto by_cost = pick_in_order(chooser, forced_kernel);
  if (by_cost && by_cost->is_first_choice) return by_cost;
  chooser.by_cost = false;
  auto by_table = pick_in_order(chooser, forced_kernel);
  if (!by_cost || !by_table) return by_table ? by_table : by_cost;
  const auto cost = total_costs(chooser, by_cost->nodes);
  const auto table = total_costs(chooser, by_table->nodes);
  for (auto at = cost.rbegin(); at != cost.rend(); ++at) {
    if (table.contains(at->first)) return at->second < table.at(at->first) ? by_cost : by_table;
  }
  return by_table;
}

// Makes one node of what a kernel can compute at once: a pixel shuffle in the last store of a convolution,
// two convolutions. A forced kernel stays what computes its nodes.
class Fuser {
 public:
  Fuser(const kernels::DeviceInfo& device, const devicedb::Database& database, DType dtype,
        const kernels::Kernel* forced)
      : device_(device), database_(database), dtype_(dtype), forced_(forced) {}

  [[nodiscard]] graph::Graph run(graph::Graph graph) const {
    const auto is_wanted = [this](const graph::Graph& network, const graph::Node& fused) {
      return can_be(network, fused);
    };
    graph::fuse_shuffle_into_conv(graph, is_wanted);
    graph::fuse_conv_pairs(graph, is_wanted);
    return graph;
  }

 private:
  [[nodiscard]] bool can_be(const graph::Graph& network, const graph::Node& fused) const {
    const Chooser chooser{network, device_, database_, dtype_};
    const auto fits = [&](const kernels::Kernel* kernel, const graph::Node& node) {
      if (!kernel->computes(network, node)) return false;
      const auto pick = legal_pick(chooser, *kernel, node);
      return pick && pick->dtype == dtype_;
    };
    if (forced_ != nullptr && computes_part(network, fused)) return fits(forced_, fused);
    return is_worth(network, fused) &&
           std::ranges::any_of(kernels::all_kernels(),
                               [&](const kernels::Kernel* kernel) { return fits(kernel, fused); });
  }

  // Whether a pair costs less than its parts, as far as one place knows all of them.
  [[nodiscard]] bool is_worth(const graph::Graph& network, const graph::Node& fused) const {
    if (!std::holds_alternative<graph::ConvPair>(fused.op)) return true;
    const auto together = cheapest(network, fused);
    std::vector<std::map<int, double>> parts;
    for (const graph::Conv* conv : graph::convolutions(fused.op)) {
      graph::Node part = fused;
      part.op = *conv;
      parts.push_back(cheapest(network, part));
    }
    for (auto at = together.rbegin(); at != together.rend(); ++at) {
      const int place = at->first;
      if (parts[0].contains(place) && parts[1].contains(place))
        return at->second < parts[0].at(place) + parts[1].at(place);
    }
    return true;
  }

  // Of all kernels, by place.
  [[nodiscard]] std::map<int, double> cheapest(const graph::Graph& network, const graph::Node& node) const {
    std::map<int, double> costs;
    for (const kernels::Kernel* kernel : kernels::all_kernels()) {
      if (!kernel->computes(network, node)) continue;
      for (const devicedb::Cost& cost :
           database_.costs(device_, kernel->id(), kernels::shape_text(node, dtype_))) {
        const auto at = costs.try_emplace(cost.place, cost.ns_per_px).first;
        at->second = std::min(at->second, cost.ns_per_px);
      }
    }
    return costs;
  }

  // Whether the forced kernel computes a convolution that is to become a part of this node.
  [[nodiscard]] bool computes_part(const graph::Graph& network, const graph::Node& fused) const {
    const auto convs = graph::convolutions(fused.op);
    return std::ranges::any_of(convs, [&](const graph::Conv* conv) {
      graph::Node part = fused;
      part.op = *conv;
      std::get<graph::Conv>(part.op).shuffle = {};
      return forced_->computes(network, part);
    });
  }

  const kernels::DeviceInfo& device_;
  const devicedb::Database& database_;
  DType dtype_;
  const kernels::Kernel* forced_;
};

struct Choice {
  graph::Graph graph;
  Picked picked;
};

// On the network with fused nodes; where their kernels and the others do not understand each other, on the
// network as it is.
Result<Choice> choose(const graph::Graph& graph, const Fuser& fuser, const kernels::DeviceInfo& device,
                      const devicedb::Database& database, DType dtype, const kernels::Kernel* forced) {
  graph::Graph fused = fuser.run(graph);
  if (fused.nodes().size() != graph.nodes().size()) {
    auto picked = pick_all({fused, device, database, dtype}, forced);
    if (picked) return Choice{std::move(fused), std::move(*picked)};
  }
  auto picked = pick_all({graph, device, database, dtype}, forced);
  if (!picked) return propagate(picked);
  return Choice{graph, std::move(*picked)};
}

ChosenNode chosen_node(const ChosenGraph& chosen, const Pick& pick, const graph::Node& node) {
  const kernels::Storage input =
      node.inputs.empty() ? kernels::Storage{} : chosen.storages[node.inputs.front()];
  ChosenNode result{
      pick.kernel,
      pick.kernel->choose(chosen.graph, node,
                          {pick.tuning, pick.dtype, input, chosen.storages[node.outputs.front()]}),
      {}};
  result.constant_data = pick.kernel->pack_constant_data(chosen.graph, node, result.choice);
  return result;
}

}  // namespace

bool may_use_images(const graph::Graph& graph, const kernels::DeviceInfo& device,
                    const devicedb::Database& database) {
  const auto keeps_images = [&](const kernels::Kernel* kernel, const graph::Node& node) {
    return std::ranges::any_of(kernel->dtypes(), [&](DType dtype) {
      return kernels::keeps_images(database.tuning(device, kernel->id(), kernels::shape_text(node, dtype)));
    });
  };
  return std::ranges::any_of(graph.nodes(), [&](const graph::Node& node) {
    return !graph::convolutions(node.op).empty() &&
           std::ranges::any_of(kernels::all_kernels(),
                               [&](const kernels::Kernel* kernel) { return keeps_images(kernel, node); });
  });
}

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
  const Fuser fuser(device, database, options.dtype, forced_kernel);
  auto choice = choose(graph, fuser, device, database, options.dtype, forced_kernel);
  if (!choice) return propagate(choice);
  auto& [chosen_graph, picked] = *choice;
  auto chosen = std::make_shared<ChosenGraph>(ChosenGraph{std::move(chosen_graph), device, {}, {}});
  const Chooser chooser{chosen->graph, device, database, options.dtype};
  if (auto status = check_dtype(chooser, picked.nodes); !status) return propagate(status);
  chosen->storages = std::move(picked.storages);
  for (size_t i = 0; i < picked.nodes.size(); ++i)
    chosen->nodes.push_back(chosen_node(*chosen, picked.nodes[i], chosen->graph.nodes()[i]));
  return chosen;
}

}  // namespace upres::plan
