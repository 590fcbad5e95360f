// Functions of the caller's that throw: no exception leaves vkc.
#include <vkc/native.h>

#include <new>
#include <stdexcept>

#include "test_device.h"
#include "vkc/device_state.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::ElementsAre;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc::KernelGroupSize;
using vkc_test::error_of;

class CallbackTest : public vkc_test::DeviceTest {
 protected:
  vkc::Result<vkc::GroupSizeChoice> tried(const vkc::RecordWork& work) {
    return vkc::fastest_group_size(device(), kernels::add_one, {}, {KernelGroupSize{8}, KernelGroupSize{16}},
                                   work, {.rounds = 1});
  }
};

TEST_P(CallbackTest, WorkThatThrowsEndsItsCandidate) {
  const vkc::Buffer values = buffer(256);
  const auto record = [&](vkc::Commands& commands, const vkc::Kernel& kernel) {
    return kernel.dispatch(commands, vkc::group_count({64}, kernel.group_size()), {{"values", values}});
  };
  const auto choice = tried([&](vkc::Commands& commands, const vkc::Kernel& kernel) {
    if (kernel.group_size().x == 8) throw std::runtime_error("not eight");
    return record(commands, kernel);
  });
  ASSERT_TRUE(choice) << choice.error().text();
  EXPECT_EQ(choice->group_size, KernelGroupSize{16});
  ASSERT_TRUE(choice->trials[0].error);
  EXPECT_EQ(choice->trials[0].error->message, "the work threw an exception: not eight");

  const auto none = tried([](vkc::Commands&, const vkc::Kernel&) -> vkc::Status { throw std::bad_alloc(); });
  error_of(none, ErrorCode::out_of_memory);
  const auto odd = tried([](vkc::Commands&, const vkc::Kernel&) -> vkc::Status { throw 7; });
  error_of(odd, ErrorCode::invalid_argument);
  EXPECT_THAT(odd.error().reasons, testing::Each(HasSubstr("no std::exception")));
  // Nothing is left half done.
  EXPECT_TRUE(tried(record));
}

TEST_P(CallbackTest, ALogSinkMayThrow) {
  int calls = 0;
  const auto instance =
      vkc::Instance::create({.validation = validation(), .log = [&](vkc::Severity, std::string_view) {
                               ++calls;
                               throw std::runtime_error("the log is full");
                             }});
  ASSERT_TRUE(instance) << instance.error().message;
  const auto devices = instance->physical_devices();
  ASSERT_TRUE(devices);
  // The same device again, by its number.
  const auto opened = vkc::Device::open(devices->at(0));
  ASSERT_TRUE(opened) << opened.error().message;
  const int before = calls;
  opened->state()->log(vkc::Severity::warning, "a message");
  EXPECT_EQ(calls, before + 1);
  if (!validation()) return;
  // From inside the validation layer, which is C.
  VkBuffer none = VK_NULL_HANDLE;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;  // and a size of 0
  const auto& vk = opened->state()->vk;
  if (vk.CreateBuffer(opened->state()->handle, &info, nullptr, &none) == VK_SUCCESS)
    vk.DestroyBuffer(opened->state()->handle, none, nullptr);
  EXPECT_GT(calls, before + 1);
  EXPECT_GT(instance->validation_message_count(), 0U);
}

TEST_P(CallbackTest, AQueueThatCannotBeLockedIsAnError) {
  const vkc::Buffer values = buffer(256);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(recorded.fill(values, 7));
  auto& queue = device().state()->compute_queue;
  int unlocked = 0;
  queue.lock_shared = [] { throw std::runtime_error("already locked"); };
  queue.unlock_shared = [&] { ++unlocked; };
  EXPECT_EQ(error_of(recorded.submit(), ErrorCode::invalid_argument),
            "lock_queue threw an exception: already locked");
  error_of(device().wait_idle(), ErrorCode::invalid_argument);
  EXPECT_EQ(unlocked, 0);
  queue.lock_shared = [] {};
  run(recorded);
  EXPECT_EQ(unlocked, 1);
  queue.lock_shared = queue.unlock_shared = {};
  EXPECT_THAT(values_of<std::uint32_t>(values), testing::Each(7U));
}

VKC_DEVICE_TESTS(CallbackTest);

}  // namespace
