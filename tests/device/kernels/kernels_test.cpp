// Every kernel of the table on every Vulkan device of the machine, against its reference.
//
// A failure prints the case's line and how to run it alone. Environment: UPRES_KERNEL_CASE=TEXT runs the
// cases whose line contains TEXT; UPRES_KERNEL_SEED=N draws other random data; see also test_devices.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "kernel_runner.h"
#include "kernels/cases.h"
#include "kernels/kernel.h"
#include "test_devices.h"

namespace upres::kernels {
namespace {

using testing_devices::TestDevices;

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

uint64_t seed() { return std::strtoull(environment("UPRES_KERNEL_SEED").c_str(), nullptr, 10); }

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) { return x.bytes == y.bytes; });
}

class OnDevice : public testing::TestWithParam<const Kernel*> {
 protected:
  static void SetUpTestSuite() { devices_ = std::make_unique<TestDevices>(TestDevices::open()); }
  static void TearDownTestSuite() { devices_.reset(); }

  void SetUp() override {
    if (!devices_->devices().empty()) return;
    if (TestDevices::required()) FAIL() << "no Vulkan device: " << devices_->problem();
    GTEST_SKIP() << "EVERY TEST SKIPPED: no Vulkan device: " << devices_->problem();
  }
  void TearDown() override {
    EXPECT_EQ(devices_->validation_messages(), messages_) << "the validation layer complained, see above";
    messages_ = devices_->validation_messages();
  }

  using Check = std::function<void(KernelRunner&, const Kernel&, const KernelCase&, const Selection&)>;

  // Runs `check` for every stride-th case that the kernel computes on every device that it is legal on.
  void for_each_case(size_t stride, const Check& check) {
    const Kernel& kernel = *GetParam();
    const std::string filter = environment("UPRES_KERNEL_CASE");
    const auto cases = kernel_cases(kernel.tile({}), seed());
    for (const auto& [device, info] : devices_->devices()) {
      KernelRunner runner(device, info);
      size_t index = 0;
      for (const KernelCase& test : cases) {
        if (!kernel.computes(test.graph, test.node()) || test.line.find(filter) == std::string::npos)
          continue;
        if (index++ % stride != 0) continue;
        SCOPED_TRACE(std::string(kernel.id()) + " on " + device.properties().name +
                     "\n  again with: UPRES_KERNEL_CASE='" + test.line +
                     "' UPRES_KERNEL_SEED=" + std::to_string(seed()) +
                     " test_device_kernels --gtest_filter='*/" + std::string(kernel.id()) + "'");
        check_selections(runner, kernel, test, index % kOtherStorages == 0, check);
        if (HasFatalFailure()) return;
      }
      if (filter.empty() && kernel.family() != "conv") {
        EXPECT_GT(index, 0U) << "no case for " << kernel.id();
      }
    }
  }

 private:
  // Storages besides the one that a kernel likes best are tried in every so many cases: each means another
  // module.
  static constexpr size_t kOtherStorages = 5;

  // The case in every type that the device has, and with `all` in every storage.
  static void check_selections(KernelRunner& runner, const Kernel& kernel, const KernelCase& test, bool all,
                               const Check& check) {
    DType last = DType::u8;
    for (const Selection& selection : all_selections(kernel, test.graph, test.node())) {
      const bool is_first = std::exchange(last, selection.dtype) != selection.dtype;
      if (!is_first && !all) continue;
      KernelCase rounded = test;
      if (selection.dtype == DType::f16) allow_rounding(rounded, kHalfBits);
      if (!kernel.legal(test.graph, test.node(), runner.device_info(), selection)) continue;
      SCOPED_TRACE(std::string(name(selection.dtype)) + ", from " + to_text(selection.input) + " to " +
                   to_text(selection.output));
      check(runner, kernel, rounded, selection);
      if (HasFatalFailure()) return;
    }
  }

  static inline std::unique_ptr<TestDevices> devices_;
  static inline uint64_t messages_ = 0;
};

Result<std::vector<Tensor>> run(KernelRunner& runner, const Kernel& kernel, const KernelCase& test,
                                const RunOptions& options) {
  return runner.run(kernel, test, case_inputs(test), options);
}

