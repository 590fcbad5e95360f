#include <vkc/native.h>

#include <cstddef>
#include <random>

#include "test_device.h"

namespace {

namespace kernels = vkc_test_kernels;
using testing::HasSubstr;
using vkc::ErrorCode;
using vkc::KernelGroupSize;
using vkc_test::error_of;

class KernelTest : public vkc_test::DeviceTest {
 protected:
  std::string create_error(const vkc::KernelSource& source, vkc::ListView<vkc::Constant> constants,
                           std::optional<KernelGroupSize> group_size, ErrorCode code,
                           const vkc::KernelOptions& options = {}) {
    return error_of(vkc::Kernel::create(device(), source, constants, group_size, options), code);
  }
  // Of a dispatch alone in its commands.
  std::string dispatch_error(const vkc::Kernel& kernel, const vkc::GroupCount& groups,
                             vkc::ListView<vkc::Binding> bindings, const vkc::PushConstants& push,
                             ErrorCode code) {
    vkc::Commands recorded = commands();
    const std::string message = error_of(kernel.dispatch(recorded, groups, bindings, push), code);
    EXPECT_EQ(error_of(recorded.submit(), code), message);  // it was kept
    return message;
  }
};

struct SaxpyPush {
  std::uint32_t count;
  float a;
};

TEST_P(KernelTest, PushConstantsMatchTheHostStruct) {
  const auto status = vkc::check_push_constants(
      kernels::saxpy, {{"count", offsetof(SaxpyPush, count), sizeof(SaxpyPush::count)},
                       {"a", offsetof(SaxpyPush, a), sizeof(SaxpyPush::a)}});
  EXPECT_TRUE(status) << status.error().text();
}

TEST_P(KernelTest, SaxpyAtSizesAroundTheGroup) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (const std::uint32_t group : {1U, 7U, 64U, 128U}) {
    const vkc::Kernel saxpy = kernel(kernels::saxpy, {}, KernelGroupSize{group});
    EXPECT_EQ(saxpy.group_size(), KernelGroupSize{group});
    for (const std::uint32_t count : {1U, group - 1, group, group + 1, 3 * group + 1, 1009U}) {
      if (count == 0) continue;
      SCOPED_TRACE("group " + std::to_string(group) + ", count " + std::to_string(count));
      std::vector<float> x(count), y(count + 1), expected;
      for (float& value : x) value = distribution(random);
      for (float& value : y) value = distribution(random);
      const SaxpyPush push = {count, 0.5F};  // exact, contracted or not
      for (std::size_t i = 0; i < count; ++i) expected.push_back(push.a * x[i] + y[i]);
      expected.push_back(y[count]);
      const vkc::Buffer device_x = buffer_of(x), device_y = buffer_of(y);
      vkc::Commands recorded = commands();
      ASSERT_TRUE(saxpy.dispatch(recorded, vkc::group_count({count}, saxpy.group_size()),
                                 {{"x", device_x}, {"y", device_y}}, push));
      run(recorded);
      EXPECT_EQ(values_of<float>(device_y), expected);
    }
  }
}

TEST_P(KernelTest, ConstantsReachTheKernel) {
  const vkc::Buffer output = buffer(16);
  const vkc::Kernel first =
      kernel(kernels::constants, {{"flag", true}, {"number", -5}, {"count", 3}, {"scale", 1.5F}},
             KernelGroupSize{1});
  const vkc::Kernel second =
      kernel(kernels::constants,
             {{"scale", 0.25}, {"count", 4U}, {"number", 2000000000}, {"flag", false}, {"group_size_x", 1}});
  vkc::Commands recorded = commands();
  ASSERT_TRUE(first.dispatch(recorded, {}, {{"output", output}}));
  run(recorded);
  EXPECT_EQ(values_of<float>(output), (std::vector<float>{1, -5, 3, 4.5F}));
  ASSERT_TRUE(recorded.reset());
  ASSERT_TRUE(second.dispatch(recorded, {}, {{"output", output}}));
  run(recorded);
  EXPECT_EQ(values_of<float>(output), (std::vector<float>{0, 2e9F, 4, 1}));
}

