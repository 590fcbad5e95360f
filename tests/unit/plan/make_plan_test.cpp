#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "plan/plan.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using testing::espcn;
using ::testing::HasSubstr;
using testing::Random;
using testing::with_ends;

kernels::DeviceInfo test_device() {
  kernels::DeviceInfo device;
  device.name = "test device";
  return device;
}

Result<Plan> plan_of(const graph::Graph& graph, const Extent& extent,
                     const kernels::DeviceInfo& device = test_device(), const Extent& resampled = {}) {
  auto chosen = choose_kernels(graph, device, devicedb::Database::embedded());
  if (!chosen) return propagate(chosen);
  const std::vector<Extent> inputs(graph.inputs().size(), extent);
  return make_plan(*chosen, inputs, resampled);
}

// Convolutions and clips that read any earlier tensor; what nobody reads is an output.
graph::Graph random_graph(Random& random) {
  graph::Graph graph;
  const auto planes = [](int channels) { return TensorType{DType::f32, Layout::planar, channels}; };
  for (int i = random.between(1, 2); i > 0; --i) {
    graph.add_input(graph.add_value("input" + std::to_string(i), planes(random.between(1, 3))));
  }
  std::vector<bool> read(graph.values().size());
  for (int i = random.between(1, 9); i > 0; --i) {
    const auto in =
        static_cast<graph::ValueId>(random.between(0, static_cast<int>(graph.values().size()) - 1));
    const int in_channels = graph.value(in).type.channels;
    const bool clip = random.coin();
    const int out_channels = clip ? in_channels : random.between(1, 5);
    const std::string name = "node" + std::to_string(i);
    const graph::ValueId out = graph.add_value(name, planes(out_channels));
    graph::Operator op = graph::Clip{0, 1};
    if (!clip) {
      op = graph::Conv{in_channels,
                       out_channels,
                       1,
                       1,
                       {},
                       false,
                       testing::random_weights(random, in_channels * out_channels, 1),
                       testing::random_weights(random, out_channels, 1)};
    }
    graph.add_node({name, std::move(op), {in}, {out}, ""});
    read[in] = true;
    read.push_back(false);
  }
  for (graph::ValueId id = 0; id < read.size(); ++id) {
    const bool is_input = std::count(graph.inputs().begin(), graph.inputs().end(), id) > 0;
    if (!is_input && (!read[id] || random.between(0, 4) == 0)) graph.add_output(id);
  }
  return graph;
}

// Memory as a plan uses it: which value each word holds, and when it was last touched, counted in barriers.
struct Word {
  uint32_t value = ~0U;
  int written = -1;
  int read = -1;
};

class Memory {
 public:
  explicit Memory(const Plan& plan) : plan_(plan) {
    const uint64_t sizes[] = {plan.input_bytes, plan.output_bytes, plan.scratch_bytes};
    for (const uint64_t bytes : sizes) blocks_.emplace_back((bytes + 3) / 4);
  }

  void for_each_word(uint32_t resource, const std::function<void(Word&)>& visit) {
    const Resource& where = plan_.resources[resource];
    ASSERT_LT(static_cast<size_t>(where.kind), blocks_.size());
    auto& block = blocks_[static_cast<size_t>(where.kind)];
    ASSERT_LE(where.offset_bytes + where.size_bytes, block.size() * 4);
    for (uint64_t word = where.offset_bytes / 4; word * 4 < where.offset_bytes + where.size_bytes; ++word)
      visit(block[word]);
  }

 private:
  const Plan& plan_;
  std::vector<std::vector<Word>> blocks_;  // input, output, scratch: as ResourceKind counts
};

// Runs the plan in thought: every step finds in memory what its inputs should be, and a barrier stands before
// it if and only if it touches something that a step since the last barrier has written, or overwrites what
// one has read.
void expect_sound(const Plan& plan) {
  const graph::Graph& graph = plan.chosen->graph;
  Memory memory(plan);
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    memory.for_each_word(plan.inputs[i], [&](Word& word) { word.value = graph.inputs()[i]; });
  }
  int barriers = 0;
  for (const Step& step : plan.steps) {
    const graph::Node& node = graph.nodes()[step.node_index];
    bool hazard = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      memory.for_each_word(step.bindings[i].resource, [&](Word& word) {
        EXPECT_EQ(word.value, node.inputs[i]);
        hazard |= word.written == barriers;
      });
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      memory.for_each_word(step.bindings[node.inputs.size() + i].resource,
                           [&](Word& word) { hazard |= word.written == barriers || word.read == barriers; });
    }
    EXPECT_EQ(step.barrier_before, hazard) << step.node;
    if (hazard) ++barriers;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      memory.for_each_word(step.bindings[i].resource, [&](Word& word) { word.read = barriers; });
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      memory.for_each_word(step.bindings[node.inputs.size() + i].resource, [&](Word& word) {
        EXPECT_NE(word.read, barriers) << "a step overwrites its own input";
        word.value = node.outputs[i];
        word.written = barriers;
      });
    }
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    memory.for_each_word(plan.outputs[i], [&](Word& word) { EXPECT_EQ(word.value, graph.outputs()[i]); });
  }
}

