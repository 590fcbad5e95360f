#include "session/gpu/compiled_kernels.h"

#include <chrono>
#include <span>
#include <string>

#include "base/hash.h"
#include "session/gpu/vkc_error.h"
#include "upres_shaders_kernels.h"

namespace upres::session {
namespace {

bool same(const kernels::KernelChoice& a, const kernels::KernelChoice& b) {
  return a.kernel == b.kernel && a.variant == b.variant && a.group_size == b.group_size &&
         a.constants == b.constants;
}

vkc::Constant constant_of(const kernels::Constant& constant) {
  return {constant.name, std::visit([](auto value) { return vkc::ConstantValue(value); }, constant.value)};
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Result<vkc::Kernel> compile_kernel(const vkc::Device& device, const kernels::KernelChoice& choice,
                                   std::string_view node, bool statistics) {
  const std::string module = kernels::module_name(choice);
  const vkc::KernelSource* source = upres_shaders_kernels::find(module);
  if (source == nullptr) return fail(ErrorCode::device, "this build has no kernel module '" + module + "'");
  std::vector<vkc::Constant> constants;
  for (const kernels::Constant& constant : choice.constants) constants.push_back(constant_of(constant));
  const kernels::GroupSize& group = choice.group_size;
  // The modules are this build's own, and its tests validate them.
  auto kernel =
      vkc::Kernel::create(device, *source, constants, vkc::KernelGroupSize{group.x, group.y, group.z},
                          {.trusted = true, .statistics = statistics});
  if (!kernel) return device_error(kernel.error(), "compiling " + module + " for node " + std::string(node));
  return std::move(*kernel);
}

uint64_t module_hash(std::string_view kernel) {
  uint64_t hash = 0;
  for (const vkc::KernelSource* source : upres_shaders_kernels::all()) {
    const bool is_variant = source->name.starts_with(std::string(kernel) + "_");
    if (source->name == kernel || is_variant) hash = hash_bytes(std::as_bytes(source->spirv), hash);
  }
  return hash;
}

Result<std::vector<vkc::Kernel>> compile_kernels(const vkc::Device& device, const plan::ChosenGraph& chosen,
                                                 const Log& log, bool statistics) {
  std::vector<vkc::Kernel> compiled;
  for (size_t node = 0; node < chosen.nodes.size(); ++node) {
    const kernels::KernelChoice& choice = chosen.nodes[node].choice;
    size_t twin = 0;
    while (twin < node && !same(chosen.nodes[twin].choice, choice)) ++twin;
    if (twin < node) {
      compiled.push_back(compiled[twin]);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    auto kernel = compile_kernel(device, choice, chosen.graph.nodes()[node].name, statistics);
    if (!kernel) return propagate(kernel);
    log.debug("compiled " + kernels::module_name(choice) + " " + plan::constants_text(choice) + " in " +
              std::to_string(ms_since(begin)) + " ms");
    compiled.push_back(std::move(*kernel));
  }
  return compiled;
}

KernelFacts facts_of(const vkc::Kernel& kernel) {
  const vkc::KernelGroupSize group = kernel.group_size();
  KernelFacts facts{{group.x, group.y, group.z}, kernel.shared_memory_bytes(), {}, {}, {}};
  const auto statistics = kernel.statistics();
  if (!statistics) return facts;
  if (statistics->shared_bytes) facts.shared_bytes = statistics->shared_bytes;
  facts.registers = statistics->registers;
  facts.spills = statistics->spills;
  facts.subgroups_in_flight = statistics->subgroups_in_flight;
  return facts;
}

}  // namespace upres::session