TEST_P(KernelTest, StatisticsAreTheDrivers) {
  const vkc::KernelOptions wanted{.statistics = true};
  const auto made = vkc::Kernel::create(device(), kernels::saxpy, {}, KernelGroupSize{64, 1, 1}, wanted);
  ASSERT_TRUE(made) << made.error().message;
  if (!device().properties().features.pipeline_statistics) {
    EXPECT_THAT(error_of(made->statistics(), ErrorCode::not_supported), HasSubstr("saxpy"));
    return;
  }
  const auto statistics = made->statistics();
  ASSERT_TRUE(statistics) << statistics.error().message;
  EXPECT_FALSE(statistics->all.empty());
  for (const vkc::KernelStatistic& each : statistics->all) EXPECT_FALSE(each.name.empty());
  const vkc::Kernel plain = kernel(kernels::saxpy, {}, KernelGroupSize{64, 1, 1});
  EXPECT_THAT(error_of(plain.statistics(), ErrorCode::invalid_argument),
              HasSubstr("KernelOptions::statistics"));
}

TEST_P(KernelTest, SharedMemoryFollowsItsConstant) {
  const vkc::Kernel reverse = kernel(kernels::shared, {{"elements", 100}}, KernelGroupSize{16});
  EXPECT_EQ(reverse.shared_memory_bytes(), 400U);
  std::vector<std::uint32_t> values(32), expected(32);
  for (std::uint32_t i = 0; i < 32; ++i) {
    values[i] = i;
    expected[i] = i / 16 * 16 + 15 - i % 16;
  }
  const vkc::Buffer held = buffer_of(values);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(reverse.dispatch(recorded, {2}, {{"values", held}}));
  run(recorded);
  EXPECT_EQ(values_of<std::uint32_t>(held), expected);
}

TEST_P(KernelTest, UniformBuffersAreBoundByName) {
  const vkc::Kernel scale = kernel(kernels::uniform);
  struct {
    float scale[4] = {1, 2, 3, 4};
    std::uint32_t offset = 10;
    std::uint32_t padding[3] = {};
  } const parameters;
  const vkc::Buffer uniform = buffer_of(std::vector{parameters});
  const vkc::Buffer input = buffer_of(std::vector<float>(16, 2)), output = buffer(64);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(scale.dispatch(recorded, {}, {{"output", output}, {"parameters", uniform}, {"input", input}}));
  run(recorded);
  const std::vector<float> values = values_of<float>(output);
  EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 4), (std::vector<float>{12, 14, 16, 18}));
}

TEST_P(KernelTest, SetsMayHaveGaps) {
  const vkc::Kernel add = kernel(kernels::sets);
  const vkc::Buffer first = buffer_of(std::vector<std::uint32_t>(8, 3)),
                    second = buffer_of(std::vector<std::uint32_t>(8, 4)), sum = buffer(32);
  vkc::Commands recorded = commands();
  ASSERT_TRUE(add.dispatch(recorded, {}, {{"first", first}, {"second", second}, {"sum", sum}}));
  run(recorded);
  EXPECT_EQ(values_of<std::uint32_t>(sum), std::vector<std::uint32_t>(8, 7));
}

TEST_P(KernelTest, LiteralGroupSizes) {
  const vkc::Kernel literal = kernel(kernels::literal);
  EXPECT_EQ(literal.group_size(), (KernelGroupSize{8, 2, 1}));
  kernel(kernels::literal, {}, KernelGroupSize{8, 2, 1});
  EXPECT_THAT(create_error(kernels::literal, {}, KernelGroupSize{8, 4, 1}, ErrorCode::invalid_argument),
              HasSubstr("a group size of 8x4x1 is asked for, but the module's is 8x2x1"));
}

