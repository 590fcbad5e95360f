#include "tune/report.h"

#include <gtest/gtest.h>

#include "tasks.h"

namespace upres::tune {
namespace {

TEST(Report, AnExportHoldsWhatAReaderNeeds) {
  const Task task = small_task();
  const SearchResult result{
      {packed(32), 2}, {packed(16), 1}, {{packed(8), "it hangs"}}, 3, 0, 48, true, true};
  kernels::DeviceInfo info = generous_device();
  info.name = "NVIDIA H200";
  info.vendor_id = 0x10DE;
  const Json json = describe_export(info, "1.2.3", {describe_result(task, result)});
  EXPECT_EQ(json["format"], kExportFormat);
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["vendor"], "nvidia");
  EXPECT_EQ(json["architecture"], "hopper");
  EXPECT_TRUE(json["limits"].is_object());
  const Json& entry = json["entries"][0];
  EXPECT_EQ(entry["kernel"], "conv_packed");
  EXPECT_EQ(entry["shape"], "8->8 3x3 fp32");
  EXPECT_EQ(entry["best"]["time_ms"], 1);
  EXPECT_EQ(entry["best"]["parameters"]["group_size_x"], 16);
  EXPECT_EQ(entry["default"]["time_ms"], 2);
  EXPECT_DOUBLE_EQ(entry["best"]["gflops"].get<double>(), 2.0 * 8 * 8 * 9 * 64 * 48 / 1e6);
  EXPECT_EQ(entry["rejected"][0]["reason"], "it hangs");
}

TEST(Report, ACandidateBeforeTheFirstTimeHasNoBest) {
  const Measured none;
  const Parameters at = packed(16);
  const Json json = describe_candidate(small_task(), {at, std::nullopt, "wrong", none, none});
  EXPECT_TRUE(json["best"]["time_ms"].is_null());
  EXPECT_TRUE(json["time_ms"].is_null());
  EXPECT_EQ(json["reason"], "wrong");
  EXPECT_EQ(json["rejected"].size(), 1U);
}

TEST(Report, ListsTheTunablesOfEveryKernel) {
  const Json json = describe_tunables();
  EXPECT_EQ(json.size(), kernels::all_kernels().size());
  EXPECT_EQ(json["conv_packed"]["group_size_z"], Json::array({1, 2, 4}));
}

}  // namespace
}  // namespace upres::tune
