#include "spirv/reflect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assembler.h"
#include "spirv_test_kernels.h"

namespace {

using spirv::Module;
using spirv::Reflection;
using spirv::ResourceKind;
using spirv::ScalarType;
using testing::ElementsAre;
using testing::HasSubstr;

Reflection reflect(const vkc::KernelSource& source, const std::vector<spirv::SpecValue>& values = {}) {
  const auto module = Module::read(source.spirv);
  EXPECT_TRUE(module) << module.error().message;
  auto reflection = spirv::reflect(*module, values);
  EXPECT_TRUE(reflection) << reflection.error().message;
  return *reflection;
}

vkc::ScalarType declared_type(const std::optional<ScalarType>& type) {
  using vkc::ScalarType::boolean;
  if (!type) return vkc::ScalarType::other;
  const int step = type->width_bits == 64 ? 3 : type->width_bits == 32 ? 2 : type->width_bits == 16 ? 1 : 0;
  const auto from = [&](vkc::ScalarType first, int skipped) {
    return static_cast<vkc::ScalarType>(static_cast<int>(first) + step - skipped);
  };
  switch (type->kind) {
    case ScalarType::Kind::boolean:
      return boolean;
    case ScalarType::Kind::signed_integer:
      return from(vkc::ScalarType::int8, 0);
    case ScalarType::Kind::unsigned_integer:
      return from(vkc::ScalarType::uint8, 0);
    case ScalarType::Kind::floating_point:
      return from(vkc::ScalarType::float16, 1);
  }
  return vkc::ScalarType::other;
}

// The compiler's own reflection is the oracle: everything in the module is declared, with the same numbers.
TEST(Reflect, AgreesWithTheCompiler) {
  for (const vkc::KernelSource* source : spirv_test_kernels::all()) {
    SCOPED_TRACE(source->name);
    const Reflection reflection = reflect(*source);
    for (const spirv::SpecConstant& constant : reflection.constants) {
      const auto declared = std::find_if(source->constants.begin(), source->constants.end(),
                                         [&](const auto& other) { return other.name == constant.name; });
      ASSERT_NE(declared, source->constants.end()) << constant.name;
      EXPECT_EQ(declared->id, constant.spec_id) << constant.name;
      EXPECT_EQ(declared->type, declared_type(constant.type)) << constant.name;
      EXPECT_EQ(declared->default_bits, constant.default_bits) << constant.name;
    }
    for (const spirv::Resource& resource : reflection.resources) {
      const auto declared = std::find_if(source->bindings.begin(), source->bindings.end(),
                                         [&](const auto& other) { return other.name == resource.name; });
      ASSERT_NE(declared, source->bindings.end()) << resource.name;
      EXPECT_EQ(declared->set, resource.set) << resource.name;
      EXPECT_EQ(declared->binding, resource.binding) << resource.name;
    }
    const std::size_t members = reflection.push_constants ? reflection.push_constants->members.size() : 0;
    ASSERT_EQ(members, source->push_constants.size());
    for (std::size_t i = 0; i < members; ++i) {
      const spirv::BlockMember& member = reflection.push_constants->members[i];
      EXPECT_EQ(member.name, source->push_constants[i].name);
      EXPECT_EQ(member.offset_bytes, source->push_constants[i].offset_bytes) << member.name;
      EXPECT_EQ(member.size_bytes, source->push_constants[i].size_bytes) << member.name;
      EXPECT_EQ(declared_type(member.type), source->push_constants[i].type) << member.name;
    }
  }
}

std::size_t dropped_names(const vkc::KernelSource& source) {
  const Reflection reflection = reflect(source);
  return source.constants.size() - reflection.constants.size() + source.bindings.size() -
         reflection.resources.size();
}

TEST(Reflect, FindsEverythingThatIsUsed) {
  EXPECT_EQ(dropped_names(spirv_test_kernels::saxpy), 0U);
  EXPECT_EQ(dropped_names(spirv_test_kernels::constants), 0U);
  EXPECT_EQ(dropped_names(spirv_test_kernels::resources), 0U);
  EXPECT_EQ(dropped_names(spirv_test_kernels::dropped), 2U);
}

TEST(Reflect, TellsTheEntryPointAndNeeds) {
  const Reflection reflection = reflect(spirv_test_kernels::constants);
  EXPECT_EQ(reflection.entry_point, "main");
  EXPECT_EQ(reflection.version, (spirv::Version{1, 3}));
  EXPECT_THAT(reflection.capabilities,
              testing::UnorderedElementsAre(11, 10, 9, 22, 1));  // Int64, Float64, Float16, Int16, Shader
}

TEST(Reflect, TellsTheGroupSize) {
  const Reflection literal = reflect(spirv_test_kernels::resources);
  EXPECT_THAT(literal.group_size.values, ElementsAre(8U, 4U, 2U));
  EXPECT_THAT(literal.group_size.spec_ids, ElementsAre(std::nullopt, std::nullopt, std::nullopt));
  const Reflection constant = reflect(spirv_test_kernels::constants, {{11, 6}});
  EXPECT_THAT(constant.group_size.values, ElementsAre(8U, 6U, 2U));
  EXPECT_THAT(constant.group_size.spec_ids, ElementsAre(10U, 11U, 12U));
}

TEST(Reflect, TellsKindsOfResources) {
  std::vector<std::string> lines;
  for (const spirv::Resource& resource : reflect(spirv_test_kernels::resources).resources) {
    lines.push_back(resource.name + ": " + std::string(to_text(resource.kind)) + " " +
                    std::to_string(resource.count) + (resource.readonly ? " readonly" : ""));
  }
  EXPECT_THAT(lines, ElementsAre("parameters: uniform buffer 1 readonly",
                                 "readable: storage buffer 1 readonly", "writable: storage buffer 1",
                                 "bytes: storage buffer 1 readonly", "writable_bytes: storage buffer 1",
                                 "picture: sampled image 1 readonly", "picture_sampler: sampler 1 readonly",
                                 "result: storage image 1", "several: storage buffer 3 readonly"));
}

TEST(Reflect, TellsHowImagesAreSeen) {
  const Reflection reflection = reflect(spirv_test_kernels::resources);
  const spirv::Resource& picture = reflection.resources[5];
  const spirv::Resource& result = reflection.resources[7];
  ASSERT_TRUE(picture.image && result.image);
  EXPECT_EQ(picture.image->dimension, spirv::kDim2D);
  EXPECT_FALSE(picture.image->arrayed || picture.image->multisampled);
  EXPECT_EQ(picture.image->channel, (spirv::ScalarType{spirv::ScalarType::Kind::floating_point, 32}));
  EXPECT_EQ(result.image->format, 4U);  // Rgba8
  EXPECT_FALSE(reflection.resources[0].image);
  EXPECT_THAT(reflection.sampled_pairs, ElementsAre(spirv::SampledPair{5, 6}));
}

// A sampler that reaches OpSampledImage by a way that is not followed: every image with every sampler.
TEST(Reflect, PairsEverythingWhereAUseCannotBeTraced) {
  const std::string text =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
      "OpExecutionMode %1 LocalSize 1 1 1\n"
      "OpDecorate %20 DescriptorSet 0\nOpDecorate %20 Binding 0\nOpDecorate %21 DescriptorSet 0\n"
      "OpDecorate %21 Binding 1\nOpDecorate %22 DescriptorSet 0\nOpDecorate %22 Binding 2\n"
      "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeFloat 32\n"
      "%10 = OpTypeImage %4 3D 0 0 0 1 Unknown\n%11 = OpTypeSampler\n%12 = OpTypeSampledImage %10\n"
      "%13 = OpTypePointer UniformConstant %10\n%14 = OpTypePointer UniformConstant %11\n"
      "%20 = OpVariable %13 UniformConstant\n%21 = OpVariable %13 UniformConstant\n"
      "%22 = OpVariable %14 UniformConstant\n"
      "%1 = OpFunction %2 None %3\n%5 = OpLabel\n%30 = OpLoad %10 %20\n%31 = OpLoad %11 %22\n"
      "%32 = OpCopyObject %11 %31\n%33 = OpSampledImage %12 %30 %32\nOpReturn\nOpFunctionEnd\n";
  const auto module = Module::read(spirv_test::assemble(text));
  ASSERT_TRUE(module) << module.error().message;
  const auto reflection = spirv::reflect(*module);
  ASSERT_TRUE(reflection) << reflection.error().message;
  EXPECT_THAT(reflection->sampled_pairs, ElementsAre(spirv::SampledPair{0, 2}, spirv::SampledPair{1, 2}));
  EXPECT_EQ(reflection->resources[0].image->dimension, spirv::kDim3D);
}

TEST(Reflect, SizesThePushConstantBlock) {
  const Reflection reflection = reflect(spirv_test_kernels::push);
  ASSERT_TRUE(reflection.push_constants);
  EXPECT_EQ(reflection.push_constants->name, "push");
  EXPECT_EQ(reflection.push_constants->size_bytes, 56U);
  EXPECT_FALSE(reflect(spirv_test_kernels::resources).push_constants);
}

// patch: floor((2 * tile + 1) * 8 / 2) - 4 % 3 + (2 << 2) floats; points: tile * 12 bytes; counters: 2 * tile
// words.
TEST(Reflect, SumsSharedMemory) {
  EXPECT_EQ(reflect(spirv_test_kernels::constants).shared_memory_bytes, 4U * 43 + 4 * 12 + 2 * 4 * 4);
  EXPECT_EQ(reflect(spirv_test_kernels::constants, {{2, 10}}).shared_memory_bytes,
            4U * 91 + 10 * 12 + 2 * 10 * 4);
  EXPECT_EQ(reflect(spirv_test_kernels::saxpy).shared_memory_bytes, 0U);
}

TEST(Reflect, KeepsDefaultsWhateverIsGiven) {
  const Reflection reflection = reflect(spirv_test_kernels::constants, {{2, 10}});
  const auto tile = std::find_if(reflection.constants.begin(), reflection.constants.end(),
                                 [](const auto& constant) { return constant.name == "tile"; });
  ASSERT_NE(tile, reflection.constants.end());
  EXPECT_EQ(tile->default_bits, 4U);
}

const std::string kHead = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
const std::string kBody = R"(%2 = OpTypeVoid
%3 = OpTypeFunction %2
%1 = OpFunction %2 None %3
%4 = OpLabel
OpReturn
OpFunctionEnd
)";