TEST_P(OnDevice, AgreesWithItsReference) {
  for_each_case(
      1, [](KernelRunner& runner, const Kernel& kernel, const KernelCase& test, const Selection& selection) {
        const auto inputs = case_inputs(test);
        const auto expected = case_expected(test, inputs);
        ASSERT_TRUE(expected.has_value()) << expected.error().text();
        const auto actual = runner.run(kernel, test, inputs, {.tuning = {}, .selection = selection});
        ASSERT_TRUE(actual.has_value()) << actual.error().text();
        const Comparison comparison = compare_outputs(test, *expected, *actual);
        EXPECT_TRUE(comparison.ok()) << comparison.mismatch << "; largest difference "
                                     << comparison.largest_difference << ", allowed "
                                     << test.tolerance.absolute << " or " << test.tolerance.levels
                                     << " levels, because " << test.tolerance.reason;
      });
}

TEST_P(OnDevice, RangesOfRowsGiveTheSameBits) {
  for_each_case(
      2, [](KernelRunner& runner, const Kernel& kernel, const KernelCase& test, const Selection& selection) {
        const auto whole = run(runner, kernel, test, {.tuning = {}, .selection = selection});
        ASSERT_TRUE(whole.has_value()) << whole.error().text();
        for (const uint32_t dispatches : {2U, 5U}) {
          const auto parts =
              run(runner, kernel, test, {.tuning = {}, .selection = selection, .dispatches = dispatches});
          ASSERT_TRUE(parts.has_value()) << parts.error().text();
          EXPECT_TRUE(same_bits(*whole, *parts)) << dispatches << " dispatches";
        }
      });
}

TEST_P(OnDevice, GroupSizesChangeNoBit) {
  const auto is_group_size = [](const Tunable& tunable) { return tunable.name == "group_size_x"; };
  if (std::ranges::none_of(GetParam()->tunables(), is_group_size)) return;
  for_each_case(9, [](KernelRunner& runner, const Kernel& kernel, const KernelCase& test,
                      const Selection& selection) {
    const auto plain = run(runner, kernel, test, {.tuning = {}, .selection = selection});
    ASSERT_TRUE(plain.has_value()) << plain.error().text();
    for (const auto& [x, y] : {std::pair{5U, 3U}, std::pair{128U, 1U}}) {
      const auto other = run(runner, kernel, test,
                             {.tuning = {{"group_size_x", x}, {"group_size_y", y}}, .selection = selection});
      ASSERT_TRUE(other.has_value()) << other.error().text();
      EXPECT_TRUE(same_bits(*plain, *other)) << "groups of " << x << "x" << y;
    }
  });
}

// Every value of every tunable but the group's width and height, and what tests of their own try, one at a
// time, where it is legal. Each is another pipeline, so it is few cases: of convolutions the first and one of
// 16 channels beyond a tile's edge.
TEST_P(OnDevice, TunablesChangeNoBit) {
  const auto is_tried = [](const Tunable& tunable) {
    return tunable.name != "group_size_x" && tunable.name != "group_size_y" &&
           tunable.tuned_by == TunedBy::search;
  };
  if (std::ranges::none_of(GetParam()->tunables(), is_tried)) return;
  for_each_case(46, [&](KernelRunner& runner, const Kernel& kernel, const KernelCase& test,
                        const Selection& selection) {
    const auto plain = run(runner, kernel, test, {.tuning = {}, .selection = selection});
    ASSERT_TRUE(plain.has_value()) << plain.error().text();
    for (const Tunable& tunable : kernel.tunables()) {
      for (const uint32_t value : tunable.values.subspan(is_tried(tunable) ? 1 : tunable.values.size())) {
        const std::vector<Tuning> tuning = {{std::string(tunable.name), value}};
        Selection tuned = selection;
        tuned.tuning = tuning;
        if (!kernel.legal(test.graph, test.node(), runner.device_info(), tuned)) continue;
        const auto other = run(runner, kernel, test, {.tuning = tuning, .selection = selection});
        ASSERT_TRUE(other.has_value()) << other.error().text();
        EXPECT_TRUE(same_bits(*plain, *other)) << tunable.name << " " << value;
      }
    }
  });
}

// The kernels on blocks of channels add up in one order, so that which of them runs changes no picture.
TEST_P(OnDevice, KernelsOnBlocksGiveTheSameBits) {
  const Kernel& packed = *find_kernel("conv_packed");
  if (GetParam()->id() != "conv_register" && GetParam()->id() != "conv_tile") return;
  for_each_case(
      3, [&](KernelRunner& runner, const Kernel& kernel, const KernelCase& test, const Selection& selection) {
        const auto expected = run(runner, packed, test, {.tuning = {}, .selection = selection});
        ASSERT_TRUE(expected.has_value()) << expected.error().text();
        const auto actual = run(runner, kernel, test, {.tuning = {}, .selection = selection});
        ASSERT_TRUE(actual.has_value()) << actual.error().text();
        EXPECT_TRUE(same_bits(*expected, *actual));
      });
}