TEST_P(KernelTest, DroppedNamesAreAcceptedAndIgnored) {
  const vkc::Kernel dropped = kernel(kernels::dropped, {{"unused_constant", 3}}, KernelGroupSize{8});
  const vkc::Buffer output = buffer(32), unused = buffer(4);
  vkc::Commands recorded = commands();
  EXPECT_TRUE(dropped.dispatch(recorded, {}, {{"unused_input", unused}, {"output", output}}));
  EXPECT_TRUE(dropped.dispatch(recorded, {}, {{"output", output}}));
  EXPECT_EQ(
      dispatch_error(dropped, {}, {{"unused_input", unused}, {"unused_input", unused}, {"output", output}},
                     {}, ErrorCode::invalid_argument),
      "kernel \"dropped\": binding \"unused_input\" is given twice");
  run(recorded);
  EXPECT_EQ(values_of<std::uint32_t>(output)[7], 7U);
  kernel(kernels::dropped, {}, KernelGroupSize{8});  // nor must they be given
  EXPECT_THAT(
      create_error(kernels::dropped, {{"undeclared", 3}}, KernelGroupSize{8}, ErrorCode::invalid_argument),
      HasSubstr("there is no constant \"undeclared\""));
}

TEST_P(KernelTest, PlainSpirvKnowsOnlyItsOwnNames) {
  const auto plain =
      vkc::Kernel::create(device(), kernels::dropped.spirv, {}, KernelGroupSize{8}, {.name = "plain"});
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->name(), "plain");
  const vkc::Buffer output = buffer(32);
  EXPECT_THAT(dispatch_error(*plain, {}, {{"unused_input", output}, {"output", output}}, {},
                             ErrorCode::invalid_argument),
              HasSubstr("kernel \"plain\": there is no binding \"unused_input\"; there are: \"output\""));
}

TEST_P(KernelTest, WrongConstantsAreErrors) {
  EXPECT_THAT(
      create_error(kernels::constants, {{"flag", true}}, KernelGroupSize{1}, ErrorCode::invalid_argument),
      HasSubstr("no value is given for \"number\", \"count\", \"scale\""));
  EXPECT_THAT(create_error(kernels::saxpy, {}, {}, ErrorCode::invalid_argument),
              HasSubstr("\"group_size_x\""));
  EXPECT_THAT(
      create_error(kernels::saxpy, {{"group_size_x", 4}}, KernelGroupSize{4}, ErrorCode::invalid_argument),
      HasSubstr("\"group_size_x\" is given twice"));
}

TEST_P(KernelTest, WrongModulesAreErrors) {
  const std::vector<std::uint32_t> none, rubbish = {1, 2, 3, 4, 5};
  EXPECT_THAT(error_of(vkc::Kernel::create(device(), none), ErrorCode::invalid_module),
              HasSubstr("not a SPIR-V module"));
  EXPECT_THAT(error_of(vkc::Kernel::create(device(), rubbish), ErrorCode::invalid_module),
              HasSubstr("wrong magic"));
  EXPECT_THAT(
      error_of(vkc::Kernel::create(device(), kernels::saxpy.spirv.first(200)), ErrorCode::invalid_module),
      HasSubstr("kernel \"unnamed\""));
}

