#include <vkc/kernel.h>

#include <algorithm>
#include <array>

#include "vkc/kernel_state.h"

namespace vkc {
namespace detail {
namespace {

// Names of one thing in several drivers.
using Names = std::array<std::string_view, 3>;
constexpr Names kRegisters = {"Register Count", "VGPRs"};                          // NVIDIA; Mesa for AMD
constexpr Names kSpills = {"Spilled VGPRs", "Spill Count", "Spill count"};         // Mesa for AMD; for Intel
constexpr Names kScratch = {"Scratch size", "Scratch Memory Size", "Stack Size"};  // AMD; Intel; NVIDIA
constexpr Names kShared = {"LDS size", "Workgroup Memory Size"};                   // AMD; Intel
constexpr Names kInFlight = {"Subgroups per SIMD", "Max Waves Per Core"};          // AMD; Adreno

std::optional<std::uint64_t> whole_number(const KernelStatistic& statistic) {
  if (const auto* value = std::get_if<std::uint64_t>(&statistic.value)) return *value;
  const auto* value = std::get_if<std::int64_t>(&statistic.value);
  if (value == nullptr || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

// The largest of the executables'.
std::optional<std::uint64_t> find(const std::vector<KernelStatistic>& all, const Names& names) {
  std::optional<std::uint64_t> found;
  for (const KernelStatistic& statistic : all) {
    if (std::find(names.begin(), names.end(), statistic.name) == names.end()) continue;
    const auto value = whole_number(statistic);
    if (value && (!found || *value > *found)) found = value;
  }
  return found;
}

// Drivers fill fixed arrays; whether they end them is theirs to know.
template <std::size_t N>
std::string text(const char (&characters)[N]) {
  return {characters, std::find(characters, characters + N, '\0')};
}

std::variant<bool, std::int64_t, std::uint64_t, double> value_of(
    const VkPipelineExecutableStatisticKHR& from) {
  switch (from.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return from.value.b32 == VK_TRUE;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return std::int64_t{from.value.i64};
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      return from.value.f64;
    default:
      return std::uint64_t{from.value.u64};
  }
}

Result<std::vector<VkPipelineExecutablePropertiesKHR>> executables_of(const KernelState& kernel) {
  DeviceState& device = *kernel.device;
  auto info = vk_struct<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  info.pipeline = kernel.pipeline;
  std::uint32_t count = 0;
  const std::string_view what = "vkGetPipelineExecutablePropertiesKHR";
  VkResult result = device.vk.GetPipelineExecutablePropertiesKHR(device.handle, &info, &count, nullptr);
  if (auto ok = device.check(result, what); !ok) return propagate(ok);
  std::vector<VkPipelineExecutablePropertiesKHR> executables(
      count,
      vk_struct<VkPipelineExecutablePropertiesKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR));
  result = device.vk.GetPipelineExecutablePropertiesKHR(device.handle, &info, &count, executables.data());
  if (auto ok = device.check(result, what); !ok) return propagate(ok);
  executables.resize(count);
  return executables;
}

Status add_statistics(const KernelState& kernel, std::uint32_t index, const std::string& executable,
                      std::vector<KernelStatistic>& all) {
  DeviceState& device = *kernel.device;
  auto info = vk_struct<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
  info.pipeline = kernel.pipeline;
  info.executableIndex = index;
  std::uint32_t count = 0;
  const std::string_view what = "vkGetPipelineExecutableStatisticsKHR";
  VkResult result = device.vk.GetPipelineExecutableStatisticsKHR(device.handle, &info, &count, nullptr);
  if (auto ok = device.check(result, what); !ok) return ok;
  std::vector<VkPipelineExecutableStatisticKHR> statistics(
      count,
      vk_struct<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
  result = device.vk.GetPipelineExecutableStatisticsKHR(device.handle, &info, &count, statistics.data());
  if (auto ok = device.check(result, what); !ok) return ok;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkPipelineExecutableStatisticKHR& each = statistics[i];
    all.push_back({executable, text(each.name), text(each.description), value_of(each)});
  }
  return {};
}

}  // namespace
}  // namespace detail

KernelStatistics summarized(std::vector<KernelStatistic> all) {
  KernelStatistics result;
  result.registers = detail::find(all, detail::kRegisters);
  result.spills = detail::find(all, detail::kSpills);
  result.scratch_bytes = detail::find(all, detail::kScratch);
  result.shared_bytes = detail::find(all, detail::kShared);
  result.subgroups_in_flight = detail::find(all, detail::kInFlight);
  result.all = std::move(all);
  return result;
}

Result<KernelStatistics> Kernel::statistics() const {
  const detail::KernelState& kernel = *state_;
  if (auto ok = kernel.device->alive(); !ok) return detail::propagate(ok);
  const std::string what = "statistics of kernel " + detail::in_quotes(kernel.name);
  if (!kernel.device->properties().features.pipeline_statistics ||
      kernel.device->vk.GetPipelineExecutableStatisticsKHR == nullptr) {
    return detail::fail(ErrorCode::not_supported, what + ": the device has no pipeline_statistics");
  }
  if (!kernel.has_statistics)
    return detail::fail(ErrorCode::invalid_argument,
                        what + ": it was made without KernelOptions::statistics");
  const auto executables = detail::executables_of(kernel);
  if (!executables) return detail::propagate(executables);
  std::vector<KernelStatistic> all;
  std::optional<std::uint32_t> subgroup_size;
  for (std::uint32_t i = 0; i < executables->size(); ++i) {
    const VkPipelineExecutablePropertiesKHR& executable = (*executables)[i];
    if (!subgroup_size && executable.subgroupSize > 0) subgroup_size = executable.subgroupSize;
    if (auto ok = detail::add_statistics(kernel, i, detail::text(executable.name), all); !ok)
      return detail::propagate(ok);
  }
  KernelStatistics result = summarized(std::move(all));
  result.subgroup_size = subgroup_size;
  return result;
}

}  // namespace vkc