TEST(MakePlan, MemoryAndBarriersOfRandomGraphs) {
  Random random(5);
  int without_barrier = 0;
  for (int i = 0; i < 300; ++i) {
    kernels::DeviceInfo device = test_device();
    device.limits.min_storage_buffer_offset_alignment_bytes = 4U << random.between(0, 6);
    const auto plan = plan_of(random_graph(random), {random.between(1, 9), random.between(1, 9)}, device);
    ASSERT_TRUE(plan) << plan.error().text();
    expect_sound(*plan);
    for (const Resource& resource : plan->resources) {
      ASSERT_EQ(resource.offset_bytes % device.limits.min_storage_buffer_offset_alignment_bytes, 0U);
    }
    for (size_t s = 1; s < plan->steps.size(); ++s) without_barrier += plan->steps[s].barrier_before ? 0 : 1;
    if (HasFailure()) FAIL() << "graph " << i << "\n" << to_text(*plan);
  }
  EXPECT_GT(without_barrier, 100) << "the test sees too few independent steps";
}

TEST(MakePlan, MemoryAndBarriersOfPictures) {
  for (const int channels : {1, 2, 3, 4}) {
    graph::PictureOptions options{.channels = channels};
    options.resize = {{13, 9}, {20, 19}};
    const auto plan = plan_of(with_ends(espcn(1, 1, 2, 4), options), {13, 9}, test_device(), {20, 19});
    ASSERT_TRUE(plan) << plan.error().text();
    expect_sound(*plan);
  }
}

TEST(MakePlan, StatisticsBeginAsZeros) {
  const auto plan = plan_of(with_ends(espcn(1, 1, 2, 4)), {13, 9});
  ASSERT_TRUE(plan);
  int zeroed = 0;
  for (const Resource& resource : plan->resources) {
    if (!resource.zeroed) continue;
    ++zeroed;
    EXPECT_EQ(resource.kind, ResourceKind::output);
    EXPECT_EQ(resource.size_bytes, 16U);
  }
  EXPECT_EQ(zeroed, 1);
}

TEST(MakePlan, TablesOfResamplingLieBehindTheInputs) {
  graph::PictureOptions options;
  options.resize = {{13, 9}, {20, 19}};
  const auto plan = plan_of(with_ends(espcn(1, 1, 2, 4), options), {13, 9}, test_device(), {20, 19});
  ASSERT_TRUE(plan);
  std::vector<uint64_t> sizes;
  for (const Resource& resource : plan->resources) {
    if (resource.kind != ResourceKind::table) continue;
    sizes.push_back(resource.size_bytes);
    EXPECT_GE(resource.offset_bytes, plan->resources[plan->inputs[0]].size_bytes);
    EXPECT_LE(resource.offset_bytes + resource.size_bytes, plan->input_bytes);
  }
  // 26 to 20 columns: 6 * 1.3 taps, rounded up; 18 to 19 rows: 6.
  EXPECT_EQ(sizes, (std::vector<uint64_t>{20 * 4, 20 * 8 * 4, 19 * 4, 19 * 6 * 4}));
}

TEST(MakePlan, WeightsAreWhereTheStepsBindThem) {
  Random random(6);
  const auto graph = with_ends(espcn(1, 1, 2, 4));
  const auto plan = plan_of(graph, {13, 9});
  ASSERT_TRUE(plan);
  const WeightBlock block = pack_weights(*plan->chosen);
  ASSERT_EQ(block.bytes.size(), plan->weights_bytes);
  int checked = 0;
  for (const Step& step : plan->steps) {
    const auto& data = plan->chosen->nodes[step.node_index].constant_data;
    size_t entry = 0;
    for (const Binding& binding : step.bindings) {
      const Resource& resource = plan->resources[binding.resource];
      if (resource.kind != ResourceKind::weights) continue;
      const auto begin = block.bytes.begin() + static_cast<std::ptrdiff_t>(resource.offset_bytes);
      ASSERT_EQ(resource.size_bytes, data[entry].size());
      EXPECT_TRUE(std::equal(data[entry].begin(), data[entry].end(), begin));
      ++entry;
      ++checked;
    }
    EXPECT_EQ(entry, data.size());
  }
  EXPECT_EQ(checked, 8);
}

TEST(MakePlan, LimitsAreNamedWithNumbers) {
  const auto graph = with_ends(espcn(1, 1, 2, 64));
  const auto expect_refused = [&](const Extent& extent, const std::string& limit,
                                  const std::function<void(kernels::DeviceLimits&)>& change) {
    kernels::DeviceInfo device = test_device();
    change(device.limits);
    const auto plan = plan_of(graph, extent, device);
    ASSERT_FALSE(plan) << limit;
    EXPECT_EQ(plan.error().code, ErrorCode::device);
    EXPECT_THAT(plan.error().message, HasSubstr(limit));
    EXPECT_EQ(plan.error().message.find('\n'), std::string::npos);
  };
  expect_refused({40, 30}, "max_storage_buffer_range_bytes of 300000",
                 [](auto& limits) { limits.max_storage_buffer_range_bytes = 300000; });
  expect_refused({40, 30}, "max_buffer_bytes of 500000",
                 [](auto& limits) { limits.max_buffer_bytes = 500000; });
  expect_refused({2000, 1}, "max_group_count of 30", [](auto& limits) { limits.max_group_count[0] = 30; });
  expect_refused({1000000000, 1000000000}, "max_storage_buffer_range_bytes", [](auto&) {});
  expect_refused({1, 1}, "the weights have", [](auto& limits) { limits.max_buffer_bytes = 100000; });
  // Rows are cut into several dispatches: no limit.
  kernels::DeviceInfo device = test_device();
  device.limits.max_group_count[1] = 1;
  EXPECT_TRUE(plan_of(graph, {4, 500}, device));
}

TEST(MakePlan, NetworksThatShrinkTooFar) {
  Random random(8);
  const auto graph = testing::make_network(random, 1, 1, {{1, 5, 5, {}, false}});
  const auto plan = plan_of(graph, {4, 9});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::model);
}

}  // namespace
}  // namespace upres::plan
