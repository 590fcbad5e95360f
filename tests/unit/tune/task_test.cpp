#include "tune/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tasks.h"
#include "tune/task_json.h"

namespace upres::tune {
namespace {

using devicedb::Json;

// As the other side gets it.
Json sent(const Json& json) { return Json::parse(json.dump()); }

TEST(Task, JsonHoldsEverythingThatATimeDependsOn) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const Task& task : standard_tasks({64, 48}, dtype, generous_device(), {})) {
      const auto read = task_from_json(sent(to_json(task)));
      ASSERT_TRUE(read) << exact_text(task) << ": " << read.error().text();
      EXPECT_EQ(exact_text(*read), exact_text(task));
    }
  }
}

TEST(Task, WrongJsonIsRefusedByKey) {
  const Json good = sent(to_json(small_task()));
  for (const auto& item : good["convolutions"][0].items()) {
    for (const Json& wrong : {Json(), Json(-1), Json(1e300), Json("?"), Json::array(), Json(true)}) {
      if (item.value().is_boolean() && wrong.is_boolean()) continue;
      Json bad = good;
      bad["convolutions"][0][item.key()] = wrong;
      const auto read = task_from_json(bad);
      ASSERT_FALSE(read) << bad;
      EXPECT_THAT(read.error().message, ::testing::HasSubstr(item.key()));
    }
    Json bad = good;
    bad["convolutions"][0].erase(item.key());
    EXPECT_FALSE(task_from_json(bad)) << item.key();
  }
  Json three = good;
  for (int i = 0; i < 2; ++i) three["convolutions"].push_back(good["convolutions"][0]);
  EXPECT_FALSE(task_from_json(three));
  for (const auto& item : good.items()) {
    for (const Json& wrong : {Json(), Json(-1), Json(1e300), Json("?"), Json::array(), Json(true)}) {
      Json bad = good;
      bad[item.key()] = wrong;
      const auto read = task_from_json(bad);
      ASSERT_FALSE(read) << bad;
      EXPECT_THAT(read.error().message, ::testing::HasSubstr(item.key()));
    }
    Json bad = good;
    bad.erase(item.key());
    EXPECT_FALSE(task_from_json(bad)) << item.key();
  }
  EXPECT_FALSE(task_from_json(Json()));
}

TEST(Task, ParametersAreThoseThatTheKernelTakes) {
  const kernels::Kernel& kernel = *small_task().kernel;
  ASSERT_TRUE(parameters_from_json(sent(to_json(packed(32))), kernel));
  EXPECT_FALSE(parameters_from_json(sent(to_json(packed(31))), kernel));
  EXPECT_FALSE(parameters_from_json(Json::object(), kernel));
  EXPECT_FALSE(parameters_from_json(Json::array({1}), kernel));
}

TEST(Task, AKernelThatDoesNotComputeItIsAnError) {
  EXPECT_FALSE(make_task(*kernels::find_kernel("conv_rows"), small_conv(), {64, 48}, DType::f32));
  EXPECT_FALSE(make_task(*kernels::find_kernel("clip"), small_conv(), {64, 48}, DType::f32));
}

TEST(Task, StandardShapesReachEveryConvolutionKernel) {
  std::set<std::string_view> reached;
  kernels::DeviceInfo info = generous_device();
  info.limits.matrix_shapes = {{16, 16, 16}};
  for (const DType dtype : {DType::f32, DType::f16}) {
    std::set<std::string> texts;
    for (const Task& task : standard_tasks({64, 48}, dtype, info, {})) {
      reached.insert(task.kernel->id());
      EXPECT_TRUE(texts.insert(exact_text(task)).second) << exact_text(task);
    }
  }
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    if (kernel->family() == "conv") {
      EXPECT_TRUE(reached.contains(kernel->id())) << kernel->id();
    }
  }
}

// Candidates that keep images get images, the others buffers; what a plan chose makes no difference.
TEST(Task, StoragesFollowTheCandidate) {
  using kernels::Arrangement;
  Task task = small_task();
  Parameters parameters = packed(16);
  EXPECT_EQ(task.selection(parameters).input.arrangement, Arrangement::packed);
  parameters[3].value = kernels::kInImages;
  EXPECT_EQ(task.selection(parameters).input.arrangement, Arrangement::image);
  EXPECT_EQ(task.selection(parameters).output.arrangement, Arrangement::image);
  task.input = {};
  EXPECT_EQ(task.selection(parameters).input.arrangement, Arrangement::plain);
}

}  // namespace
}  // namespace upres::tune
