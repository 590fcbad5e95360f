// Each kernel's host side against what its shader declares: names of constants, bindings and push constants,
// types and offsets. A mismatch is found here, without a GPU.
#include <gtest/gtest.h>

#include <vkc/kernel_source.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "kernels/cases.h"
#include "kernels/kernel.h"
#include "upres_shaders_kernels.h"

namespace upres::kernels {
namespace {

vkc::ScalarType scalar_type(const Constant& constant) {
  constexpr std::array kTypes = {vkc::ScalarType::boolean, vkc::ScalarType::int32, vkc::ScalarType::uint32,
                                 vkc::ScalarType::float32};
  return kTypes[constant.value.index()];
}

using Types = std::map<std::string, vkc::ScalarType, std::less<>>;

Types host_constants(const KernelChoice& choice) {
  Types types;
  for (const Constant& constant : choice.constants) {
    EXPECT_TRUE(types.emplace(constant.name, scalar_type(constant)).second) << constant.name << " twice";
  }
  for (const char* name : {"group_size_x", "group_size_y", "group_size_z"})
    types.emplace(name, vkc::ScalarType::uint32);
  return types;
}

Types shader_constants(const vkc::KernelSource& source) {
  Types types;
  for (const vkc::DeclaredConstant& constant : source.constants) types.emplace(constant.name, constant.type);
  return types;
}

std::set<std::string_view> host_bindings(const BindingNames& names) {
  std::set<std::string_view> all;
  for (const auto* list : {&names.inputs, &names.outputs, &names.constant_data, &names.tables}) {
    for (const std::string_view name : *list) EXPECT_TRUE(all.insert(name).second) << name << " twice";
  }
  return all;
}

std::set<std::string_view> shader_bindings(const vkc::KernelSource& source) {
  std::set<std::string_view> all;
  for (const vkc::DeclaredBinding& binding : source.bindings) all.insert(binding.name);
  return all;
}

void expect_same_push(const Kernel& kernel, const vkc::KernelSource& source) {
  const auto fields = kernel.push_fields();
  ASSERT_EQ(fields.size(), source.push_constants.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].name, source.push_constants[i].name);
    EXPECT_EQ(fields[i].offset_bytes, source.push_constants[i].offset_bytes) << fields[i].name;
    EXPECT_EQ(fields[i].size_bytes, source.push_constants[i].size_bytes) << fields[i].name;
  }
  EXPECT_EQ(fields[0].name, "row_begin");
  EXPECT_EQ(fields[0].offset_bytes, offsetof(RowRange, row_begin));
  EXPECT_EQ(fields[1].name, "row_end");
  EXPECT_EQ(fields[1].offset_bytes, offsetof(RowRange, row_end));
}

KernelChoice any_choice(const Kernel& kernel, const KernelCase& test) {
  return kernel.choose(test.graph, test.node(), all_selections(kernel, test.graph, test.node()).front());
}

TEST(Interface, HostAndShaderAgreeInEveryCase) {
  for (const Kernel* kernel : all_kernels()) {
    for (const KernelCase& test : kernel_cases(group_size_of(complete_tuning(*kernel, {})))) {
      if (!kernel->computes(test.graph, test.node())) continue;
      SCOPED_TRACE(std::string(kernel->id()) + ": " + test.line);
      for (const Selection& selection : all_selections(*kernel, test.graph, test.node())) {
        const KernelChoice choice = kernel->choose(test.graph, test.node(), selection);
        EXPECT_EQ(choice.kernel, kernel->id());
        EXPECT_EQ(choice.input, selection.input);
        EXPECT_EQ(choice.output, selection.output);
        const vkc::KernelSource* source = upres_shaders_kernels::find(module_name(choice));
        ASSERT_NE(source, nullptr) << module_name(choice);
        EXPECT_EQ(host_constants(choice), shader_constants(*source));
      }
      const KernelChoice choice = any_choice(*kernel, test);
      const vkc::KernelSource* source = upres_shaders_kernels::find(module_name(choice));
      ASSERT_NE(source, nullptr) << module_name(choice);
      const BindingNames names = kernel->bindings(test.graph, test.node());
      EXPECT_EQ(host_bindings(names), shader_bindings(*source));
      EXPECT_EQ(names.inputs.size(), test.node().inputs.size());
      EXPECT_EQ(names.outputs.size(), test.node().outputs.size());
      EXPECT_EQ(names.constant_data.size(),
                kernel->pack_constant_data(test.graph, test.node(), choice).size());
      // The smallest number of storage buffers that Vulkan promises a kernel.
      EXPECT_LE(shader_bindings(*source).size(), 4U);
    }
  }
}