TEST_P(KernelTest, WrongBindingsAreErrors) {
  const vkc::Kernel saxpy = kernel(kernels::saxpy, {}, KernelGroupSize{8});
  const vkc::Buffer x = buffer(32, vkc::MemoryKind::device, "x data");
  const SaxpyPush push = {8, 1};
  EXPECT_EQ(dispatch_error(saxpy, {}, {{"x", x}, {"z", x}}, push, ErrorCode::invalid_argument),
            "kernel \"saxpy\": there is no binding \"z\"; there are: \"x\", \"y\"");
  EXPECT_EQ(dispatch_error(saxpy, {}, {{"x", x}}, push, ErrorCode::invalid_argument),
            "kernel \"saxpy\": nothing is bound to \"y\"");
  EXPECT_EQ(dispatch_error(saxpy, {}, {{"x", x}, {"x", x}}, push, ErrorCode::invalid_argument),
            "kernel \"saxpy\": binding \"x\" is given twice");
  EXPECT_THAT(
      dispatch_error(saxpy, {}, {{"x", x}, {"y", x.range(0, 36)}}, push, ErrorCode::invalid_argument),
      HasSubstr("binding \"y\": the range of 36 bytes at 0 is not inside buffer \"x data\" of 32 bytes"));
  for (const vkc::BufferRange& outside :
       {x.range(0, 16).range(8, 12), x.range(8, 8).range(UINT64_MAX - 7, 8)}) {
    EXPECT_THAT(dispatch_error(saxpy, {}, {{"x", x}, {"y", outside}}, push, ErrorCode::invalid_argument),
                HasSubstr("is not inside the range that it was cut from"));
  }
  EXPECT_THAT(dispatch_error(saxpy, {}, {{"x", x}, {"y", x.range(32, 0)}}, push, ErrorCode::invalid_argument),
              HasSubstr("not inside"));
  EXPECT_THAT(
      dispatch_error(saxpy, {}, {{"x", x}, {"y", x.range(UINT64_MAX, 8)}}, push, ErrorCode::invalid_argument),
      HasSubstr("not inside"));
}

TEST_P(KernelTest, RangesHoldTheBlock) {
  const vkc::Kernel scale = kernel(kernels::uniform);
  const vkc::Buffer large = buffer(256), output = buffer(256), tiny = buffer(4);
  const auto scale_error = [&](const vkc::BufferRange& parameters, const vkc::BufferRange& input) {
    return dispatch_error(scale, {}, {{"parameters", parameters}, {"input", input}, {"output", output}}, {},
                          ErrorCode::invalid_argument);
  };
  EXPECT_EQ(scale_error(large.range(0, 19), large),
            "kernel \"uniform\": binding \"parameters\": a range of 19 bytes, the block has 20");
  EXPECT_THAT(scale_error(tiny, large), HasSubstr("a range of 4 bytes, the block has 20"));
  EXPECT_EQ(scale_error(large, large.range(0, 15)),
            "kernel \"uniform\": binding \"input\": a range of 15 bytes, the block has at least 16");
  vkc::Commands recorded = commands();
  const auto least = scale.dispatch(
      recorded, {}, {{"parameters", large.range(0, 20)}, {"input", large.range(0, 16)}, {"output", output}});
  EXPECT_TRUE(least) << least.error().message;

  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  for (const std::uint64_t size_bytes : {1U, 3U}) {
    EXPECT_THAT(dispatch_error(add_one, {}, {{"values", large.range(0, size_bytes)}}, {},
                               ErrorCode::invalid_argument),
                HasSubstr("\"values\": a range of " + std::to_string(size_bytes) +
                          " bytes, the block has at least 4"));
  }
}

TEST_P(KernelTest, RangesOfNothingAreErrors) {
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::BufferRange nothing(nullptr, 0, 4);
  EXPECT_EQ(dispatch_error(add_one, {}, {{"values", nothing}}, {}, ErrorCode::invalid_argument),
            "kernel \"add_one\": binding \"values\" wants a buffer, and a range of no buffer is given");
  const vkc::Buffer some = buffer(4);
  vkc::Commands recorded = commands();
  EXPECT_EQ(error_of(recorded.fill(nothing, 1), ErrorCode::invalid_argument), "fill: a range of no buffer");
  ASSERT_TRUE(recorded.reset());
  EXPECT_THAT(error_of(recorded.copy(nothing, some), ErrorCode::invalid_argument),
              HasSubstr("a range of no buffer"));
  EXPECT_THAT(error_of(vkc::upload(device(), nothing, std::vector<int>(1)), ErrorCode::invalid_argument),
              HasSubstr("a range of no buffer"));
  EXPECT_THAT(error_of(vkc::download<int>(device(), nothing), ErrorCode::invalid_argument),
              HasSubstr("a range of no buffer"));
}

