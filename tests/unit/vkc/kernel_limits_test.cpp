#include "vkc/kernel_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vkc/vulkan_api.h"

namespace {

using testing::HasSubstr;
using vkc::ErrorCode;

// A device of the least that Vulkan 1.1 promises, and a kernel that fits it.
class KernelLimits : public testing::Test {
 protected:
  KernelLimits() {
    limits.max_group_size = {128, 128, 64};
    limits.max_group_invocations = 128;
    limits.max_shared_memory_bytes = 16384;
    limits.max_push_constants_bytes = 128;
    limits.max_bound_descriptor_sets = 4;
    limits.max_storage_buffers_per_kernel = 4;
    limits.max_uniform_buffers_per_kernel = 12;
    limits.max_storage_images_per_kernel = 4;
    limits.max_sampled_images_per_kernel = 16;
    limits.max_samplers_per_kernel = 16;
    limits.max_resources_per_kernel = 20;
    kernel.version = {1, 3};
    kernel.group_size.values = {8, 4, 4};
    kernel.capabilities = {1};
    kernel.resources = {{"input", 0, 0, spirv::ResourceKind::storage_buffer},
                        {"parameters", 3, 1, spirv::ResourceKind::uniform_buffer}};
  }

  void expect(ErrorCode code, const std::string& message) {
    const auto status = check();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, code);
    EXPECT_THAT(status.error().message, HasSubstr(message));
    EXPECT_THAT(status.error().message, HasSubstr("kernel \"k\""));
  }
  vkc::Status check() {
    return vkc::detail::check_kernel("k", kernel, {limits, features, {1, 3}, operations});
  }

  static spirv::ImageType plain_image() {
    return {spirv::kDim2D, 3, false, false, spirv::ScalarType{spirv::ScalarType::Kind::floating_point, 32}};
  }

  vkc::DeviceLimits limits;
  vkc::DeviceFeatures features;
  std::uint32_t operations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  spirv::Reflection kernel;
};

TEST_F(KernelLimits, WhatFitsIsTaken) {
  const auto status = check();
  EXPECT_TRUE(status) << status.error().message;
}

TEST_F(KernelLimits, GroupSize) {
  kernel.group_size.values = {1, 129, 1};
  expect(ErrorCode::limit_exceeded, "group size y of 129 is beyond the device's max_group_size[1] of 128");
  kernel.group_size.values = {1, 1, 65};
  expect(ErrorCode::limit_exceeded, "max_group_size[2] of 64");
  kernel.group_size.values = {1, 0, 1};
  expect(ErrorCode::invalid_module, "no positive group size y");
  kernel.group_size.values = {1, 1, std::nullopt};
  expect(ErrorCode::invalid_module, "no positive group size z");
}

TEST_F(KernelLimits, Invocations) {
  kernel.group_size.values = {43, 3, 1};
  expect(ErrorCode::limit_exceeded, "a group of 129 is beyond the device's max_group_invocations of 128");
  limits.max_group_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  kernel.group_size.values = {65536, 65536, 1};  // does not wrap around to 0
  expect(ErrorCode::limit_exceeded, "a group of 4294967296");
}

TEST_F(KernelLimits, SharedMemory) {
  kernel.shared_memory_bytes = 16384;
  EXPECT_TRUE(check());
  kernel.shared_memory_bytes = 16385;
  expect(ErrorCode::limit_exceeded,
         "shared memory in bytes of 16385 is beyond the device's max_shared_memory_bytes of 16384");
}

TEST_F(KernelLimits, PushConstants) {
  kernel.push_constants.emplace();
  kernel.push_constants->size_bytes = 132;
  expect(ErrorCode::limit_exceeded, "max_push_constants_bytes of 128");
}

TEST_F(KernelLimits, Bindings) {
  kernel.resources.assign(5, {"b", 0, 0, spirv::ResourceKind::storage_buffer});
  expect(ErrorCode::limit_exceeded, "number of storage buffers of 5 is beyond");
  kernel.resources = {{"b", 4, 0, spirv::ResourceKind::storage_buffer}};
  expect(ErrorCode::limit_exceeded, "max_bound_descriptor_sets of 4");
  kernel.resources = {{"b", 0, 0, spirv::ResourceKind::storage_buffer, 3}};
  expect(ErrorCode::not_supported, "binding \"b\" is an array");
  kernel.resources = {{"b", 0, 0, spirv::ResourceKind::uniform_texel_buffer}};
  expect(ErrorCode::not_supported, "binding \"b\" is a uniform texel buffer");
}