bool has_tunable(const Kernel& kernel, std::string_view name) {
  return std::ranges::count(kernel.tunables(), name, &Tunable::name) > 0;
}

// Only how it is stored differs: what lies in images has the bits of what lies in buffers.
TEST_P(OnDevice, ImagesGiveTheBitsOfBuffers) {
  if (!has_tunable(*GetParam(), kStorageTunable)) return;
  const std::vector<Tuning> images = {{std::string(kStorageTunable), kInImages}};
  int compared = 0;
  for_each_case(
      4, [&](KernelRunner& runner, const Kernel& kernel, const KernelCase& test, const Selection& selection) {
        Selection with_images = selection;
        with_images.input = tuned_storage(selection.input, images);
        with_images.output = tuned_storage(selection.output, images);
        if (with_images.input == selection.input && with_images.output == selection.output) return;
        if (!kernel.legal(test.graph, test.node(), runner.device_info(), with_images)) return;
        const auto expected = run(runner, kernel, test, {.tuning = {}, .selection = selection});
        ASSERT_TRUE(expected.has_value()) << expected.error().text();
        const auto actual =
            run(runner, kernel, test, {.tuning = images, .selection = with_images, .dispatches = 3});
        ASSERT_TRUE(actual.has_value()) << actual.error().text();
        EXPECT_TRUE(same_bits(*expected, *actual));
        ++compared;
      });
  EXPECT_GT(compared, 0) << "no device has images";
}

double root_mean_square(const Tensor& tensor, const Tensor* minus = nullptr) {
  double squares = 0;
  const auto samples = tensor.as<float>();
  for (size_t i = 0; i < samples.size(); ++i) {
    const double sample = double{samples[i]} - (minus == nullptr ? 0 : double{minus->as<float>()[i]});
    squares += sample * sample;
  }
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

// Sums in half precision: a chain of 576 of them is off by about 2.5e-3 of the output (root mean squares),
// where sums in f32 are off by 2e-4, the rounding of inputs, weights and the result.
TEST_P(OnDevice, HalfSumsAreLessExact) {
  if (!has_tunable(*GetParam(), kHalfSums)) return;
  constexpr double kMost = 4e-3;
  constexpr double kLeast = 6e-4;
  const std::vector<Tuning> half = {{std::string(kHalfSums), 1}};
  int measured = 0;
  for_each_case(
      1, [&](KernelRunner& runner, const Kernel& kernel, const KernelCase& test, const Selection& selection) {
        const bool is_long = test.line.find("64->64 kernel 3x3") != std::string::npos;
        const bool is_short = test.line.find("4->8 kernel 3x3") != std::string::npos;
        if (selection.dtype != DType::f16 || (!is_long && !is_short)) return;
        KernelCase wide = test;
        allow_half_sums(wide);
        const auto inputs = case_inputs(test);
        const auto expected = case_expected(test, inputs);
        ASSERT_TRUE(expected.has_value()) << expected.error().text();
        const auto actual = runner.run(kernel, test, inputs, {.tuning = half, .selection = selection});
        ASSERT_TRUE(actual.has_value()) << actual.error().text();
        const Comparison comparison = compare_outputs(wide, *expected, *actual);
        EXPECT_TRUE(comparison.ok()) << comparison.mismatch;
        // Of a few samples the mean says little.
        if (!is_long || expected->front().bytes.size() < 100'000) return;
        const double error =
            root_mean_square(actual->front(), &expected->front()) / root_mean_square(expected->front());
        EXPECT_LT(error, kMost);
        EXPECT_GT(error, kLeast) << "sums are not in half precision";
        ++measured;
      });
  if (measured == 0 && !HasFailure()) GTEST_SKIP() << "no device computes in half precision";
}

INSTANTIATE_TEST_SUITE_P(Kernels, OnDevice, testing::ValuesIn(all_kernels().begin(), all_kernels().end()),
                         [](const auto& test) { return std::string(test.param->id()); });

}  // namespace
}  // namespace upres::kernels
