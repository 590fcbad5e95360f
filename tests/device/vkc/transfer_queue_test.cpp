// Copies beside kernels. On devices without a queue for transfers the same program runs on one queue.
#include <vkc/native.h>

#include <numeric>

#include "test_device.h"
#include "vkc/device_state.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::Each;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc_test::error_of;

class TransferQueueTest : public vkc_test::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device_) return;
    auto opened = vkc::Device::open(physical_device(), {.transfer_queue = true});
    ASSERT_TRUE(opened) << opened.error().message;
    device_ = std::move(*opened);
  }
  vkc::Commands transfers() {
    auto result = vkc::Commands::create(device(), {.name = "transfers", .queue = vkc::Queue::transfer});
    EXPECT_TRUE(result) << result.error().message;
    return std::move(result.value());
  }
};

TEST_P(TransferQueueTest, IsThereWhereTheDeviceHasIt) {
  EXPECT_EQ(device().has_transfer_queue(), device().properties().transfer_queue);
  EXPECT_EQ(vkc::native_transfer_queue(device()) != VK_NULL_HANDLE, device().has_transfer_queue());
  const auto without = vkc::Device::open(physical_device());
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->has_transfer_queue());
}

// How work on one queue waits for the other: by timeline semaphores, or without that feature on the host.
class QueueWaitTest : public TransferQueueTest {
 protected:
  // Opens the device anew. Where it has one queue only, that one is the second, too, so that what waits
  // between queues runs on every device; nothing that queues share can be made after pretend_two_queues().
  void reopen(bool timelines) {
    vkc::DeviceOptions options{.transfer_queue = true};
    options.without_features.timeline_semaphore = !timelines;
    auto opened = vkc::Device::open(physical_device(), options);
    ASSERT_TRUE(opened) << opened.error().message;
    device_ = std::move(*opened);
  }
  void pretend_two_queues() {
    auto& state = *device().state();
    if (state.has_transfer_queue()) return;
    auto& second = state.transfer_queue;
    second.handle = state.compute_queue.handle;
    second.family = state.compute_queue.family;
    if (!device().properties().features.timeline_semaphore) return;
    for (auto* queue : {&state.compute_queue, &second}) {
      VkSemaphoreTypeCreateInfo type{};
      type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
      type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
      VkSemaphoreCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
      info.pNext = &type;
      ASSERT_EQ(state.vk.CreateSemaphore(state.handle, &info, nullptr, &queue->timeline), VK_SUCCESS);
    }
  }
  void upload_compute_download();
};

TEST_P(QueueWaitTest, ByTimelines) {
  if (!device().properties().features.timeline_semaphore) GTEST_SKIP() << "no timeline semaphores";
  reopen(true);
  upload_compute_download();
  EXPECT_NE(device().state()->transfer_queue.timeline, VK_NULL_HANDLE);
}

TEST_P(QueueWaitTest, OnTheHost) {
  reopen(false);
  EXPECT_FALSE(device().properties().features.timeline_semaphore);
  upload_compute_download();
  EXPECT_EQ(device().state()->transfer_queue.timeline, VK_NULL_HANDLE);
}

// Each waiting for the one before, several rounds in flight.
void QueueWaitTest::upload_compute_download() {
  constexpr std::size_t kCount = 4096;
  constexpr std::uint32_t kRounds = 8;
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, vkc::KernelGroupSize{64});
  struct Round {
    vkc::Buffer from, values, to;
    std::optional<vkc::Commands> up = {}, work = {}, down = {};
  };
  std::vector<Round> rounds;
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    rounds.push_back(Round{buffer(kCount * 4, vkc::MemoryKind::upload), buffer(kCount * 4),
                           buffer(kCount * 4, vkc::MemoryKind::download)});
  }
  pretend_two_queues();
  std::vector<vkc::Submission> last;
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    Round& round = rounds[i];
    round.up = transfers();
    round.work = commands();
    round.down = transfers();
    for (std::uint32_t& value : round.from.mapped_as<std::uint32_t>()) value = i;
    ASSERT_TRUE(round.up->copy(round.from, round.values));
    for (int j = 0; j < 3; ++j) {
      ASSERT_TRUE(add_one.dispatch(*round.work, {kCount / 64}, {{"values", round.values}}));
    }
    ASSERT_TRUE(round.down->copy(round.values, round.to));
    const auto up = round.up->submit();
    ASSERT_TRUE(up) << up.error().message;
    const auto work = round.work->submit({*up});
    ASSERT_TRUE(work) << work.error().message;
    const auto down = round.down->submit({*up, *work});
    ASSERT_TRUE(down) << down.error().message;
    last.push_back(*down);
  }
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(last[i].wait());
    EXPECT_THAT(rounds[i].to.mapped_as<std::uint32_t>(), Each(i + 3));
  }
}

