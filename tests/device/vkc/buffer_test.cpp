#include <numeric>

#include "test_device.h"
#include "vkc/buffer_state.h"

namespace {

using testing::HasSubstr;
using vkc::MemoryKind;
using vkc_test::error_of;

class BufferTest : public vkc_test::DeviceTest {};

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1U);
  return values;
}

TEST_P(BufferTest, HostKindsAreMapped) {
  for (const MemoryKind kind : {MemoryKind::upload, MemoryKind::download}) {
    const vkc::Buffer host = buffer(1000, kind);
    EXPECT_EQ(host.mapped().size(), 1000U);
    EXPECT_EQ(host.mapped_as<double>().size(), 125U);
    EXPECT_EQ(host.kind(), kind);
  }
}

TEST_P(BufferTest, SizesAreChecked) {
  EXPECT_EQ(error_of(vkc::Buffer::create(device(), 0, MemoryKind::device, "none"),
                     vkc::ErrorCode::invalid_argument),
            "buffer \"none\" of 0 bytes");
  const std::uint64_t most = device().properties().limits.max_buffer_bytes;
  EXPECT_THAT(error_of(vkc::Buffer::create(device(), most + 1), vkc::ErrorCode::limit_exceeded),
              HasSubstr("max_buffer_bytes of " + std::to_string(most)));
}

TEST_P(BufferTest, KindsThatDoNotExistAreErrors) {
  for (const int kind : {3, 255}) {
    EXPECT_THAT(error_of(vkc::Buffer::create(device(), 16, static_cast<MemoryKind>(kind)),
                         vkc::ErrorCode::invalid_argument),
                HasSubstr("kind: " + std::to_string(kind) + " is no MemoryKind"));
  }
}

TEST_P(BufferTest, UploadAndDownload) {
  for (const std::size_t count : {1U, 3U, 1000U}) {
    const vkc::Buffer target = buffer(count * 4 + 8);
    ASSERT_TRUE(vkc::upload(device(), target.range(4, count * 4), counting(count)));
    EXPECT_EQ(values_of<std::uint32_t>(target.range(4, count * 4)), counting(count));
  }
}

// As on a device whose memory the host does not see: more than one staging piece.
TEST_P(BufferTest, UploadAndDownloadThroughStaging) {
  const std::size_t count = (std::size_t{33} << 20) / 4 + 3;
  const vkc::Buffer target = buffer(count * 4);
  target.state()->mapped = nullptr;
  ASSERT_TRUE(vkc::upload(device(), target, counting(count)));
  EXPECT_EQ(values_of<std::uint32_t>(target), counting(count));
  EXPECT_EQ(
      values_of<std::uint32_t>(target.range(4 * (count - 3), 12)),
      (std::vector<std::uint32_t>{static_cast<std::uint32_t>(count) - 2,
                                  static_cast<std::uint32_t>(count) - 1, static_cast<std::uint32_t>(count)}));
}

TEST_P(BufferTest, TransfersBeyondTheRangeAreErrors) {
  const vkc::Buffer target = buffer(16, MemoryKind::device, "small");
  EXPECT_THAT(error_of(vkc::upload(device(), target, counting(5)), vkc::ErrorCode::invalid_argument),
              HasSubstr("20 bytes do not fit into 16 of buffer \"small\""));
  EXPECT_THAT(
      error_of(vkc::upload(device(), target.range(8, 16), counting(1)), vkc::ErrorCode::invalid_argument),
      HasSubstr("the range of 16 bytes at 8 is not inside buffer \"small\" of 16 bytes"));
  EXPECT_FALSE(vkc::upload(device(), target.range(UINT64_MAX - 3, 8), counting(1)));
  EXPECT_TRUE(vkc::upload(device(), target, std::vector<int>()));
}

// Memory that is flushed and invalidated by hand; doing so to coherent memory is allowed and changes nothing.
TEST_P(BufferTest, MemoryThatIsNotCoherent) {
  const vkc::Buffer up = buffer(40, MemoryKind::upload);
  const vkc::Buffer down = buffer(40, MemoryKind::download);
  up.state()->coherent = false;
  down.state()->coherent = false;
  std::iota(up.mapped_as<int>().begin(), up.mapped_as<int>().end(), 5);
  vkc::Commands copy = commands();
  ASSERT_TRUE(copy.copy(up, down));
  run(copy);
  EXPECT_EQ(down.mapped_as<int>()[9], 14);
}

// Counts how often memory is asked for; fails the first time as a full heap would.
PFN_vkAllocateMemory real_allocate = nullptr;
int allocations = 0;
VkResult VKAPI_CALL fail_once(VkDevice device, const VkMemoryAllocateInfo* info,
                              const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  return ++allocations == 1 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : real_allocate(device, info, callbacks, memory);
}
VkResult VKAPI_CALL fail_always(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                                VkDeviceMemory*) {
  ++allocations;
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

TEST_P(BufferTest, AFullHeapIsAnErrorWithTheSize) {
  auto& allocate = device().state()->vk.AllocateMemory;
  real_allocate = allocate;
  allocate = fail_always;
  EXPECT_THAT(
      error_of(vkc::Buffer::create(device(), 4096, MemoryKind::device, "big"), vkc::ErrorCode::out_of_memory),
      testing::AllOf(HasSubstr("4096 bytes for buffer \"big\""), HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY")));
  allocate = real_allocate;
  EXPECT_FALSE(device().is_lost());
}

TEST_P(BufferTest, AFullHeapIsNotTheEndWhereThereIsAnother) {
  auto& allocate = device().state()->vk.AllocateMemory;
  if (device().state()->memory.memoryTypeCount < 2) GTEST_SKIP() << "one kind of memory only";
  real_allocate = allocate;
  allocations = 0;
  allocate = fail_once;
  const auto made = vkc::Buffer::create(device(), 4096);
  allocate = real_allocate;
  EXPECT_TRUE(made) << made.error().message;
  EXPECT_EQ(allocations, 2);
}

VKC_DEVICE_TESTS(BufferTest);

}  // namespace
