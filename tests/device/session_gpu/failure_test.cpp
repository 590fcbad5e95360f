// What goes wrong is said, computes nothing wrong, and leaves a session that can be destroyed.
#include <gmock/gmock.h>

#include "device/session_gpu/session_fixture.h"

namespace upres::session {
namespace {

using ::testing::HasSubstr;
using testing::Random;
using testing::with_ends;

class Failure : public OnEveryDevice {
 protected:
  // A session for the device as if it had smaller limits.
  static std::unique_ptr<GpuSession> limited_session(
      const vkc::Device& device, const graph::Graph& graph,
      const std::function<void(kernels::DeviceLimits&)>& change) {
    kernels::DeviceInfo info = device_info(device.physical_device());
    change(info.limits);
    auto session = GpuSession::create(device, chosen_for(graph, info));
    EXPECT_TRUE(session) << session.error().text();
    return session ? std::move(*session) : nullptr;
  }
};

TEST_F(Failure, EverySubmitInTurn) {
  for_each_device([](const vkc::Device& device) {
    Random random(41);
    const auto graph = with_ends(testing::espcn(1, 1, 2, 4));
    const auto inputs = random_inputs(random, graph, {33, 21});
    int failures = 0;
    for (int k = 0; k < 200; k += 1 + k / 3) {
      // Small submits: a job is many of them.
      const auto session = make_session(device, graph, {.max_submit_ms = 0.001, .fail_at_submit = k});
      ASSERT_TRUE(session);
      auto outputs = make_outputs(graph, inputs);
      const auto untouched = outputs[0].bytes;
      const auto report = session->run(make_job(inputs, outputs));
      if (report) break;
      ++failures;
      EXPECT_EQ(report.error().code, ErrorCode::device);
      EXPECT_THAT(report.error().message, HasSubstr("while submitting step "));
      EXPECT_THAT(report.error().message, HasSubstr(device.properties().name));
      EXPECT_EQ(outputs[0].bytes, untouched) << "nothing is handed out after a failed submit";
    }
    EXPECT_GT(failures, 3) << "the job was not cut into submits";
  });
}

TEST_F(Failure, LimitsAreNamedAndSmallerWindowsStillRun) {
  for_each_device([](const vkc::Device& device) {
    Random random(42);
    const auto graph = with_ends(testing::espcn(2, 1, 2, 16));
    const auto session = limited_session(
        device, graph, [](kernels::DeviceLimits& limits) { limits.max_storage_buffer_range_bytes = 100000; });
    ASSERT_TRUE(session);
    const auto large = random_inputs(random, graph, {64, 64});
    auto outputs = make_outputs(graph, large);
    const auto refused = session->run(make_job(large, outputs));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::device);
    EXPECT_THAT(refused.error().message, HasSubstr("max_storage_buffer_range_bytes of 100000"));
    run_session(*session, random_inputs(random, graph, {16, 16}));
  });
}

TEST_F(Failure, WindowsBeyondTheDevicesMemory) {
  for_each_device([](const vkc::Device& device) {
    // The plan thinks that there is room, the device knows better: an error of the device, not a crash.
    graph::Graph graph = testing::espcn(3, 1, 2, 64);
    const auto session = limited_session(device, graph, [](kernels::DeviceLimits& limits) {
      limits.max_storage_buffer_range_bytes = limits.max_buffer_bytes = uint64_t{1} << 62;
    });
    ASSERT_TRUE(session);
    Job job;
    const Extent extent{1 << 20, 1 << 14};
    const TensorType luma{DType::f32, Layout::planar, 1};
    // Views of memory that is not there: nothing may be read before the memory of the device is.
    static std::byte nothing;
    const size_t bytes = packed_bytes(luma, extent);
    job.inputs.push_back({luma, extent, row_bytes(luma, extent), {&nothing, bytes}});
    job.outputs.push_back({luma, {2 << 20, 2 << 14}, 2 * row_bytes(luma, extent), {&nothing, 4 * bytes}});
    const auto report = session->run(job);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::device);
    Random random(43);
    run_session(*session, random_inputs(random, graph, {16, 16}));
  });
}

TEST_F(Failure, JobsThatDoNotFitTheGraph) {
  for_each_device([](const vkc::Device& device) {
    Random random(44);
    const auto graph = with_ends(testing::espcn(4, 1, 2, 4));
    const auto session = make_session(device, graph);
    ASSERT_TRUE(session);
    const auto inputs = random_inputs(random, graph, {12, 10});
    auto outputs = make_outputs(graph, inputs);
    const Job good = make_job(inputs, outputs);

    Job job = good;
    job.inputs.clear();
    EXPECT_EQ(session->run(job).error().code, ErrorCode::usage);
    job = good;
    job.outputs.pop_back();
    EXPECT_EQ(session->run(job).error().code, ErrorCode::usage);
    job = good;
    job.inputs[0].type.channels = 4;
    EXPECT_EQ(session->run(job).error().code, ErrorCode::usage);
    job = good;
    job.inputs[0].extent = {0, 10};
    EXPECT_EQ(session->run(job).error().code, ErrorCode::model);
    job = good;
    job.outputs[0].extent.width_px += 1;
    const auto wrong_size = session->run(job);
    ASSERT_FALSE(wrong_size);
    EXPECT_EQ(wrong_size.error().code, ErrorCode::model);
    EXPECT_THAT(wrong_size.error().message, HasSubstr("25x20"));
    job = good;
    job.outputs[0].bytes = job.outputs[0].bytes.first(job.outputs[0].bytes.size() - 1);
    EXPECT_EQ(session->run(job).error().code, ErrorCode::usage);
    job = good;
    job.inputs[0].row_stride_bytes = 1;
    EXPECT_EQ(session->run(job).error().code, ErrorCode::usage);
    EXPECT_EQ(session->wait(Ticket{12345}).error().code, ErrorCode::usage);
    EXPECT_TRUE(session->run(good));
  });
}

TEST_F(Failure, OptionsOutOfRange) {
  for_each_device([](const vkc::Device& device) {
    const auto chosen = chosen_for(testing::espcn(5, 1, 2, 4), device_info(device.physical_device()));
    for (const GpuOptions& options :
         {GpuOptions{.slots = 0}, GpuOptions{.slots = 17}, GpuOptions{.max_submit_ms = 0},
          GpuOptions{.max_submit_ms = std::nan("")}}) {
      const auto session = GpuSession::create(device, chosen, options);
      ASSERT_FALSE(session);
      EXPECT_EQ(session.error().code, ErrorCode::usage);
    }
  });
}

}  // namespace
}  // namespace upres::session
