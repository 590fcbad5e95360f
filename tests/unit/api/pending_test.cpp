// Several pictures in flight, several upscalers, several threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "unit/api/samples.h"

namespace upres::test {
namespace {

TEST(Pending, SeveralPicturesGiveWhatOneByOneGives) {
  Upscaler enlarger = upscaler();
  std::vector<Image> sources;
  for (int i = 0; i < 6; ++i)
    sources.push_back(picture({20 + i, 15, 1 + i % 4, i % 2 == 0 ? DType::u8 : DType::u16}));
  std::vector<Pending<Image>> pending;
  for (const Image& source : sources) pending.push_back(enlarger.submit(source.view()).value());
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto result = pending[i].wait();
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_TRUE(pending[i].is_done());
    EXPECT_EQ(result->bytes, enlarger.upscale(sources[i].view())->bytes);
  }
}

TEST(Pending, GoesIntoTheCallersPixels) {
  Upscaler enlarger = upscaler();
  const Image source = picture({20, 15, 3, DType::u8});
  Image result = picture({40, 30, 3, DType::u8});
  EXPECT_EQ(enlarger.submit_into(source.view(), result.view())->wait(), (Extent{40, 30}));
  EXPECT_EQ(result.bytes, enlarger.upscale(source.view())->bytes);
}

TEST(Pending, HandsItsResultOverOnce) {
  Upscaler enlarger = upscaler();
  const Image source = picture({8, 8, 1, DType::u8});
  Pending<Image> pending = enlarger.submit(source.view()).value();
  EXPECT_TRUE(pending.wait());
  EXPECT_EQ(pending.wait().error().code, ErrorCode::usage);
  Pending<Image> moved = std::move(pending);
  EXPECT_EQ(pending.wait().error().code, ErrorCode::usage);  // NOLINT(bugprone-use-after-move): meant
  EXPECT_TRUE(pending.is_done());
  pending.cancel();
}

TEST(Pending, CancelledWorkStopsAndTheRestGoesOn) {
  UpscalerOptions options;
  options.tile_px = 32;
  options.pictures_in_flight = 1;
  Upscaler enlarger = upscaler("espcn_x2", options);
  const Image large = picture({400, 400, 3, DType::u8});
  const Image small = picture({8, 8, 3, DType::u8});
  std::atomic<bool> started = false;
  UpscaleOptions slow;
  slow.progress = [&](int64_t, int64_t) { started = true; };
  Pending<Image> first = enlarger.submit(large.view(), slow).value();
  Pending<Image> queued = enlarger.submit(large.view()).value();
  Pending<Image> last = enlarger.submit(small.view()).value();
  while (!started) std::this_thread::yield();
  first.cancel();
  queued.cancel();
  EXPECT_EQ(first.wait().error().code, ErrorCode::cancelled);
  EXPECT_EQ(queued.wait().error().code, ErrorCode::cancelled);
  EXPECT_TRUE(last.wait());
}

TEST(Pending, OutlivesItsUpscaler) {
  const Image large = picture({400, 400, 3, DType::u8});
  std::vector<Pending<Image>> pending;
  {
    Upscaler enlarger = upscaler();
    for (int i = 0; i < 3; ++i) pending.push_back(enlarger.submit(large.view()).value());
  }
  for (auto& each : pending) {
    EXPECT_TRUE(each.is_done());
    const auto result = each.wait();
    EXPECT_TRUE(result || result.error().code == ErrorCode::cancelled);
  }
  EXPECT_EQ(pending.back().wait().error().code, ErrorCode::usage);
}

TEST(Pending, DroppedWorkLeavesThePixelsAlone) {
  Upscaler enlarger = upscaler();
  for (int i = 0; i < 3; ++i) {
    const Image source = picture({200, 200, 3, DType::u8});
    const auto dropped = enlarger.submit(source.view());
    EXPECT_TRUE(dropped);
  }  // freed memory that is still read would show under a sanitizer
}

TEST(Threads, OneUpscalerFromMany) {
  Upscaler enlarger = upscaler();
  const Image source = picture({30, 20, 3, DType::u8});
  const auto expected = enlarger.upscale(source.view())->bytes;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) right += enlarger.upscale(source.view())->bytes == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 12);
}

TEST(Threads, ManyUpscalersOnOneDevice) {
  const Device device = Device::open("cpu").value();
  const Model model = Model::embedded("espcn_x2").value();
  const Image source = picture({30, 20, 3, DType::u8});
  const auto expected = Upscaler::create(device, model)->upscale(source.view())->bytes;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto own = Upscaler::create(device, model);
      right += own && own->upscale(source.view())->bytes == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

}  // namespace
}  // namespace upres::test
