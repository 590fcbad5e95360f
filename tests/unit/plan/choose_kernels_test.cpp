#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "plan/plan.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using testing::espcn;
using ::testing::HasSubstr;
using testing::with_ends;

kernels::DeviceInfo test_device() {
  kernels::DeviceInfo device;
  device.name = "test device";
  return device;
}

Result<std::shared_ptr<const ChosenGraph>> choose(const kernels::DeviceInfo& device,
                                                  const std::string& forced = "") {
  return choose_kernels(with_ends(espcn(1, 1, 2, 4)), device, devicedb::Database::embedded(), {forced});
}

TEST(ChooseKernels, EveryNodeHasALegalOne) {
  const auto chosen = choose(test_device());
  ASSERT_TRUE(chosen) << chosen.error().text();
  const ChosenGraph& all = **chosen;
  ASSERT_EQ(all.nodes.size(), all.graph.nodes().size());
  for (size_t i = 0; i < all.nodes.size(); ++i) {
    const ChosenNode& node = all.nodes[i];
    EXPECT_TRUE(node.kernel->computes(all.graph, all.graph.nodes()[i]));
    EXPECT_EQ(node.kernel->id(), node.choice.kernel);
    EXPECT_EQ(node.constant_data.size(),
              node.kernel->bindings(all.graph, all.graph.nodes()[i]).constant_data.size());
  }
}

TEST(ChooseKernels, SmallGroupsWhereTheDeviceHasOnlyThose) {
  for (const uint32_t invocations : {64U, 32U, 16U}) {
    kernels::DeviceInfo device = test_device();
    device.limits.max_group_invocations = invocations;
    device.limits.max_group_size = {invocations, invocations, 1};
    const auto graph = testing::espcn(1, 1, 2, 4);
    const auto conv_only = choose_kernels(graph, device, devicedb::Database::embedded());
    if (!conv_only) {
      EXPECT_EQ(conv_only.error().code, ErrorCode::device);
      continue;
    }
    for (const ChosenNode& node : (*conv_only)->nodes) {
      const kernels::GroupSize& group = node.choice.group_size;
      EXPECT_LE(group.x * group.y * group.z, invocations) << node.choice.kernel;
    }
  }
}

TEST(ChooseKernels, TheDatabasesValuesAreUsedWhereLegal) {
  kernels::DeviceInfo device = test_device();
  device.vendor_id = 0x10005;
  device.name = "llvmpipe";
  device.limits.max_group_invocations = 1024;
  device.limits.max_group_size = {1024, 1024, 1024};
  const auto known = devicedb::Database::embedded().tuning(device, "conv_naive");
  ASSERT_FALSE(known.empty());
  const auto chosen = choose(device);
  ASSERT_TRUE(chosen);
  for (const ChosenNode& node : (*chosen)->nodes) {
    if (node.choice.kernel == "conv_naive") {
      EXPECT_EQ(node.choice.group_size, kernels::group_size_of(known));
    }
  }
}

TEST(ChooseKernels, NoKernelIsLegal) {
  kernels::DeviceInfo device = test_device();
  device.limits.max_group_invocations = 1;
  const auto chosen = choose(device);
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::device);
  EXPECT_THAT(chosen.error().message, HasSubstr("no kernel can run node '"));
  EXPECT_THAT(chosen.error().message, HasSubstr("on test device"));
  ASSERT_FALSE(chosen.error().reasons.empty());
  EXPECT_THAT(chosen.error().reasons.front(), HasSubstr("largest number of invocations is 1"));
}

TEST(ChooseKernels, ForcedKernels) {
  const auto naive = choose(test_device(), "conv_naive");
  ASSERT_TRUE(naive) << naive.error().text();
  for (size_t i = 0; i < (*naive)->nodes.size(); ++i) {
    const bool conv = std::holds_alternative<graph::Conv>((*naive)->graph.nodes()[i].op);
    EXPECT_EQ((*naive)->nodes[i].choice.kernel == "conv_naive", conv);
  }
  for (const char* name : {"conv_nowhere", "clip", "conv"}) {
    const auto unknown = choose(test_device(), name);
    ASSERT_FALSE(unknown) << name;
    EXPECT_EQ(unknown.error().code, ErrorCode::usage);
    EXPECT_THAT(unknown.error().message,
                HasSubstr("there is no convolution kernel '" + std::string(name) + "'"));
    EXPECT_THAT(unknown.error().message, HasSubstr("conv_naive"));
  }
  kernels::DeviceInfo device = test_device();
  device.limits.max_group_invocations = 1;
  const auto nowhere =
      choose_kernels(testing::espcn(1, 1, 1, 4), device, devicedb::Database::embedded(), {"conv_naive"});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::device);
}

kernels::DeviceInfo matrix_device() {
  kernels::DeviceInfo device = test_device();
  device.limits.max_group_invocations = 1024;
  device.limits.max_group_size = {1024, 1024, 64};
  device.limits.max_shared_memory_bytes = 49152;
  device.limits.fp16_storage = true;
  device.limits.fp16_arithmetic = true;
  device.limits.matrix_shapes = {{16, 16, 16}};
  return device;
}

