// The plan of a small network for devices that are not here, as text. UPRES_UPDATE_GOLDEN=1 writes the files
// anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plan/plan.h"
#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

std::string path(const std::string& file) { return std::string(UPRES_PLAN_TEST_DIR) + "/" + file; }

std::string read(const std::string& file) {
  std::ifstream in(path(file), std::ios::binary);
  EXPECT_TRUE(in) << file;
  return (std::stringstream() << in.rdbuf()).str();
}

void expect_golden(const Plan& plan, const std::string& name) {
  const std::string text = to_text(plan);
  const std::string file = "golden/" + name + ".txt";
  if (std::getenv("UPRES_UPDATE_GOLDEN") != nullptr) std::ofstream(path(file), std::ios::binary) << text;
  EXPECT_EQ(text, read(file)) << "look at the difference; if it is meant, run with UPRES_UPDATE_GOLDEN=1";
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, Plan) {
  const std::string device_name = GetParam();
  const auto device = devicedb::device_info_from_json(read("devices/" + device_name + ".json"));
  ASSERT_TRUE(device) << device.error().text();
  graph::PictureOptions options;
  options.resize = {{40, 30}, {100, 75}};
  const auto graph = testing::with_ends(testing::espcn(1, 1, 3, 16), options);
  const auto chosen = choose_kernels(graph, *device, devicedb::Database::embedded());
  ASSERT_TRUE(chosen) << chosen.error().text();
  const std::vector<Extent> inputs = {{40, 30}};
  const auto plan = make_plan(*chosen, inputs, {100, 75});
  ASSERT_TRUE(plan) << plan.error().text();
  expect_golden(*plan, device_name);
}

// A network of the sizes that the matrix kernels have.
TEST(GoldenHalf, Plan) {
  const auto device = devicedb::device_info_from_json(read("devices/h200.json"));
  ASSERT_TRUE(device) << device.error().text();
  const auto chosen = choose_kernels(testing::espcn(1, 1, 3, 64), *device, devicedb::Database::embedded(),
                                     {.forced_conv = {}, .dtype = DType::f16});
  ASSERT_TRUE(chosen) << chosen.error().text();
  const auto plan = make_plan(*chosen, std::vector<Extent>{{40, 30}});
  ASSERT_TRUE(plan) << plan.error().text();
  expect_golden(*plan, "h200_fp16");
}

INSTANTIATE_TEST_SUITE_P(Devices, Golden, ::testing::Values("llvmpipe", "h200", "mali"));

}  // namespace
}  // namespace upres::plan
