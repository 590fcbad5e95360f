#include "vkc/kernel_interface.h"

#include <algorithm>

#include "spirv/passes/freeze_constants.h"
#include "spirv/passes/narrow_capabilities.h"
#include "spirv/passes/rename_entry_point.h"
#include "spirv/validate.h"
#include "vkc/kernel_constants.h"
#include "vkc/status.h"

namespace vkc::detail {
namespace {

// Drivers and the validation layer get a name that none of them stumbles over: a module may have one with
// control characters, of hundreds of bytes, or of bytes that are not UTF-8.
constexpr std::string_view kEntryPoint = "main";

std::string described(std::string_view kernel) { return "kernel " + in_quotes(kernel); }

Result<spirv::Reflection> reflected(std::string_view kernel, const spirv::Module& module) {
  auto reflection = spirv::reflect(module);
  if (!reflection)
    return fail(ErrorCode::invalid_module, described(kernel) + ": " + reflection.error().message);
  return std::move(*reflection);
}

// The module with every constant set.
Result<FrozenModule> frozen(const KernelSource& source, std::span<const Constant> constants,
                            const std::optional<KernelGroupSize>& group_size) {
  auto module = spirv::Module::read(source.spirv);
  if (!module) return fail(ErrorCode::invalid_module, described(source.name) + ": " + module.error().message);
  const auto before = reflected(source.name, *module);
  if (!before) return propagate(before);
  const auto values =
      resolve_constants(source.name, before->constants, source.constants, constants, group_size);
  if (!values) return propagate(values);
  for (const spirv::PassOutcome& outcome :
       {spirv::freeze_constants(*module, *values), spirv::narrow_capabilities(*module),
        spirv::rename_entry_point(*module, kEntryPoint)}) {
    if (outcome.status == spirv::PassStatus::failed)
      return fail(ErrorCode::invalid_module, described(source.name) + ": " + outcome.message);
  }
  auto after = reflected(source.name, *module);
  if (!after) return propagate(after);
  return FrozenModule{std::move(*module), std::move(*after)};
}

std::string size_text(const KernelGroupSize& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

// Each name that can be bound stands for one binding.
Status check_binding_names(std::string_view kernel, const spirv::Reflection& frozen) {
  for (std::size_t i = 0; i < frozen.resources.size(); ++i) {
    const spirv::Resource& resource = frozen.resources[i];
    if (resource.name.empty()) {
      return fail(ErrorCode::invalid_module,
                  described(kernel) + ": binding " + std::to_string(resource.binding) + " of set " +
                      std::to_string(resource.set) + " has no name in the module; compile it with names");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const spirv::Resource& other = frozen.resources[j];
      const bool same_place = other.set == resource.set && other.binding == resource.binding;
      if (!same_place && other.name != resource.name) continue;
      return fail(ErrorCode::invalid_argument, described(kernel) + ": bindings " + in_quotes(other.name) +
                                                   " and " + in_quotes(resource.name) + " share their " +
                                                   (same_place ? "number" : "name"));
    }
  }
  return {};
}

}  // namespace

KernelGroupSize group_size_of(const spirv::Reflection& frozen) {
  const auto& values = frozen.group_size.values;
  return {values[0].value_or(0), values[1].value_or(0), values[2].value_or(0)};
}

std::vector<std::string> dropped_names(const KernelSource& source, const spirv::Reflection& frozen) {
  std::vector<std::string> names;
  for (const DeclaredBinding& declared : source.bindings) {
    const bool used = std::any_of(frozen.resources.begin(), frozen.resources.end(),
                                  [&](const auto& resource) { return resource.name == declared.name; });
    if (!used) names.emplace_back(declared.name);
  }
  return names;
}

Result<FrozenModule> freeze_kernel(const KernelSource& source, std::span<const Constant> constants,
                                   const std::optional<KernelGroupSize>& group_size,
                                   const DeviceAbilities& device, bool trusted) {
  if (auto ok = check_declared_names(source); !ok) return propagate(ok);
  auto result = frozen(source, constants, group_size);
  if (!result) return result;
  const KernelGroupSize size = group_size_of(result->reflection);
  if (group_size && *group_size != size) {
    return fail(ErrorCode::invalid_argument,
                described(source.name) + ": a group size of " + size_text(*group_size) +
                    " is asked for, but the module's is " + size_text(size) +
                    "; is numthreads not (group_size_x, group_size_y, group_size_z)?");
  }
  if (auto ok = check_kernel(source.name, result->reflection, device); !ok) return propagate(ok);
  if (auto ok = check_binding_names(source.name, result->reflection); !ok) return propagate(ok);
  if (trusted) return result;
  // What the driver gets, after the constants: an array's length may have become 0.
  if (auto ok = spirv::validate(result->module, device.newest_spirv); !ok)
    return fail(ErrorCode::invalid_module, described(source.name) + ": " + ok.error().message);
  return result;
}

}  // namespace vkc::detail
