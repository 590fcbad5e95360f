// The public interface on every Vulkan device that is there, beside the CPU.
#include <atomic>
#include <thread>

#include "device/api/gpus.h"

namespace upres::test {
namespace {

class Gpu : public OnGpus {
 protected:
  const Image source_ = picture({60, 45, 3, DType::u8});
};

TEST_F(Gpu, AgreesWithTheCpu) {
  const auto cpu = Upscaler::create(Device::open("cpu").value(), model_, {.precision = Precision::fp32})
                       ->upscale(source_.view());
  ASSERT_TRUE(cpu);
  for (const std::string& uuid : uuids_) {
    for (const int tile_px : {0, 24}) {
      auto enlarger = Upscaler::create(Device::open(uuid).value(), model_,
                                       {.tile_px = tile_px, .fall_back_to_cpu = false});
      ASSERT_TRUE(enlarger) << enlarger.error().text();
      EXPECT_EQ(enlarger->memory_use().device_bytes, 0U);
      const auto gpu = enlarger->upscale(source_.view());
      ASSERT_TRUE(gpu) << gpu.error().text();
      EXPECT_EQ(gpu->shape, cpu->shape);
      EXPECT_LE(largest_difference(*gpu, *cpu), 1) << enlarger->device().description().name;
      EXPECT_GT(enlarger->memory_use().device_bytes, 1000U);
    }
  }
}

TEST_F(Gpu, ServesManyUpscalersAndPicturesInFlight) {
  const Device device = Device::open(uuids_.front()).value();
  const auto expected = Upscaler::create(device, model_)->upscale(source_.view())->bytes;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      auto own = Upscaler::create(device, model_);
      if (!own) return;
      auto first = own->submit(source_.view());
      auto second = own->submit(source_.view());
      if (first && second && first->wait()->bytes == expected && second->wait()->bytes == expected) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 3);
}

TEST_F(Gpu, HandlesMayGoInAnyOrder) {
  std::optional<Pending<Image>> pending;
  {
    std::optional<Device> device = Device::open(uuids_.front()).value();
    std::optional<Upscaler> enlarger = Upscaler::create(*device, model_).value();
    device.reset();
    EXPECT_TRUE(enlarger->upscale(source_.view()));
    pending = enlarger->submit(source_.view()).value();
  }
  const auto result = pending->wait();
  EXPECT_TRUE(result || result.error().code == ErrorCode::cancelled);
}

}  // namespace
}  // namespace upres::test
