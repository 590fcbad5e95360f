#include "test_device.h"

#include <cstdlib>
#include <iostream>

#include "support/loaded_libraries.h"

namespace vkc_test {
namespace {

bool device_required() {
  const char* value = std::getenv("UPRES_REQUIRE_DEVICE");
  return value != nullptr && std::string_view(value) == "1";
}

// One instance for the program, with validation where it is installed.
struct Shared {
  MessageLog log;
  vkc::Result<vkc::Instance> instance =
      vkc::Instance::create({.application_name = "vkc tests", .validation = true, .log = log.sink()});
  bool validation = true;

  Shared() {
    upres::test::pin_loaded_libraries();
    if (instance || instance.error().code != vkc::ErrorCode::not_supported) return;
    validation = false;
    instance = vkc::Instance::create({.application_name = "vkc tests", .log = log.sink()});
  }

  [[nodiscard]] std::vector<vkc::PhysicalDevice> usable() const {
    std::vector<vkc::PhysicalDevice> result;
    if (!instance) return result;
    const auto devices = instance->physical_devices();
    if (!devices) return result;
    for (const vkc::PhysicalDevice& device : *devices) {
      if (device.refusals().empty()) result.push_back(device);
    }
    return result;
  }
};

Shared& shared() {
  static Shared instance;
  return instance;
}

}  // namespace

void MessageLog::add(vkc::Severity severity, std::string_view text) {
  const std::lock_guard lock(mutex_);
  messages_.emplace_back(severity, text);
}

std::vector<std::string> MessageLog::at_least(vkc::Severity severity) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [level, text] : messages_) {
    if (level >= severity) result.push_back(text);
  }
  return result;
}

void MessageLog::clear() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const vkc::PhysicalDevice& device : shared().usable()) {
    names.push_back(std::to_string(names.size()) + " " + device.properties().name);
  }
  if (names.empty()) names.emplace_back();
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name.empty() ? "none" : name;
}

void DeviceTest::SetUp() {
  if (GetParam().empty()) {
    ASSERT_FALSE(device_required()) << "UPRES_REQUIRE_DEVICE is set, and there is no Vulkan device";
    std::cout << "EVERY TEST SKIPPED\n";
    GTEST_SKIP() << "no Vulkan device";
  }
  ASSERT_TRUE(shared().validation || !device_required()) << "the validation layer is not installed";
  messages().clear();
  messages_before_ = shared().instance->validation_message_count();
  auto opened = vkc::Device::open(physical_device());
  ASSERT_TRUE(opened) << opened.error().text();
  device_ = std::move(*opened);
}

void DeviceTest::TearDown() {
  if (!device_) return;
  device_.reset();
  if (messages_expected_) return;
  EXPECT_EQ(shared().instance->validation_message_count(), messages_before_);
  EXPECT_THAT(messages().at_least(vkc::Severity::warning), testing::IsEmpty());
}

// The parameter begins with the device's number.
vkc::PhysicalDevice DeviceTest::physical_device() const {
  return shared().usable().at(static_cast<std::size_t>(std::stoi(GetParam())));
}

const vkc::Instance& DeviceTest::instance() { return *shared().instance; }
bool DeviceTest::validation() { return shared().validation; }
std::uint64_t DeviceTest::validation_message_count() { return shared().instance->validation_message_count(); }

MessageLog& DeviceTest::messages() { return shared().log; }

vkc::Buffer DeviceTest::buffer(std::uint64_t size_bytes, vkc::MemoryKind kind, std::string_view name) {
  auto result = vkc::Buffer::create(device(), size_bytes, kind, name);
  EXPECT_TRUE(result) << result.error().message;
  return std::move(result.value());
}

vkc::Kernel DeviceTest::kernel(const vkc::KernelSource& source, vkc::ListView<vkc::Constant> constants,
                               std::optional<vkc::KernelGroupSize> group_size) {
  auto result = vkc::Kernel::create(device(), source, constants, group_size);
  EXPECT_TRUE(result) << result.error().message;
  return std::move(result.value());
}

vkc::Commands DeviceTest::commands(vkc::Barriers barriers) {
  auto result = vkc::Commands::create(device(), {barriers, "test"});
  EXPECT_TRUE(result) << result.error().message;
  return std::move(result.value());
}

void DeviceTest::run(vkc::Commands& commands) {
  const auto submission = commands.submit();
  ASSERT_TRUE(submission) << submission.error().message;
  const auto done = submission->wait();
  ASSERT_TRUE(done) << done.error().message;
}

}  // namespace vkc_test
