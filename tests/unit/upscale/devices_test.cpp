#include "upscale/devices.h"

#include <gtest/gtest.h>

namespace upres::upscale {
namespace {

DeviceEntry entry(int index, const std::string& name, const std::string& kind, const std::string& uuid = "") {
  DeviceEntry result;
  result.index = index;
  result.info.name = name;
  result.info.kind = kind;
  result.info.uuid = uuid;
  result.info.driver = "driver 1";
  return result;
}

// llvmpipe, integrated, two discrete, an old discrete one, the CPU.
DeviceList machine() {
  DeviceList devices;
  devices.entries = {
      entry(0, "llvmpipe (LLVM 15.0.6, 256 bits)", "software", "00000000000000000000000000000001"),
      entry(1, "Intel Iris Xe", "integrated", "00000000000000000000000000000002"),
      entry(2, "GeForce RTX 4090", "discrete", "abcdef00000000000000000000000003"),
      entry(3, "GeForce RTX 4090", "discrete", "abcdef00000000000000000000000004"),
      entry(4, "GeForce GT 710", "discrete", "abcdef00000000000000000000000005"),
      entry(5, "Some Ryzen", "cpu")};
  devices.entries[4].refusals = {"Vulkan 1.0 only", "no storage buffers"};
  return devices;
}

struct Choice {
  const char* selector;
  int index;
};

TEST(Devices, TheRuleOfTheOption) {
  const DeviceList devices = machine();
  const Choice choices[] = {{"auto", 2},
                            {"gpu", 2},
                            {"cpu", 5},
                            {"gpu:0", 1},
                            {"gpu:1", 2},
                            {"gpu:2", 3},
                            {"llvmpipe", 0},
                            {"LLVM", 0},
                            {"AUTO", 2},
                            {"Cpu", 5},
                            {"GPU", 2},
                            {"Gpu:1", 2},
                            {"r", 1},  // "Iris" before "Ryzen", real GPUs before llvmpipe
                            {"e", 1},
                            {"iris", 1},
                            {"geforce", 2},
                            {"RTX 4090", 2},
                            {"ryzen", 5},
                            {"abcdef00000000000000000000000004", 3},
                            {"ABCDEF00-0000-0000-0000-000000000004", 3}};
  for (const Choice& choice : choices) {
    const auto chosen = choose_device(devices, choice.selector);
    ASSERT_TRUE(chosen) << choice.selector;
    EXPECT_EQ(chosen->index, choice.index) << choice.selector;
  }
}

TEST(Devices, WhatFitsNothingListsThemAll) {
  const DeviceList devices = machine();
  for (const char* selector : {"", "gpu:3", "gpu:4", "gpu:", "gpu:x", "gpu:-1", "GT 710", "radeon", "1", "15",
                               "4090", "bits", "LLVM 15", "driver", "abcdef00000000000000000000000009"}) {
    const auto chosen = choose_device(devices, selector);
    ASSERT_FALSE(chosen) << selector;
    EXPECT_EQ(chosen.error().code, ErrorCode::device);
    EXPECT_EQ(chosen.error().reasons.size(), devices.entries.size()) << selector;
  }
  const auto refused = choose_device(devices, "GT 710");
  EXPECT_NE(refused.error().text().find("Vulkan 1.0 only; refused: no storage buffers"), std::string::npos)
      << refused.error().text();
}

TEST(Devices, ANumberAloneIsNoName) {
  const auto refused = choose_device(machine(), "1");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("say gpu:1"), std::string::npos) << refused.error().message;
}

TEST(Devices, WhatWasAskedForIsSafeToPrint) {
  const auto refused = choose_device(machine(), "a\n\x1b[31mb\xff");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no device matches \"a\\n\\x1b[31mb\\xff\"; there are:");
}

TEST(Devices, SoftwareOnlyWhenNamed) {
  DeviceList devices;
  devices.entries = {entry(0, "llvmpipe", "software"), entry(1, "strange", "other"), entry(2, "CPU", "cpu")};
  EXPECT_EQ(choose_device(devices, "auto")->index, 2);
  EXPECT_FALSE(choose_device(devices, "gpu"));
  EXPECT_FALSE(choose_device(devices, "gpu:0"));
  EXPECT_EQ(choose_device(devices, "llvmpipe")->index, 0);
  EXPECT_EQ(choose_device(devices, "strange")->index, 1);
}

TEST(Devices, IntegratedBeforeVirtualBeforeCpu) {
  DeviceList devices;
  devices.entries = {entry(0, "V", "virtual"), entry(1, "I", "integrated"), entry(2, "C", "cpu")};
  EXPECT_EQ(choose_device(devices, "auto")->index, 1);
  devices.entries[1].refusals = {"no"};
  EXPECT_EQ(choose_device(devices, "auto")->index, 0);
  devices.entries[0].refusals = {"no"};
  EXPECT_EQ(choose_device(devices, "auto")->index, 2);
  devices.entries[2].refusals = {"not built"};
  devices.no_vulkan = "no loader";
  const auto none = choose_device(devices, "auto");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reasons.back(), "no GPUs: no loader");
}

TEST(Devices, ThisMachineHasItsCpuLast) {
  const DeviceList devices = list_devices();
  ASSERT_FALSE(devices.entries.empty());
  EXPECT_TRUE(devices.entries.back().is_cpu());
  for (size_t i = 0; i < devices.entries.size(); ++i)
    EXPECT_EQ(devices.entries[i].index, static_cast<int>(i));
}

}  // namespace
}  // namespace upres::upscale
