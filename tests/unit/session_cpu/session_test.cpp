// The session itself: precision, windows, several at a time, wrong use.
#include <thread>

#include "session/cpu/cpu_info.h"
#include "support.h"
#include "support/sanitizers.h"

namespace upres::session::test {
namespace {

TEST(CpuSession, SaysWhatItIs) {
  const CpuInfo info = cpu_info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_TRUE(info.library.starts_with("oneDNN "));
  const auto session = make_session(small_network(2));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->device_name(), info.name);
  EXPECT_EQ(session->precision(), "fp32");
  const Extent size{64, 48};
  auto text = session->describe({&size, 1}, {});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("node 1"), std::string::npos);
  EXPECT_NE(text->find("64x48"), std::string::npos);
}

TEST(CpuSession, ReportsEachStep) {
  const graph::Graph graph = small_network(2);
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  const Tensor input = random_tensor(planes(1), {40, 30}, 1);
  Tensor output(planes(1), {80, 60});
  auto report = session->run({{input.view()}, {output.view()}});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_GT(report->compute_ms, 0);
  EXPECT_GE(report->total_ms, report->compute_ms);
  uint64_t flops = 0;
  for (const StepTime& step : report->steps) {
    EXPECT_FALSE(step.kernel.empty()) << step.node;
    flops += step.flops;
  }
  const Extent size{40, 30};
  EXPECT_EQ(flops, graph::flops(graph, *graph::infer_extents(graph, {&size, 1})));
}

// A window somewhere in a picture gives the same bits as the whole picture, away from its cut edges.
void expect_same_bits_in_windows(const CpuOptions& options) {
  const graph::Graph graph = small_network(2);
  const graph::Halo halo = graph::receptive_field(graph);
  const Extent size{61, 47};
  const Tensor picture = random_tensor(planes(1), size, 2);
  const auto session = make_session(graph, options);
  ASSERT_TRUE(session);
  const std::vector<Tensor> whole = run(*session, {picture});
  for (const Origin& origin :
       {Origin{0, 0}, Origin{1, 0}, Origin{7, 5}, Origin{20, 11}, Origin{23, 16}, Origin{38, 24}}) {
    const Extent window{23, 23};
    Tensor input(planes(1), window);
    for (int y = 0; y < window.height_px; ++y) {
      for (int x = 0; x < window.width_px; ++x) {
        input.as<float>()[static_cast<size_t>(y * 23 + x)] =
            picture.as<float>()[static_cast<size_t>((y + origin.y_px) * size.width_px + x + origin.x_px)];
      }
    }
    kernels::JobWindow job_window;
    job_window.input = origin;
    const std::vector<Tensor> got = run(*session, {input}, job_window);
    const int left = origin.x_px == 0 ? 0 : 2 * halo.left_px;
    const int top = origin.y_px == 0 ? 0 : 2 * halo.top_px;
    const int right = origin.x_px + window.width_px == size.width_px ? 46 : 46 - 2 * halo.right_px;
    const int bottom = origin.y_px + window.height_px == size.height_px ? 46 : 46 - 2 * halo.bottom_px;
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const float here = got[0].as<float>()[static_cast<size_t>(y * 46 + x)];
        const auto there =
            static_cast<size_t>((y + 2 * origin.y_px) * 2 * size.width_px + x + 2 * origin.x_px);
        ASSERT_EQ(here, whole[0].as<float>()[there])
            << "window at " << origin.x_px << "," << origin.y_px << ", pixel " << x << "," << y;
      }
    }
  }
}

TEST(CpuSession, WindowsGiveTheBitsOfTheWholePicture) { expect_same_bits_in_windows({}); }

TEST(CpuSession, WindowsGiveTheBitsOfTheWholePictureInBf16) {
  if (!cpu_info().bf16) GTEST_SKIP() << "no bf16 on this processor";
  expect_same_bits_in_windows({.precision = CpuPrecision::bf16});
}

TEST(CpuSession, ThreadsAndStripsGiveTheSameBits) {
  const graph::Graph graph = small_network(2);
  const Tensor picture = random_tensor(planes(1), {33, 301}, 3);
  std::vector<std::byte> expected;
  for (const int threads : {1, 2, 3, 8}) {
    const auto session = make_session(graph, {.threads = threads});
    ASSERT_TRUE(session);
    const std::vector<Tensor> got = run(*session, {picture});
    if (expected.empty()) expected = got[0].bytes;
    EXPECT_EQ(got[0].bytes, expected) << threads << " threads";
  }
}

TEST(CpuSession, Bf16AgreesWithFp32) {
  if (!cpu_info().bf16) GTEST_SKIP() << "no bf16 on this processor";
  const graph::Graph graph = seed_network(3);
  const auto exact = make_session(graph);
  const auto fast = make_session(graph, {.precision = CpuPrecision::bf16});
  ASSERT_TRUE(exact && fast);
  EXPECT_EQ(fast->precision(), "bf16");
  const Tensor picture = random_tensor(planes(1), {97, 61}, 4);
  const Tensor a = run(*exact, {picture})[0];
  const Tensor b = run(*fast, {picture})[0];
  // These weights are random and the output's deviation is about 1, not the 0.2 of pictures: 14 dB less than
  // there.
  EXPECT_GE(psnr_db(a, b), 46);
  EXPECT_LT(psnr_db(a, b), 90) << "bf16 was not used";
}