std::string error_of(const std::string& text) {
  const auto module = Module::read(spirv_test::assemble(text));
  EXPECT_TRUE(module) << text;
  const auto reflection = spirv::reflect(*module);
  return reflection ? "" : reflection.error().message;
}

TEST(Reflect, RefusesWhatIsNoComputeKernel) {
  EXPECT_THAT(error_of(kHead + kBody), HasSubstr("no entry point"));
  EXPECT_THAT(error_of(kHead + "OpEntryPoint GLCompute %1 \"a\"\nOpEntryPoint GLCompute %1 \"b\"\n" + kBody),
              HasSubstr("several entry points, where one is wanted: \"a\" \"b\""));
  EXPECT_THAT(error_of(kHead + "OpEntryPoint Fragment %1 \"a\"\n" + kBody),
              HasSubstr("not a compute kernel"));
  EXPECT_THAT(error_of(kHead + "OpEntryPoint GLCompute %1 \"a\"\n" + kBody), HasSubstr("no group size"));
}

const std::string kKernel = kHead + "OpEntryPoint GLCompute %1 \"a\"\nOpExecutionMode %1 LocalSize 1 1 1\n";

TEST(Reflect, RefusesResourcesWithoutBinding) {
  const std::string variable =
      "%10 = OpTypeInt 32 0\n%11 = OpTypeStruct %10\n%12 = OpTypePointer Uniform %11\n%13 = OpVariable %12 "
      "Uniform\n";
  EXPECT_THAT(error_of(kKernel + "OpName %13 \"lost\"\nOpDecorate %13 Binding 0\n" + variable + kBody),
              HasSubstr("\"lost\" has no descriptor set or binding"));
}

