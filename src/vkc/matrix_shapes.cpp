#include "vkc/matrix_shapes.h"

#include <algorithm>
#include <array>
#include <span>

namespace vkc {
namespace detail {
namespace {

struct NamedNumber {
  MatrixNumber number;
  int vulkan;  // VkComponentTypeKHR
  std::string_view name;
};

// In the order of MatrixNumber.
constexpr auto kNumbers = std::to_array<NamedNumber>({{MatrixNumber::f16, 0, "f16"},
                                                      {MatrixNumber::bf16, 1000141000, "bf16"},
                                                      {MatrixNumber::f32, 1, "f32"},
                                                      {MatrixNumber::f64, 2, "f64"},
                                                      {MatrixNumber::s8, 3, "s8"},
                                                      {MatrixNumber::s16, 4, "s16"},
                                                      {MatrixNumber::s32, 5, "s32"},
                                                      {MatrixNumber::s64, 6, "s64"},
                                                      {MatrixNumber::u8, 7, "u8"},
                                                      {MatrixNumber::u16, 8, "u16"},
                                                      {MatrixNumber::u32, 9, "u32"},
                                                      {MatrixNumber::u64, 10, "u64"}});

std::optional<MatrixNumber> number_of(VkComponentTypeKHR type) {
  const auto found = std::find_if(kNumbers.begin(), kNumbers.end(), [&](const NamedNumber& known) {
    return known.vulkan == static_cast<int>(type);
  });
  if (found == kNumbers.end()) return std::nullopt;
  return found->number;
}

bool is_edge(std::uint32_t size) { return size >= 1 && size <= kMaxMatrixEdge; }

}  // namespace

std::optional<MatrixShape> matrix_shape(const VkCooperativeMatrixPropertiesKHR& properties) {
  if (properties.scope != VK_SCOPE_SUBGROUP_KHR || properties.saturatingAccumulation != VK_FALSE) return {};
  if (!is_edge(properties.MSize) || !is_edge(properties.NSize) || !is_edge(properties.KSize)) return {};
  const auto a = number_of(properties.AType);
  const auto b = number_of(properties.BType);
  const auto c = number_of(properties.CType);
  const auto result = number_of(properties.ResultType);
  if (!a || !b || !c || !result) return {};
  return MatrixShape{properties.MSize, properties.NSize, properties.KSize, *a, *b, *c, *result};
}

std::vector<MatrixShape> read_matrix_shapes(const InstanceFunctions& functions, VkPhysicalDevice device) {
  const auto list = functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  std::uint32_t count = 0;
  if (list == nullptr || list(device, &count, nullptr) != VK_SUCCESS) return {};
  count = std::min(count, kMaxMatrixShapes);
  std::vector<VkCooperativeMatrixPropertiesKHR> all(
      count,
      vk_struct<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR));
  const VkResult result = list(device, &count, all.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return {};
  std::vector<MatrixShape> shapes;
  for (const auto& properties : std::span(all).first(std::min<std::size_t>(count, all.size()))) {
    const auto shape = matrix_shape(properties);
    if (shape && std::find(shapes.begin(), shapes.end(), *shape) == shapes.end()) shapes.push_back(*shape);
  }
  return shapes;
}

}  // namespace detail

std::string_view to_text(MatrixNumber number) {
  return detail::kNumbers[static_cast<std::size_t>(number)].name;
}

std::string to_text(const MatrixShape& shape) {
  std::string text = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  text.append(" ").append(to_text(shape.a)).append(",").append(to_text(shape.b)).append(",");
  return text.append(to_text(shape.c)).append("->").append(to_text(shape.result));
}

}  // namespace vkc