// The first use of an image, and its layouts, on one queue and then on the other.
TEST_P(TransferQueueTest, ImagesBelongToBothQueues) {
  const vkc::Kernel load = kernel(kernels::load_texels);
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  for (const vkc::ImageUse use : {vkc::ImageUse::sampled, vkc::ImageUse::storage_and_sampled}) {
    const auto image =
        vkc::Image::create_2d(device(), vkc::ImageFormat::rgba8_uint, 8, 8, {.use = use, .name = "shared"});
    ASSERT_TRUE(image) << image.error().message;
    const vkc::Buffer from = buffer_of(bytes), sums = buffer(256), back = buffer(256);
    vkc::Commands up = transfers(), work = commands(), down = transfers();
    ASSERT_TRUE(up.copy(from, *image));
    ASSERT_TRUE(load.dispatch(work, {}, {{"picture", *image}, {"sums", sums}}));
    ASSERT_TRUE(down.copy(*image, back));
    const auto uploaded = up.submit();
    ASSERT_TRUE(uploaded) << uploaded.error().message;
    const auto computed = work.submit({*uploaded});
    ASSERT_TRUE(computed) << computed.error().message;
    const auto downloaded = down.submit({*computed});
    ASSERT_TRUE(downloaded) << downloaded.error().message;
    ASSERT_TRUE(downloaded->wait());
    EXPECT_EQ(values_of<std::uint8_t>(back), bytes);
    EXPECT_EQ(values_of<std::uint32_t>(sums)[1], 22U);
  }
}

// Work that fails on one queue fails what waits for it on the host.
TEST_P(QueueWaitTest, ALossIsSeenAcrossQueues) {
  reopen(false);
  const vkc::Buffer values = buffer(256);
  pretend_two_queues();
  vkc::Commands first = commands(), second = transfers();
  ASSERT_TRUE(first.fill(values, 1));
  ASSERT_TRUE(second.fill(values, 2));
  const auto submission = first.submit();
  ASSERT_TRUE(submission);
  ASSERT_TRUE(device().wait_idle());
  auto& wait = device().state()->vk.WaitForFences;
  const auto real = wait;
  wait = [](VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
    return VK_ERROR_DEVICE_LOST;
  };
  expect_messages();
  error_of(second.submit({*submission}), ErrorCode::device_lost);
  wait = real;
}

TEST_P(TransferQueueTest, ItRunsNoKernels) {
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, vkc::KernelGroupSize{64});
  const vkc::Buffer values = buffer(256);
  vkc::Commands recorded = transfers();
  EXPECT_THAT(error_of(add_one.dispatch(recorded, {}, {{"values", values}}), ErrorCode::invalid_argument),
              HasSubstr("transfer queue, which runs no kernels"));
  const auto timestamps = vkc::Timestamps::create(device(), 1);
  ASSERT_TRUE(timestamps);
  vkc::Commands timed = transfers();
  EXPECT_THAT(error_of(timed.write_timestamp(*timestamps, 0), ErrorCode::not_supported),
              HasSubstr("compute queue only"));
}

TEST_P(TransferQueueTest, SubmissionsOfAnotherDeviceAreErrors) {
  const auto other = vkc::Device::open(physical_device());
  ASSERT_TRUE(other);
  auto elsewhere = vkc::Commands::create(*other);
  ASSERT_TRUE(elsewhere);
  const auto foreign = elsewhere->submit();
  ASSERT_TRUE(foreign);
  vkc::Commands recorded = transfers();
  EXPECT_THAT(error_of(recorded.submit({*foreign}), ErrorCode::invalid_argument),
              HasSubstr("submission of another device"));
}

VKC_DEVICE_TESTS(TransferQueueTest);
VKC_DEVICE_TESTS(QueueWaitTest);

}  // namespace