TEST_P(KernelTest, WrongPushConstantsAreErrors) {
  const vkc::Kernel saxpy = kernel(kernels::saxpy, {}, KernelGroupSize{8});
  EXPECT_EQ(saxpy.push_constants_bytes(), 8U);
  const vkc::Buffer x = buffer(32);
  const std::vector<std::byte> four(4), twelve(12), twenty(20);
  EXPECT_THAT(dispatch_error(saxpy, {}, {{"x", x}, {"y", x}}, four, ErrorCode::invalid_argument),
              HasSubstr("4 bytes of push constants are given, its block has 8"));
  EXPECT_THAT(dispatch_error(saxpy, {}, {{"x", x}, {"y", x}}, {}, ErrorCode::invalid_argument),
              HasSubstr("0 bytes"));
  EXPECT_THAT(dispatch_error(saxpy, {}, {{"x", x}, {"y", x}}, twenty, ErrorCode::invalid_argument),
              HasSubstr("20 bytes"));
  vkc::Commands recorded = commands();
  EXPECT_TRUE(saxpy.dispatch(recorded, {}, {{"x", x}, {"y", buffer(32)}}, twelve));  // a padded struct
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  EXPECT_THAT(dispatch_error(add_one, {}, {{"values", x}}, four, ErrorCode::invalid_argument),
              HasSubstr("its block has 0"));
}

TEST_P(KernelTest, GroupCountsAreLimited) {
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::Buffer values = buffer(32);
  const auto& most = device().properties().limits.max_group_count;
  for (std::size_t i = 0; i < 3; ++i) {
    if (most[i] == UINT32_MAX) continue;
    vkc::GroupCount groups;
    (i == 0 ? groups.x : i == 1 ? groups.y : groups.z) = most[i] + 1;
    EXPECT_THAT(dispatch_error(add_one, groups, {{"values", values}}, {}, ErrorCode::limit_exceeded),
                HasSubstr(std::string("group count ") + "xyz"[i] + " of " + std::to_string(most[i] + 1) +
                          " is beyond the device's max_group_count[" + std::to_string(i) + "] of " +
                          std::to_string(most[i])));
  }
}

TEST_P(KernelTest, ACountOfZeroDoesNothing) {
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::Buffer values = buffer_of(std::vector<std::uint32_t>(8, 5));
  vkc::Commands recorded = commands();
  EXPECT_TRUE(add_one.dispatch(recorded, vkc::group_count({0}, add_one.group_size()), {{"values", values}}));
  run(recorded);
  EXPECT_EQ(values_of<std::uint32_t>(values), std::vector<std::uint32_t>(8, 5));
}

TEST_P(KernelTest, GroupSizesAreLimited) {
  const vkc::DeviceLimits& limits = device().properties().limits;
  const std::uint32_t beyond = limits.max_group_size[1] + 1;
  EXPECT_THAT(create_error(kernels::saxpy, {}, KernelGroupSize{1, beyond, 1}, ErrorCode::limit_exceeded),
              HasSubstr("kernel \"saxpy\": group size y of " + std::to_string(beyond) +
                        " is beyond the device's max_group_size[1]"));
  EXPECT_THAT(
      create_error(kernels::saxpy, {}, KernelGroupSize{limits.max_group_size[0], limits.max_group_size[1], 2},
                   ErrorCode::limit_exceeded),
      HasSubstr("max_group_invocations"));
  EXPECT_THAT(create_error(kernels::saxpy, {}, KernelGroupSize{0, 1, 1}, ErrorCode::invalid_argument),
              HasSubstr("\"group_size_x\" is 0"));
  EXPECT_THAT(
      create_error(kernels::saxpy, {}, KernelGroupSize{UINT32_MAX, 1, 1}, ErrorCode::invalid_argument),
      HasSubstr("does not fit"));
}

TEST_P(KernelTest, SharedMemoryIsLimited) {
  const std::uint32_t most = device().properties().limits.max_shared_memory_bytes;
  kernel(kernels::shared, {{"elements", most / 4}}, KernelGroupSize{16});
  EXPECT_THAT(create_error(kernels::shared, {{"elements", most / 4 + 1}}, KernelGroupSize{16},
                           ErrorCode::limit_exceeded),
              HasSubstr("max_shared_memory_bytes of " + std::to_string(most)));
}

