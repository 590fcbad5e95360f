// Values in images: where the database says so, and where neighbours can.
#include "plan/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/plan/networks.h"

namespace upres::plan {
namespace {

using kernels::Arrangement;
using testing::espcn;
using ::testing::HasSubstr;
using testing::Random;
using testing::with_ends;

kernels::DeviceInfo image_device() {
  kernels::DeviceInfo device;
  device.name = "device with images";
  device.limits.max_group_invocations = 1024;
  device.limits.max_group_size = {1024, 1024, 64};
  device.limits.max_shared_memory_bytes = 49152;
  device.limits.max_image_dimension_3d = 2048;
  device.limits.storage_image_fp32 = true;
  return device;
}

// Images for a kernel; shape: empty for all.
devicedb::Record images_for(const std::string& kernel, const std::string& shape = "") {
  return {.kernel = kernel, .shape = shape, .tuning = {{"storage", 1}}, .reason = "a test"};
}

devicedb::Database database_of(const std::vector<devicedb::Record>& records) {
  const std::vector<devicedb::RecordFile> files = {{.records = records}};
  return devicedb::Database(files);
}

// Where the convolutions of an ESPCN read and write, "plain>image f32 image f32>image f32 ...".
std::string storages_of(const std::vector<devicedb::Record>& records, const std::string& forced,
                        const kernels::DeviceInfo& device = image_device()) {
  const auto chosen =
      choose_kernels(with_ends(espcn(1, 1, 2, 16)), device, database_of(records), {forced, DType::f32});
  EXPECT_TRUE(chosen) << chosen.error().text();
  if (!chosen) return {};
  std::string text;
  for (const ChosenNode& node : (*chosen)->nodes) {
    if (node.kernel->family() != "conv") continue;
    text += kernels::to_text(node.choice.input) + ">" + kernels::to_text(node.choice.output) + " ";
  }
  return text;
}

constexpr std::string_view kImages =
    "plain>image f32 image f32>image f32 image f32>image f32 image f32>plain ";
constexpr std::string_view kBuffers =
    "plain>packed f32 packed f32>packed f32 packed f32>packed f32 packed f32>plain ";

TEST(Images, AreChosenWhereTheDatabaseSaysSo) {
  for (const char* kernel : {"conv_packed", "conv_tile", "conv_register"}) {
    EXPECT_EQ(storages_of({images_for(kernel)}, kernel), kImages) << kernel;
    EXPECT_EQ(storages_of({}, kernel), kBuffers) << kernel;
  }
  kernels::DeviceInfo without = image_device();
  without.limits.storage_image_fp32 = false;
  EXPECT_EQ(storages_of({images_for("conv_packed")}, "conv_packed", without), kBuffers);
}

TEST(Images, ThatTheDeviceLacksChangeNothingElse) {
  kernels::DeviceInfo device = image_device();
  device.limits.storage_image_fp32 = false;
  devicedb::Record record = images_for("conv_packed");
  record.tuning.push_back({"group_size_x", 64});
  const auto chosen =
      choose_kernels(espcn(1, 1, 2, 16), device, database_of({record}), {"conv_packed", DType::f32});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_EQ((*chosen)->nodes.front().choice.group_size.x, 64U);
}

// A value that one neighbour keeps in a packed buffer and the other in an image would have to be plain.
TEST(Images, AreLeftWhereANeighbourKeepsBuffers) {
  EXPECT_EQ(storages_of({images_for("conv_packed", "16->16 3x3 fp32")}, "conv_packed"), kBuffers);
  EXPECT_EQ(
      storages_of({images_for("conv_packed", "1->16 5x5 fp32"), images_for("conv_packed", "16->16 3x3 fp32"),
                   images_for("conv_packed", "16->8 3x3 fp32")},
                  "conv_packed"),
      kBuffers);
}

// Whether the network may have any is what tiles are cut by.
TEST(Images, AreForeseen) {
  const auto graph = with_ends(espcn(1, 1, 2, 16));
  EXPECT_FALSE(may_use_images(graph, image_device(), devicedb::Database::embedded()));
  EXPECT_TRUE(may_use_images(graph, image_device(), database_of({images_for("conv_tile")})));
  EXPECT_TRUE(
      may_use_images(graph, image_device(), database_of({images_for("conv_tile", "16->8 3x3 fp16")})));
  EXPECT_FALSE(
      may_use_images(graph, image_device(), database_of({images_for("conv_tile", "9->9 3x3 fp32")})));
}

TEST(Images, LargerThanTheDeviceHasThemAreRefusedWithTheNumber) {
  kernels::DeviceInfo device = image_device();
  device.limits.max_image_dimension_3d = 100;
  const auto chosen = choose_kernels(with_ends(espcn(1, 1, 2, 16)), device,
                                     database_of({images_for("conv_packed")}), {"conv_packed", DType::f32});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_TRUE(make_plan(*chosen, std::vector{Extent{100, 90}}));
  const auto wide = make_plan(*chosen, std::vector{Extent{101, 90}});
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().message, HasSubstr("an image of 101x90x4 texels is beyond the device's"));
  EXPECT_THAT(wide.error().message, HasSubstr("max_image_dimension_3d of 100: use smaller tiles"));
  device.limits.max_image_dimension_3d = ~0U;
  device.limits.max_storage_buffer_range_bytes = device.limits.max_buffer_bytes = uint64_t{1} << 62;
  device.limits.max_group_count = {~0U, ~0U, ~0U};
  graph::Value value{"huge", {DType::f32, Layout::planar, 64}};
  EXPECT_FALSE(check_image(value, {{~0U, ~0U, ~0U}, DType::f32}, device.limits));
}

TEST(Images, ThoseThatLiveTogetherAreNeverTheSame) {
  Random random(21);
  for (int round = 0; round < 300; ++round) {
    std::vector<ImageUse> uses(static_cast<size_t>(random.between(0, 12)));
    for (ImageUse& use : uses) {
      const auto first = static_cast<uint32_t>(random.between(0, 8));
      use.needs.extent = {static_cast<uint32_t>(random.between(4, 5)), 3,
                          static_cast<uint32_t>(random.between(1, 3))};
      use.needs.dtype = random.coin() ? DType::f32 : DType::f16;
      use.lifetime = {0, first, first + static_cast<uint32_t>(random.between(0, 3))};
    }
    const ImagePlaces places = place_images(uses);
    for (size_t a = 0; a < uses.size(); ++a) {
      const ImageDescription& image = places.images[places.image_of[a]];
      ASSERT_EQ(image.dtype, uses[a].needs.dtype);
      ASSERT_EQ(image.extent.width, uses[a].needs.extent.width);
      ASSERT_GE(image.extent.depth, uses[a].needs.extent.depth);
      for (size_t b = 0; b < a; ++b) {
        const bool together = uses[a].lifetime.first_step <= uses[b].lifetime.last_step &&
                              uses[b].lifetime.first_step <= uses[a].lifetime.last_step;
        ASSERT_FALSE(together && places.image_of[a] == places.image_of[b]) << round;
      }
    }
  }
}

TEST(Images, AChainNeedsTwo) {
  std::vector<ImageUse> chain;
  for (uint32_t i = 0; i < 8; ++i) chain.push_back({{{9, 9, 3}, DType::f32}, {0, i, i + 1}});
  const ImagePlaces places = place_images(chain);
  EXPECT_EQ(places.images.size(), 2U);
}

}  // namespace
}  // namespace upres::plan