TEST(Interface, PushConstantsLieWhereTheShaderReadsThem) {
  for (const Kernel* kernel : all_kernels()) {
    for (const vkc::KernelSource* source : upres_shaders_kernels::all()) {
      const bool own =
          source->name == kernel->id() || source->name.starts_with(std::string(kernel->id()) + "_");
      if (!own) continue;
      SCOPED_TRACE(source->name);
      expect_same_push(*kernel, *source);
    }
  }
}

TEST(Interface, LaunchesCoverEveryRowAndFillTheirPushBlock) {
  for (const Kernel* kernel : all_kernels()) {
    for (const KernelCase& test : kernel_cases({16, 8, 1})) {
      if (!kernel->computes(test.graph, test.node())) continue;
      SCOPED_TRACE(std::string(kernel->id()) + ": " + test.line);
      const auto extents = case_extents(test);
      ASSERT_TRUE(extents.has_value()) << extents.error().text();
      const KernelChoice choice = any_choice(*kernel, test);
      const Launch launch = kernel->launch({test.graph, test.node(), *extents, choice});
      const PushField& last = kernel->push_fields().back();
      EXPECT_EQ(launch.push.size(), last.offset_bytes + last.size_bytes);
      RowRange rows;
      std::memcpy(&rows, launch.push.data(), sizeof(rows));
      EXPECT_EQ(rows.row_begin, 0U);
      EXPECT_EQ(rows.row_end, launch.grid.rows);
      EXPECT_GE(launch.grid.width, 1U);
      EXPECT_GE(launch.grid.depth, 1U);
    }
  }
}

// SPIR-V 1.3 and no capability beyond Shader, what every Vulkan 1.1 device has; those that compute in 16 bits
// or on matrices say so in the host's table, which asks the device.
TEST(Interface, ModulesAskForNothingBeyondTheirPromise) {
  const std::set<uint32_t> basic = {1};                // Shader
  const std::set<uint32_t> half = {1, 9, 4433, 4434};  // and Float16, StorageBuffer16BitAccess, Uniform...
  const std::set<uint32_t> matrix = {1,    9,    4433, 4434,
                                     5345, 5346, 6022};  // and VulkanMemoryModel, its device scope,
                                                         // CooperativeMatrixKHR
  for (const vkc::KernelSource* source : upres_shaders_kernels::all()) {
    SCOPED_TRACE(source->name);
    ASSERT_GT(source->spirv.size(), 5U);
    EXPECT_LE(source->spirv[1], 0x00010300U);
    const bool is_matrix = source->name.starts_with("conv_columns") ||
                           source->name.starts_with("conv_matrix") || source->name.starts_with("conv_pair") ||
                           source->name.starts_with("conv_rows");
    const bool is_half = source->name.find("fp16") != std::string_view::npos;
    const auto& allowed = is_matrix ? matrix : is_half ? half : basic;
    for (size_t at = 5; at < source->spirv.size(); at += source->spirv[at] >> 16U) {
      constexpr uint32_t kOpCapability = 17;
      if ((source->spirv[at] & 0xffffU) != kOpCapability) continue;
      EXPECT_TRUE(allowed.contains(source->spirv[at + 1])) << source->spirv[at + 1];
    }
  }
}

}  // namespace
}  // namespace upres::kernels