TEST(Reflect, SaturatesAbsurdSharedMemory) {
  const std::string arrays =
      "%10 = OpTypeInt 32 0\n%11 = OpConstant %10 4294967295\n%12 = OpTypeArray %10 %11\n%13 = OpTypeArray "
      "%12 %11\n"
      "%14 = OpTypeArray %13 %11\n%15 = OpTypePointer Workgroup %14\n%16 = OpVariable %15 Workgroup\n";
  const auto module = Module::read(spirv_test::assemble(kKernel + arrays + kBody));
  ASSERT_TRUE(module);
  const auto reflection = spirv::reflect(*module);
  ASSERT_TRUE(reflection);
  EXPECT_GE(reflection->shared_memory_bytes, std::uint64_t{1} << 40);
}

TEST(Reflect, RefusesEmptySharedArrays) {
  EXPECT_THAT(error_of(kKernel +
                       "%10 = OpTypeInt 32 0\n%11 = OpConstant %10 0\n%12 = OpTypeArray %10 %11\n"
                       "%13 = OpTypePointer Workgroup %12\n%14 = OpVariable %13 Workgroup\n" +
                       kBody),
              HasSubstr("cannot be computed, or is 0"));
}

TEST(Reflect, ReadsTheWorkgroupSizeConstant) {
  const std::string text =
      kKernel + "OpDecorate %13 BuiltIn WorkgroupSize\nOpDecorate %11 SpecId 3\n" +
      "%10 = OpTypeInt 32 0\n%11 = OpSpecConstant %10 64\n%12 = OpTypeVector %10 3\n%14 = OpConstant %10 2\n"
      "%13 = OpSpecConstantComposite %12 %11 %14 %14\n" +
      kBody;
  const auto module = Module::read(spirv_test::assemble(text));
  ASSERT_TRUE(module);
  const auto reflection = spirv::reflect(*module);
  ASSERT_TRUE(reflection) << reflection.error().message;
  EXPECT_THAT(reflection->group_size.values, ElementsAre(64U, 2U, 2U));
  EXPECT_THAT(reflection->group_size.spec_ids, ElementsAre(3U, std::nullopt, std::nullopt));
  ASSERT_EQ(reflection->constants.size(), 1U);
  EXPECT_EQ(reflection->constants[0].name, "group_size_x") << "GLSL's local_size_x_id has no name";
}