TEST_F(KernelLimits, BindingNumbers) {
  kernel.resources = {{"b", 0, 65535, spirv::ResourceKind::storage_buffer}};
  EXPECT_TRUE(check());
  kernel.resources = {{"b", 0, 65536, spirv::ResourceKind::storage_buffer}};
  expect(ErrorCode::limit_exceeded,
         "binding \"b\": binding number 65536 is beyond the most that vkc takes, 65535");
}

TEST_F(KernelLimits, NumbersOfImagesAndSamplers) {
  const auto repeat = [&](std::size_t count, spirv::ResourceKind kind) {
    spirv::Resource resource{"b", 0, 0, kind};
    if (kind != spirv::ResourceKind::sampler) resource.image = plain_image();
    kernel.resources.assign(count, resource);
  };
  repeat(4, spirv::ResourceKind::storage_image);
  EXPECT_TRUE(check());
  repeat(5, spirv::ResourceKind::storage_image);
  expect(ErrorCode::limit_exceeded, "number of storage images of 5 is beyond");
  repeat(17, spirv::ResourceKind::sampled_image);
  expect(ErrorCode::limit_exceeded, "max_sampled_images_per_kernel of 16");
  repeat(17, spirv::ResourceKind::sampler);
  expect(ErrorCode::limit_exceeded, "max_samplers_per_kernel of 16");
  repeat(17, spirv::ResourceKind::image_and_sampler);
  expect(ErrorCode::limit_exceeded, "max_sampled_images_per_kernel of 16");
  repeat(12, spirv::ResourceKind::uniform_buffer);
  std::vector<spirv::Resource> uniform = kernel.resources;
  repeat(9, spirv::ResourceKind::sampled_image);
  kernel.resources.insert(kernel.resources.end(), uniform.begin(), uniform.end());
  expect(ErrorCode::limit_exceeded,
         "number of bindings of 21 is beyond the device's max_resources_per_kernel");
}

TEST_F(KernelLimits, KindsOfImages) {
  const auto with = [&](auto change) {
    kernel.resources = {{"b", 0, 0, spirv::ResourceKind::storage_image}};
    kernel.resources[0].image = plain_image();
    change(*kernel.resources[0].image);
  };
  with([](spirv::ImageType&) {});
  EXPECT_TRUE(check());
  with([](spirv::ImageType& image) { image.dimension = spirv::kDim3D; });
  EXPECT_TRUE(check());
  with([](spirv::ImageType& image) { image.dimension = 0; });
  expect(ErrorCode::not_supported, "binding \"b\" is a 1-D image; vkc binds plain 2-D and 3-D images");
  with([](spirv::ImageType& image) { image.dimension = 77; });
  expect(ErrorCode::not_supported, "is a dimension 77 image");
  with([](spirv::ImageType& image) { image.arrayed = image.multisampled = true; });
  expect(ErrorCode::not_supported, "is a 2-D image with layers with several samples a texel");
  with([](spirv::ImageType& image) { image.format = 8; });
  expect(ErrorCode::not_supported, "is declared with SPIR-V image format 8");
  with([](spirv::ImageType& image) { image.channel->width_bits = 64; });
  expect(ErrorCode::not_supported, "has channels of a type");
  with([](spirv::ImageType& image) { image.channel.reset(); });
  expect(ErrorCode::not_supported, "has channels of a type");
}

TEST_F(KernelLimits, SpirvVersion) {
  kernel.version = {1, 6};
  expect(ErrorCode::not_supported, "SPIR-V 1.6, and the device takes at most 1.3");
}

TEST_F(KernelLimits, Capabilities) {
  kernel.capabilities = {1, 9};
  expect(ErrorCode::not_supported, "capability Float16, which the device lacks");
  features.fp16_arithmetic = true;
  EXPECT_TRUE(check());
  kernel.capabilities = {1, 49};
  expect(ErrorCode::not_supported, "capability StorageImageExtendedFormats, which the device lacks");
  features.storage_image_extended_formats = true;
  EXPECT_TRUE(check());
  kernel.capabilities = {1, 63};
  expect(ErrorCode::not_supported, "capability GroupNonUniformArithmetic");
  operations |= VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
  EXPECT_TRUE(check());
  kernel.capabilities = {1, 987654};
  expect(ErrorCode::not_supported, "capability 987654, which vkc does not know");
}

}  // namespace
