// A device that is lost while pictures are computed, as users of the public interface see it.
#include <gmock/gmock.h>

#include <mutex>
#include <utility>

#include "device/api/gpus.h"
#include "lose_device.h"

namespace upres::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Two windows, so that a device can be lost in the middle of a picture.
constexpr int kTile_px = 20;

class Loss : public OnGpus {
 protected:
  void SetUp() override {
    lose_device_after(-1);
    OnGpus::SetUp();
  }
  void TearDown() override { lose_device_after(-1); }

  [[nodiscard]] Device open() const { return Device::open(uuids_.front()).value(); }
  [[nodiscard]] Upscaler make(const Device& device, bool fall_back_to_cpu, const Log& log = {}) const {
    return Upscaler::create(
               device, model_,
               {.tile_px = kTile_px, .fall_back_to_cpu = fall_back_to_cpu, .pictures_in_flight = 3}, log)
        .value();
  }
  [[nodiscard]] std::vector<Pending<Image>> submit(Upscaler& upscaler, int count) const {
    std::vector<Pending<Image>> pending;
    for (int i = 0; i < count; ++i) pending.push_back(upscaler.submit(source_.view()).value());
    return pending;
  }

  const Image source_ = picture({24, 20, 3, DType::u8});
  const Image expected_ =
      upscaler("espcn_x2", {.precision = Precision::fp32}).upscale(source_.view()).value();
};

// Every picture has one outcome: the right pixels, or the loss. Gives the number of those that had the
// latter.
int check_outcomes(std::vector<Pending<Image>>& pending, const Image& expected) {
  int lost = 0;
  for (Pending<Image>& picture : pending) {
    const auto result = picture.wait();
    if (result) {
      EXPECT_LE(largest_difference(*result, expected), 1);
    } else {
      ++lost;
      EXPECT_EQ(result.error().code, ErrorCode::device) << result.error().text();
      EXPECT_THAT(result.error().text(), testing::AnyOf(HasSubstr("was lost"), HasSubstr("DEVICE_LOST")));
    }
    EXPECT_EQ(picture.wait().error().code, ErrorCode::usage) << "an outcome is handed over once";
  }
  return lost;
}

TEST_F(Loss, EveryPictureInFlightIsToldOnce) {
  constexpr int kPictures = 4;
  int in_between = 0;
  lose_device_after(-1);
  {
    Upscaler upscaler = make(open(), false);
    auto pending = submit(upscaler, kPictures);
    ASSERT_EQ(check_outcomes(pending, expected_), 0);
  }
  const int all_calls = submits_and_waits();
  ASSERT_GT(all_calls, kPictures) << "the layer is not in the chain";
  for (int calls = 0; calls < all_calls; calls += 1 + all_calls / 9) {
    lose_device_after(-1);
    Upscaler upscaler = make(open(), false);
    lose_device_after(calls);
    auto pending = submit(upscaler, kPictures);
    const int lost = check_outcomes(pending, expected_);
    if (lost > 0 && lost < kPictures) ++in_between;
    if (lost == 0) continue;
    const auto later = upscaler.upscale(source_.view());
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code, ErrorCode::device);
    auto same_device = Upscaler::create(upscaler.device(), model_, {.fall_back_to_cpu = false});
    EXPECT_FALSE(same_device && same_device->upscale(source_.view())) << "a lost device stays lost";
  }
  EXPECT_GT(in_between, 0);
  lose_device_after(-1);
  EXPECT_TRUE(make(open(), false).upscale(source_.view())) << "opened again, it works";
}

TEST_F(Loss, TheCpuComputesWhatTheDeviceCannot) {
  for (const int calls : {0, 2, 5}) {
    std::mutex mutex;
    std::vector<std::string> warnings;
    const Log log([&](LogLevel level, std::string_view text) {
      const std::lock_guard lock(mutex);
      if (level == LogLevel::warning) warnings.emplace_back(text);
    });
    lose_device_after(-1);
    Upscaler upscaler = make(open(), true, log);
    lose_device_after(calls);
    auto pending = submit(upscaler, 4);
    EXPECT_EQ(check_outcomes(pending, expected_), 0);
    EXPECT_THAT(warnings, Contains(HasSubstr("computing again on ")));
    EXPECT_EQ(largest_difference(upscaler.upscale(source_.view()).value(), expected_), 0)
        << "from here on it is the CPU's";
    EXPECT_GT(upscaler.memory_use().host_bytes, 0U);
  }
}

TEST_F(Loss, HandlesGoInAnyOrder) {
  for (const int calls : {0, 1, 3}) {
    std::optional<Device> device = open();
    std::optional<Upscaler> first = make(*device, false), second = make(*device, false);
    lose_device_after(calls);
    auto of_first = submit(*first, 3);
    auto of_second = submit(*second, 3);
    device.reset();
    first.reset();  // cancels what waits
    of_second.clear();
    for (Pending<Image>& picture : of_first) {
      EXPECT_TRUE(picture.is_done());
      const auto result = picture.wait();
      if (!result) {
        EXPECT_THAT(result.error().code, testing::AnyOf(ErrorCode::device, ErrorCode::cancelled));
      }
    }
    lose_device_after(-1);
  }
}

}  // namespace
}  // namespace upres::test