TEST(Reflect, ReadsStorageBuffersOfNewerModules) {
  const std::string text =
      kKernel +
      "OpName %11 \"block\"\nOpMemberDecorate %11 0 Offset 0\nOpMemberDecorate %11 0 NonWritable\nOpDecorate "
      "%11 Block\n"
      "OpDecorate %13 DescriptorSet 2\nOpDecorate %13 Binding 5\n"
      "%10 = OpTypeInt 32 0\n%11 = OpTypeStruct %10\n%12 = OpTypePointer StorageBuffer %11\n"
      "%13 = OpVariable %12 StorageBuffer\n" +
      kBody;
  const auto module = Module::read(spirv_test::assemble(text));
  ASSERT_TRUE(module);
  const auto reflection = spirv::reflect(*module);
  ASSERT_TRUE(reflection) << reflection.error().message;
  ASSERT_EQ(reflection->resources.size(), 1U);
  const spirv::Resource& resource = reflection->resources[0];
  EXPECT_EQ(resource.name, "block");
  EXPECT_EQ(resource.set, 2U);
  EXPECT_EQ(resource.binding, 5U);
  EXPECT_EQ(resource.kind, ResourceKind::storage_buffer);
  EXPECT_TRUE(resource.readonly);
}

// What a buffer must hold, bound to a block with these types and decorations; %20 is the block.
std::uint64_t least_bytes(const std::string& decorations, const std::string& types) {
  const std::string text =
      kKernel + "OpDecorate %20 Block\nOpDecorate %22 DescriptorSet 0\n" + "OpDecorate %22 Binding 0\n" +
      decorations + "%10 = OpTypeInt 32 0\n%11 = OpTypeFloat 32\n%12 = OpTypeVector %11 3\n" +
      "%13 = OpConstant %10 7\n" + types +
      "%21 = OpTypePointer StorageBuffer %20\n%22 = OpVariable %21 StorageBuffer\n" + kBody;
  const auto module = Module::read(spirv_test::assemble(text));
  EXPECT_TRUE(module) << text;
  const auto reflection = spirv::reflect(*module);
  EXPECT_TRUE(reflection) << reflection.error().message;
  return reflection->resources.at(0).least_range_bytes;
}

TEST(Reflect, TellsTheLeastThatABufferHolds) {
  const std::string two = "OpMemberDecorate %20 0 Offset 0\nOpMemberDecorate %20 1 Offset 16\n";
  const std::string stride = "OpDecorate %14 ArrayStride 16\n";
  EXPECT_EQ(least_bytes(two, "%20 = OpTypeStruct %12 %10\n"), 20U);
  EXPECT_EQ(least_bytes(two + stride, "%14 = OpTypeArray %12 %13\n%20 = OpTypeStruct %12 %14\n"), 16U + 112);
  EXPECT_EQ(least_bytes(two + stride, "%14 = OpTypeRuntimeArray %12\n%20 = OpTypeStruct %12 %14\n"), 32U);
  EXPECT_EQ(least_bytes("OpMemberDecorate %20 0 Offset 0\nOpDecorate %14 ArrayStride 4\n",
                        "%14 = OpTypeRuntimeArray %10\n%20 = OpTypeStruct %14\n"),
            4U);
}

TEST(Reflect, TellsTheLeastOfEachKindOfBuffer) {
  std::vector<std::uint64_t> bytes;
  for (const spirv::Resource& resource : reflect(spirv_test_kernels::resources).resources)
    bytes.push_back(resource.least_range_bytes);
  EXPECT_THAT(bytes, ElementsAre(20U, 4U, 4U, 4U, 4U, 0U, 0U, 0U, 4U));
}

// Matrices of three columns of two, 16 bytes apart, and the other way round.
TEST(Reflect, TellsTheLeastOfMatrices) {
  const std::string types = "%14 = OpTypeVector %11 2\n%15 = OpTypeMatrix %14 3\n%20 = OpTypeStruct %15\n";
  const std::string stride = "OpMemberDecorate %20 0 Offset 0\nOpMemberDecorate %20 0 MatrixStride 16\n";
  EXPECT_EQ(least_bytes(stride + "OpMemberDecorate %20 0 ColMajor\n", types), 2U * 16 + 8);
  EXPECT_EQ(least_bytes(stride + "OpMemberDecorate %20 0 RowMajor\n", types), 1U * 16 + 12);
}

}  // namespace
