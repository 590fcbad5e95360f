// The GPUs of this machine, for tests of the public interface that need one.
#pragma once

#include <gtest/gtest.h>
#include <upres/upscaler.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "unit/api/samples.h"

namespace upres::test {

// UUIDs of the usable GPUs, software drivers too.
inline std::vector<std::string> gpus() {
  std::vector<std::string> uuids;
  const auto devices = list_devices().value();
  for (const DeviceDescription& device : devices) {
    if (device.kind != "cpu" && device.refusals.empty()) uuids.push_back(device.uuid);
  }
  return uuids;
}

class OnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!uuids_.empty()) return;
    if (std::getenv("UPRES_REQUIRE_DEVICE") != nullptr) FAIL() << "there is no Vulkan device";
    GTEST_SKIP() << "EVERY TEST SKIPPED: there is no Vulkan device";
  }

  const std::vector<std::string> uuids_ = gpus();
  const Model model_ = Model::embedded("espcn_x2").value();
};

inline int largest_difference(const Image& a, const Image& b) {
  int largest = a.bytes.size() == b.bytes.size() ? 0 : 256;
  for (size_t i = 0; i < std::min(a.bytes.size(), b.bytes.size()); ++i)
    largest = std::max(largest, std::abs(static_cast<int>(a.bytes[i]) - static_cast<int>(b.bytes[i])));
  return largest;
}

}  // namespace upres::test