TEST(CpuSession, Bf16WithoutHardwareIsRefused) {
  if (cpu_info().bf16) GTEST_SKIP() << "this processor has bf16";
  auto session = CpuSession::create(small_network(2), {.precision = CpuPrecision::bf16}, Log());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::device);
}

TEST(CpuSession, SizesMayChangeFromJobToJob) {
  const graph::Graph graph = small_network(2);
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  for (const Extent& size : {Extent{40, 30}, Extent{8, 90}, Extent{40, 30}, Extent{1, 1}, Extent{41, 30}}) {
    const std::vector<Tensor> inputs = {random_tensor(planes(1), size, 5)};
    auto expected = kernels::run_reference(graph, inputs);
    ASSERT_TRUE(expected);
    EXPECT_LE(largest_difference(run(*session, inputs)[0], (*expected)[0]), 1e-5);
  }
}

TEST(CpuSession, TwoSessionsInTwoThreads) {
  const graph::Graph graph = small_network(3);
  const std::vector<Tensor> inputs = {random_tensor(planes(1), {64, 70}, 6)};
  const auto lone = make_session(graph);
  ASSERT_TRUE(lone);
  const std::vector<std::byte> expected = run(*lone, inputs)[0].bytes;
  std::vector<std::byte> got[2];
  std::vector<std::thread> threads;
  for (auto& bytes : got) {
    threads.emplace_back([&bytes, &graph, &inputs] {
      const auto session = make_session(graph, {.threads = 2});
      for (int turn = 0; turn < 5; ++turn) bytes = run(*session, inputs)[0].bytes;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& bytes : got) EXPECT_EQ(bytes, expected);
}

TEST(CpuSession, OutOfMemoryIsAnError) {
  if (upres::test::kSanitizerAllocates) GTEST_SKIP() << "the sanitizer ends the process when memory is out";
  const graph::Graph graph = Chain(planes(1024)).then(graph::Clip{0, 1}, planes(1024)).done();
  const auto session = make_session(graph, {.threads = 1, .band_rows = 1});
  ASSERT_TRUE(session);
  // One row takes 2^29 * 1024 * 4 bytes = 2 TiB.
  const Extent size{1 << 29, 1};
  auto text = session->describe({&size, 1}, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::device);
  EXPECT_NE(text.error().message.find("memory"), std::string::npos) << text.error().message;
  // And it goes on working.
  EXPECT_EQ(run(*session, {random_tensor(planes(1024), {5, 5}, 8)}).size(), 1U);
}

TEST(CpuSession, RowsTooLongForTheLibraryAreAnError) {
  if (upres::test::kSanitizerAllocates) GTEST_SKIP() << "the sanitizer ends the process when memory is out";
  std::mt19937 random(7);
  const auto session =
      make_session(Chain(planes(1)).conv(same_conv(1, 64, 3), random).done(), {.threads = 1});
  ASSERT_TRUE(session);
  const Extent size{1 << 24, 1};
  auto text = session->describe({&size, 1}, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::device);
}

TEST(CpuSession, WrongJobsAreErrors) {
  const graph::Graph graph = small_network(2);
  const auto session = make_session(graph);
  ASSERT_TRUE(session);
  const Tensor input = random_tensor(planes(1), {8, 8}, 9);
  Tensor output(planes(1), {16, 16});
  Tensor small(planes(1), {15, 16});
  Tensor bytes({DType::u8, Layout::planar, 1}, {16, 16});
  EXPECT_FALSE(session->run({{input.view()}, {}}));
  EXPECT_FALSE(session->run({{}, {output.view()}}));
  EXPECT_FALSE(session->run({{input.view()}, {small.view()}}));
  EXPECT_FALSE(session->run({{input.view()}, {bytes.view()}}));
  MutableTensorView cut = output.view();
  cut.bytes = cut.bytes.first(100);
  EXPECT_FALSE(session->run({{input.view()}, {cut}}));
  EXPECT_TRUE(session->run({{input.view()}, {output.view()}}));
  EXPECT_FALSE(session->wait({12345}));
}

TEST(CpuSession, TicketsCanBeWaitedForOnceInAnyOrder) {
  const auto session = make_session(small_network(2));
  ASSERT_TRUE(session);
  const Tensor input = random_tensor(planes(1), {8, 8}, 10);
  Tensor a(planes(1), {16, 16});
  Tensor b(planes(1), {16, 16});
  auto first = session->submit({{input.view()}, {a.view()}});
  auto second = session->submit({{input.view()}, {b.view()}});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(session->wait(*second));
  EXPECT_TRUE(session->wait(*first));
  EXPECT_FALSE(session->wait(*first));
  EXPECT_EQ(a.bytes, b.bytes);
}

}  // namespace
}  // namespace upres::session::test
