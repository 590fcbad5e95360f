// Tuning on the first use of every Vulkan device.
#include "upscale/first_use.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "unit/upscale/networks.h"
#include "upscale/devices.h"
#include "upscale/model.h"
#include "upscale/upscaler.h"

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;

class FirstUseTest : public ::testing::Test {
 protected:
  FirstUseTest() : folder_(fs::path(::testing::TempDir()) / "upres-first-use") { fs::remove_all(folder_); }
  ~FirstUseTest() override { fs::remove_all(folder_); }

  void SetUp() override {
    for (DeviceEntry& entry : list_devices().entries) {
      if (!entry.is_cpu() && entry.refusals.empty()) gpus_.push_back(std::move(entry));
    }
    if (!gpus_.empty()) return;
    if (std::getenv("UPRES_REQUIRE_DEVICE") != nullptr) FAIL() << "there is no Vulkan device";
    GTEST_SKIP() << "EVERY TEST SKIPPED: there is no Vulkan device";
  }

  static Device open(const DeviceEntry& entry, const fs::path& folder) {
    DeviceOptions options;
    options.cache = Cache(folder);
    auto device = Device::open(entry, options);
    EXPECT_TRUE(device) << device.error().text();
    return std::move(*device);
  }

  fs::path folder_;
  std::vector<DeviceEntry> gpus_;
};

TEST_F(FirstUseTest, HappensOnceAndKeepsItsTime) {
  for (const DeviceEntry& gpu : gpus_) {
    const auto network = small_network(2);
    const auto begin = std::chrono::steady_clock::now();
    const auto first = tune_for_first_use(open(gpu, folder_), network, Precision::fp32);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(first) << gpu.info.name;
    EXPECT_EQ(first->layers, 1U);
    EXPECT_LE(first->seconds, took.count());
    EXPECT_LE(first->seconds, kFirstUseS + 1);  // the machine may be busy
    EXPECT_FALSE(tune_for_first_use(open(gpu, folder_), network, Precision::fp32));
    fs::remove_all(folder_);
    EXPECT_TRUE(tune_for_first_use(open(gpu, folder_), network, Precision::fp32, {.budget_s = 0.2}));
  }
}

TEST_F(FirstUseTest, AWholeNetworkKeepsItsTimeToo) {
  const auto model = open_picture_model("espcn_x3");
  ASSERT_TRUE(model) << model.error().text();
  for (const DeviceEntry& gpu : gpus_) {
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      const Device device = open(gpu, folder_);
      if (!device.resolve(precision, {})) continue;
      const auto first = tune_for_first_use(device, model->model.network, precision);
      ASSERT_TRUE(first) << gpu.info.name;
      EXPECT_EQ(first->layers, 4U);
      EXPECT_LE(first->seconds, kFirstUseS + 1);
      RecordProperty(gpu.info.kind + " " + std::string(name(precision)), std::to_string(first->seconds));
    }
  }
}

TEST_F(FirstUseTest, DoesNothingWhereNothingCanBeKept) {
  for (const DeviceEntry& gpu : gpus_) {
    EXPECT_FALSE(tune_for_first_use(open(gpu, {}), small_network(2), Precision::fp32));
    EXPECT_FALSE(tune_for_first_use(open(gpu, "/proc/no-such-folder"), small_network(2), Precision::fp32));
    EXPECT_FALSE(tune_for_first_use(open(gpu, folder_), small_network(2), Precision::fp32, {.budget_s = 0}));
  }
}

TEST_F(FirstUseTest, WhatWasStoppedIsDoneTheNextTime) {
  for (const DeviceEntry& gpu : gpus_) {
    const auto network = small_network(2);
    EXPECT_TRUE(tune_for_first_use(open(gpu, folder_), network, Precision::fp32, {2, [] { return true; }}));
    EXPECT_TRUE(tune_for_first_use(open(gpu, folder_), network, Precision::fp32));
  }
}

TEST_F(FirstUseTest, WhereSomebodyTunedBeforeThereIsNothingToDo) {
  for (const DeviceEntry& gpu : gpus_) {
    const auto network = small_network(2);
    const Device device = open(gpu, folder_);
    for (const kernels::Kernel* kernel : kernels::all_kernels())
      device.tunings()->keep({{}, std::string(kernel->id()), "1->4 3x3 fp32", {}, "r", true});
    EXPECT_FALSE(tune_for_first_use(device, network, Precision::fp32));
  }
}

}  // namespace
}  // namespace upres::upscale