TEST_P(KernelTest, BindingRangesAreLimited) {
  const std::uint64_t most = device().properties().limits.max_storage_buffer_range_bytes;
  if (most > std::uint64_t{1} << 29) GTEST_SKIP() << "the limit is beyond what a test should allocate";
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::Buffer large = buffer(most + 256, vkc::MemoryKind::device, "large");
  EXPECT_THAT(dispatch_error(add_one, {}, {{"values", large}}, {}, ErrorCode::limit_exceeded),
              HasSubstr("max_storage_buffer_range_bytes of " + std::to_string(most)));
  vkc::Commands recorded = commands();
  EXPECT_TRUE(add_one.dispatch(recorded, {}, {{"values", large.range(0, most)}}));
  EXPECT_TRUE(add_one.dispatch(recorded, {}, {{"values", large.range(256, most)}}));
}

TEST_P(KernelTest, OffsetsAreAligned) {
  const std::uint64_t alignment = device().properties().limits.min_storage_buffer_offset_alignment_bytes;
  if (alignment < 2) GTEST_SKIP() << "every offset is aligned";
  const vkc::Kernel add_one = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::Buffer values = buffer(4 * alignment);
  EXPECT_THAT(dispatch_error(add_one, {}, {{"values", values.range(alignment + alignment / 2, 8)}}, {},
                             ErrorCode::limit_exceeded),
              HasSubstr("min_storage_buffer_offset_alignment_bytes of " + std::to_string(alignment)));
}

TEST_P(KernelTest, OptionalFeaturesWorkOrAreNamed) {
  const vkc::DeviceFeatures& features = device().properties().features;
  if (!features.fp16_arithmetic || !features.storage_16bit) {
    EXPECT_THAT(create_error(kernels::half_storage, {}, {}, ErrorCode::not_supported),
                HasSubstr("which the device lacks"));
    return;
  }
  const vkc::Kernel twice = kernel(kernels::half_storage);
  const vkc::Buffer values = buffer_of(std::vector<std::uint16_t>(8, 0x3E00));  // 1.5
  vkc::Commands recorded = commands();
  ASSERT_TRUE(twice.dispatch(recorded, {}, {{"values", values}}));
  run(recorded);
  EXPECT_EQ(values_of<std::uint16_t>(values), std::vector<std::uint16_t>(8, 0x4200));  // 3
}

TEST_P(KernelTest, SubgroupSizes) {
  const vkc::DeviceLimits& limits = device().properties().limits;
  const auto made = vkc::Kernel::create(device(), kernels::saxpy, {}, KernelGroupSize{64},
                                        {.subgroup_size = limits.subgroup_size});
  EXPECT_TRUE(made) << made.error().message;
  EXPECT_THAT(create_error(kernels::saxpy, {}, KernelGroupSize{64}, ErrorCode::limit_exceeded,
                           {.subgroup_size = 2 * limits.max_subgroup_size}),
              HasSubstr("max_subgroup_size " + std::to_string(limits.max_subgroup_size)));
  EXPECT_THAT(
      create_error(kernels::saxpy, {}, KernelGroupSize{64}, ErrorCode::limit_exceeded, {.subgroup_size = 3}),
      HasSubstr("power of two"));
}

TEST_P(KernelTest, ACopyIsTheSameKernel) {
  std::optional<vkc::Kernel> first = kernel(kernels::add_one, {}, KernelGroupSize{8});
  const vkc::Kernel second = *first;
  EXPECT_EQ(vkc::native_handle(*first), vkc::native_handle(second));
  const vkc::Buffer values = buffer_of(std::vector<std::uint32_t>(8, 5));
  first.reset();
  vkc::Commands recorded = commands();
  ASSERT_TRUE(second.dispatch(recorded, {}, {{"values", values}}));
  run(recorded);
  EXPECT_EQ(values_of<std::uint32_t>(values)[0], 6U);
}

VKC_DEVICE_TESTS(KernelTest);

}  // namespace
