// Candidates measured on every Vulkan device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_devices.h"
#include "tune/search.h"
#include "unit/tune/tasks.h"

namespace upres::tune {
namespace {

using testing_devices::TestDevices;

class LocalRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!devices_.devices().empty()) return;
    if (TestDevices::required()) FAIL() << devices_.problem();
    GTEST_SKIP() << "EVERY TEST SKIPPED: " << devices_.problem();
  }
  void TearDown() override { EXPECT_EQ(devices_.validation_messages(), 0U); }

  TestDevices devices_ = TestDevices::open();
  const WarmUp quick_ = {0.05, 0.01};
};

TEST_F(LocalRunnerTest, MeasuresInBothTypes) {
  for (const auto& [device, info] : devices_.devices()) {
    LocalRunner runner(device, quick_);
    for (const DType dtype : {DType::f32, DType::f16}) {
      if (dtype == DType::f16 && !(info.limits.fp16_storage && info.limits.fp16_arithmetic)) continue;
      const auto timing = runner.measure(small_task("conv_packed", dtype), packed(32), {0, 60});
      ASSERT_TRUE(timing) << info.name << ": " << timing.error().text();
      EXPECT_GT(timing->time_ms, 0);
      EXPECT_GT(timing->compile_ms, 0);
      const auto duel = runner.duel(small_task("conv_packed", dtype), packed(32), packed(8), 60);
      ASSERT_TRUE(duel) << duel.error().text();
      EXPECT_EQ(duel->standard_ms.size(), duel->best_ms.size());
    }
  }
}

// The reference is of the task as it is; what computes something else must not pass.
TEST_F(LocalRunnerTest, RefusesAWrongResult) {
  for (const auto& [device, info] : devices_.devices()) {
    const Task task = small_task();
    auto reference = make_reference(task);
    ASSERT_TRUE(reference);
    auto trial = Trial::create(device, task, packed(32));
    ASSERT_TRUE(trial) << trial.error().text();
    EXPECT_TRUE(trial->check(*reference));
    reference->expected.front().as<float>()[1234] += 0.5F;
    const auto checked = trial->check(*reference);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::device);
    EXPECT_THAT(checked.error().message, ::testing::HasSubstr("wrong result"));
  }
}

TEST_F(LocalRunnerTest, WithoutTimeNothingIsKnown) {
  for (const auto& [device, info] : devices_.devices()) {
    LocalRunner runner(device, quick_);
    const auto timing = runner.measure(small_task(), packed(32), {0, 1e-9});
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, ErrorCode::cancelled);
    const auto duel = runner.duel(small_task(), packed(32), packed(8), 1e-9);
    ASSERT_FALSE(duel);
    EXPECT_EQ(duel.error().code, ErrorCode::cancelled);
  }
}

TEST_F(LocalRunnerTest, ASearchEndsInTimeWithSomethingLegal) {
  for (const auto& [device, info] : devices_.devices()) {
    LocalRunner runner(device, quick_);
    Known known;
    const Task task = small_task();
    const auto result = search(runner, info, devicedb::Database::embedded(), task, known, {.budget_s = 3});
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_LE(result->best.time_ms, result->standard.time_ms);
    EXPECT_TRUE(task.kernel->legal(task.graph, task.node(), info, task.selection(result->best.parameters)));
    EXPECT_GT(known.time_ms.size(), 1U);
  }
}

}  // namespace
}  // namespace upres::tune