// What a node reads is what the node before it writes.
TEST(ChooseKernels, NeighboursUnderstandEachOther) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const int channels : {6, 16, 64}) {
      for (const char* forced : {"", "conv_rows", "conv_packed", "conv_naive"}) {
        const auto graph = with_ends(espcn(1, 1, 2, channels));
        const auto chosen =
            choose_kernels(graph, matrix_device(), devicedb::Database::embedded(), {forced, dtype});
        if (!chosen) continue;  // the forced kernel is legal for none of these
        for (size_t i = 0; i < (*chosen)->nodes.size(); ++i) {
          const graph::Node& node = (*chosen)->graph.nodes()[i];
          const ChosenNode& here = (*chosen)->nodes[i];
          SCOPED_TRACE(node.name + " " + kernels::module_name(here.choice));
          EXPECT_EQ(here.choice.input, (*chosen)->storages[node.inputs.front()]);
          EXPECT_EQ(here.choice.output, (*chosen)->storages[node.outputs.front()]);
          const auto reads = here.kernel->reads((*chosen)->graph, node, here.choice.dtype);
          EXPECT_EQ(std::count(reads.begin(), reads.end(), here.choice.input), 1);
          const auto writes = here.kernel->writes((*chosen)->graph, node, here.choice.dtype);
          EXPECT_EQ(std::count(writes.begin(), writes.end(), here.choice.output), 1);
        }
      }
    }
  }
}

TEST(ChooseKernels, HalfWhereTheDeviceHasIt) {
  const auto graph = with_ends(espcn(1, 1, 2, 64));
  const auto half = choose_kernels(graph, matrix_device(), devicedb::Database::embedded(), {"", DType::f16});
  ASSERT_TRUE(half) << half.error().text();
  const auto count = [&](const ChosenGraph& chosen, std::string_view kernel) {
    return std::count_if(chosen.nodes.begin(), chosen.nodes.end(),
                         [&](const ChosenNode& node) { return node.choice.kernel == kernel; });
  };
  EXPECT_EQ(count(**half, "conv_pair"), 1);
  EXPECT_EQ(count(**half, "conv_rows"), 2);
  const auto apart =
      choose_kernels(graph, matrix_device(), devicedb::Database::embedded(), {"conv_rows", DType::f16});
  ASSERT_TRUE(apart) << apart.error().text();
  EXPECT_EQ(count(**apart, "conv_rows"), 3);
  const auto without = choose_kernels(graph, test_device(), devicedb::Database::embedded(), {"", DType::f16});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::device);
  EXPECT_THAT(without.error().message, HasSubstr("in f16"));
  const auto naive =
      choose_kernels(graph, matrix_device(), devicedb::Database::embedded(), {"conv_naive", DType::f16});
  EXPECT_FALSE(naive);
}

// Costs from one place decide, whatever the table's order; those from different places do not compare.
TEST(ChooseKernels, TheCheapestWhereCostsAreKnown) {
  const auto graph = with_ends(espcn(1, 1, 2, 64));
  const auto kernels_with = [&](std::string_view costs) {
    const devicedb::NamedText file{"test", costs};
    const auto database = devicedb::Database::parse(std::array{file});
    EXPECT_TRUE(database) << database.error().text();
    const auto chosen = choose_kernels(graph, matrix_device(), *database, {"", DType::f16});
    EXPECT_TRUE(chosen) << chosen.error().text();
    std::vector<std::string> kernels;
    for (const ChosenNode& node : (*chosen)->nodes) {
      if (node.kernel->family() == "conv") kernels.emplace_back(node.choice.kernel);
    }
    return kernels;
  };
  const auto entry = [](std::string_view kernel, std::string_view shape, double cost,
                        std::string_view device = "") {
    const std::string where = device.empty() ? "" : fmt::format(R"("device": "{}", )", device);
    return fmt::format(
        R"({{{}"kernel": "{}", "shape": "{} fp16", "tuning": {{}}, "reason": "test", "measured": true, "ns_per_px": {}}})",
        where, kernel, shape, cost);
  };
  const auto file = [](const std::vector<std::string>& entries) {
    return fmt::format(R"({{"entries": [{}]}})", fmt::join(entries, ", "));
  };
  using ::testing::ElementsAre;
  const std::string pair = "1->64 5x5, 64->64 3x3";
  EXPECT_THAT(kernels_with(file({})), ElementsAre("conv_pair", "conv_pair"));
  const std::vector<std::string> parts = {entry("conv_columns", "1->64 5x5", 1),
                                          entry("conv_rows", "64->64 3x3", 2)};
  auto dear = parts;
  dear.push_back(entry("conv_pair", pair, 3.5));
  EXPECT_THAT(kernels_with(file(dear)), ElementsAre("conv_columns", "conv_rows", "conv_pair"));
  auto cheap = parts;
  cheap.push_back(entry("conv_pair", pair, 2.5));
  EXPECT_THAT(kernels_with(file(cheap)), ElementsAre("conv_pair", "conv_pair"));
  auto elsewhere = parts;
  elsewhere.push_back(entry("conv_pair", pair, 3.5, matrix_device().name));
  EXPECT_THAT(kernels_with(file(elsewhere)), ElementsAre("conv_pair", "conv_pair"));
  dear.push_back(entry("conv_register", "1->64 5x5", 0.5));
  EXPECT_THAT(kernels_with(file(dear)), ElementsAre("conv_columns", "conv_rows", "conv_pair"))
      << "conv_register does not store what conv_rows reads";
}

TEST(ChooseKernels, GraphsThatNothingRuns) {
  graph::Graph graph;
  const TensorType plane{DType::f32, Layout::planar, 1};
  graph.add_value("a", plane);
  graph.add_value("b", plane);
  graph.add_input(0);
  graph.add_node({"reshape", graph::Reshape{{1, 1, -1}}, {0}, {1}, ""});
  graph.add_output(1);
  const auto chosen = choose_kernels(graph, test_device(), devicedb::Database::embedded());
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::model);
}

}  // namespace
}  // namespace upres::plan
