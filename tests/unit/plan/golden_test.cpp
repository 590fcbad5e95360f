// Plans for devices that are not here, as text, and that they keep within the devices' limits. devices/ holds
// what `devices --json` printed on each. UPRES_UPDATE_GOLDEN=1 writes the texts anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plan/plan.h"
#include "support/picture_graphs.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

std::string path(const std::string& file) { return std::string(UPRES_PLAN_TEST_DIR) + "/" + file; }

std::string read(const std::string& file) {
  std::ifstream in(path(file), std::ios::binary);
  EXPECT_TRUE(in) << file;
  return (std::stringstream() << in.rdbuf()).str();
}

void expect_golden(const std::string& text, const std::string& name) {
  const std::string file = "golden/" + name + ".txt";
  if (std::getenv("UPRES_UPDATE_GOLDEN") != nullptr) std::ofstream(path(file), std::ios::binary) << text;
  EXPECT_EQ(text, read(file)) << "look at the difference; if it is meant, run with UPRES_UPDATE_GOLDEN=1";
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("devices")))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Devices : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto device = devicedb::device_info_from_json(read("devices/" + GetParam() + ".json"));
    ASSERT_TRUE(device) << device.error().text();
    device_ = std::move(*device);
    auto graphs = testing::picture_graphs();
    ASSERT_TRUE(graphs) << graphs.error().text();
    models_ = std::move(*graphs);
    ASSERT_FALSE(models_.empty());
  }

  [[nodiscard]] std::vector<DType> dtypes() const {
    const bool half = device_.limits.fp16_storage && device_.limits.fp16_arithmetic;
    return half ? std::vector{DType::f32, DType::f16} : std::vector{DType::f32};
  }
  // Failures are the test's.
  [[nodiscard]] std::shared_ptr<const ChosenGraph> chosen(const graph::Graph& graph, DType dtype) const {
    const auto chosen =
        choose_kernels(graph, device_, devicedb::Database::embedded(), {.forced_conv = {}, .dtype = dtype});
    EXPECT_TRUE(chosen) << chosen.error().text();
    return chosen ? *chosen : nullptr;
  }

  kernels::DeviceInfo device_;
  std::vector<testing::NamedGraph> models_;
};

std::string plan_text(const std::shared_ptr<const ChosenGraph>& chosen, const Extent& input,
                      const Extent& resampled = {}) {
  if (chosen == nullptr) return {};
  const auto plan = make_plan(chosen, std::vector<Extent>{input}, resampled);
  EXPECT_TRUE(plan) << plan.error().text();
  return plan ? to_text(*plan) : std::string();
}

TEST_P(Devices, PlansAreTheGoldenOnes) {
  std::string text;
  for (const DType dtype : dtypes()) {
    text.append("== ").append(models_.front().name).append(" ").append(name(dtype)).append("\n");
    text += plan_text(chosen(models_.front().graph, dtype), {320, 180});
  }
  graph::PictureOptions options;
  options.resize = {{40, 30}, {100, 75}};
  const auto small = testing::with_ends(testing::espcn(1, 1, 3, 16), options);
  text += "== small network of uneven sizes, resized\n";
  text += plan_text(chosen(small, DType::f32), {40, 30}, {100, 75});
  expect_golden(text, GetParam());
}

// A database that says images, for a device that is known to have them.
TEST(Golden, PlansWithImages) {
  auto device = devicedb::device_info_from_json(read("devices/adreno730.json"));
  ASSERT_TRUE(device) << device.error().text();
  device->limits.max_image_dimension_3d = 2048;
  device->limits.storage_image_fp32 = device->limits.storage_image_fp16 = true;
  const std::vector<devicedb::RecordFile> files = {
      {.records = {{.kernel = "conv_register", .tuning = {{"storage", 1}}, .reason = "a test"}}}};
  std::string text;
  const auto graph = testing::with_ends(testing::espcn(1, 1, 3, 64));
  for (const DType dtype : {DType::f32, DType::f16}) {
    const auto chosen =
        choose_kernels(graph, *device, devicedb::Database(files), {.forced_conv = {}, .dtype = dtype});
    ASSERT_TRUE(chosen) << chosen.error().text();
    text.append("== ").append(name(dtype)).append("\n") += plan_text(*chosen, {320, 180});
  }
  expect_golden(text, "images");
}

void expect_within_limits(const Plan& plan, const Step& step) {
  const kernels::DeviceLimits& limits = plan.chosen->device.limits;
  const kernels::GroupSize& group = step.choice.group_size;
  EXPECT_LE(group.x, limits.max_group_size[0]);
  EXPECT_LE(group.y, limits.max_group_size[1]);
  EXPECT_LE(group.z, limits.max_group_size[2]);
  EXPECT_LE(uint64_t{group.x} * group.y * group.z, limits.max_group_invocations);
  EXPECT_LE((step.grid.width + group.x - 1) / group.x, limits.max_group_count[0]);
  EXPECT_LE((step.grid.depth + group.z - 1) / group.z, limits.max_group_count[2]);
  EXPECT_LE(step.push.size(), limits.max_push_constant_bytes);
  for (const Binding& binding : step.bindings) {
    const Resource& resource = plan.resources[binding.resource];
    EXPECT_LE(resource.size_bytes, limits.max_storage_buffer_range_bytes) << binding.name;
    EXPECT_EQ(resource.offset_bytes % limits.min_storage_buffer_offset_alignment_bytes, 0U) << binding.name;
  }
}

// The database's values are legal as they are: none was replaced because it does not fit.
void expect_as_in_database(const ChosenGraph& chosen, size_t index) {
  const graph::Node& node = chosen.graph.nodes()[index];
  const ChosenNode& here = chosen.nodes[index];
  const auto tuning = kernels::complete_tuning(
      *here.kernel, devicedb::Database::embedded().tuning(chosen.device, here.choice.kernel,
                                                          kernels::shape_text(node, here.choice.dtype)));
  const kernels::Selection selection{tuning, here.choice.dtype, here.choice.input, here.choice.output};
  const auto legal = here.kernel->legal(chosen.graph, node, chosen.device, selection);
  EXPECT_TRUE(legal) << legal.error().text();
  const kernels::KernelChoice expected = here.kernel->choose(chosen.graph, node, selection);
  EXPECT_EQ(here.choice.group_size, expected.group_size);
  EXPECT_EQ(constants_text(here.choice), constants_text(expected));
}

TEST_P(Devices, PlansAreLegal) {
  for (const testing::NamedGraph& model : models_) {
    for (const DType dtype : dtypes()) {
      const auto graph = chosen(model.graph, dtype);
      ASSERT_TRUE(graph);
      for (const Extent& extent : {Extent{1, 1}, Extent{17, 9}, Extent{640, 360}}) {
        const auto plan = make_plan(graph, std::vector<Extent>{extent});
        ASSERT_TRUE(plan) << plan.error().text();
        for (const Step& step : plan->steps) {
          SCOPED_TRACE(model.name + " " + std::string(name(dtype)) + ", step " + step.node + ": " +
                       kernels::module_name(step.choice));
          expect_within_limits(*plan, step);
          expect_as_in_database(*graph, step.node_index);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Devices, ::testing::ValuesIn(device_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace upres::plan
