// Tests on every Vulkan device present, with the validation layer on and silent.
//
// Without a device they are skipped; with UPRES_REQUIRE_DEVICE=1 in the environment they fail instead.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vkc/vkc.h>

#include <mutex>
#include <string>
#include <vector>

#include "vkc_test_kernels.h"

namespace vkc_test {

// Messages of vkc and of the validation layer.
class MessageLog {
 public:
  void add(vkc::Severity severity, std::string_view text);
  [[nodiscard]] std::vector<std::string> at_least(vkc::Severity severity) const;
  void clear();
  [[nodiscard]] vkc::LogSink sink() {
    return [this](vkc::Severity severity, std::string_view text) { add(severity, text); };
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<vkc::Severity, std::string>> messages_;
};

// Number and name of each usable device, for INSTANTIATE_TEST_SUITE_P; one empty name if there is none.
std::vector<std::string> device_names();

// A test on the device of its parameter, which is open.
class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // For tests that provoke messages on purpose.
  void expect_messages() { messages_expected_ = true; }
  [[nodiscard]] vkc::PhysicalDevice physical_device() const;
  [[nodiscard]] vkc::Device& device() { return *device_; }
  [[nodiscard]] static const vkc::Instance& instance();
  [[nodiscard]] MessageLog& messages();
  [[nodiscard]] static bool validation();
  [[nodiscard]] static std::uint64_t validation_message_count();

  // A buffer that must come into being.
  vkc::Buffer buffer(std::uint64_t size_bytes, vkc::MemoryKind kind = vkc::MemoryKind::device,
                     std::string_view name = "test");
  template <typename T>
  vkc::Buffer buffer_of(const std::vector<T>& values) {
    vkc::Buffer result = buffer(values.size() * sizeof(T));
    const auto uploaded = vkc::upload(device(), result, values);
    EXPECT_TRUE(uploaded) << uploaded.error().message;
    return result;
  }
  template <typename T>
  std::vector<T> values_of(const vkc::BufferRange& range) {
    auto values = vkc::download<T>(device(), range);
    EXPECT_TRUE(values) << values.error().message;
    return values.value_or(std::vector<T>());
  }
  vkc::Kernel kernel(const vkc::KernelSource& source, vkc::ListView<vkc::Constant> constants = {},
                     std::optional<vkc::KernelGroupSize> group_size = {});
  vkc::Commands commands(vkc::Barriers barriers = vkc::Barriers::automatic);
  // Submits and waits.
  static void run(vkc::Commands& commands);

  std::optional<vkc::Device> device_;

 private:
  bool messages_expected_ = false;
  std::uint64_t messages_before_ = 0;
};

// The message of a result that must be an error with that code.
template <typename T>
std::string error_of(const vkc::Result<T>& result, vkc::ErrorCode code) {
  EXPECT_FALSE(result) << "no error";
  if (result) return "";
  EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(code)) << result.error().message;
  return result.error().message;
}

std::string test_name(const testing::TestParamInfo<std::string>& info);

#define VKC_DEVICE_TESTS(Suite) \
  INSTANTIATE_TEST_SUITE_P(Device, Suite, testing::ValuesIn(vkc_test::device_names()), vkc_test::test_name)

}  // namespace vkc_test
