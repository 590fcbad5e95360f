#include "spirv/passes/narrow_capabilities.h"

#include <array>

namespace spirv {
namespace {

struct Narrowing {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// UniformAndStorageBuffer16BitAccess, UniformAndStorageBuffer8BitAccess.
constexpr std::array kNarrowings = {Narrowing{4434, 4433}, Narrowing{4449, 4448}};

// The capability that is enough without uniform buffers; the same if there is no narrower one.
std::uint32_t narrowed(std::uint32_t capability) {
  for (const Narrowing& narrowing : kNarrowings) {
    if (narrowing.from == capability) return narrowing.to;
  }
  return capability;
}

bool points_into_uniform_buffers(const Module& module) {
  for (const Instruction instruction : module) {
    if (instruction.op() == Op::TypePointer &&
        instruction.words[2] == static_cast<std::uint32_t>(StorageClass::Uniform))
      return true;
  }
  return false;
}

}  // namespace

PassOutcome narrow_capabilities(Module& module) {
  ModuleWriter writer(module);
  bool changed = false;
  for (const Instruction instruction : module) {
    const bool is_capability = instruction.op() == Op::Capability;
    const std::uint32_t capability = is_capability ? narrowed(instruction.words[1]) : 0;
    if (!is_capability || capability == instruction.words[1]) {
      writer.copy(instruction);
      continue;
    }
    writer.write(Op::Capability, std::array{capability});
    changed = true;
  }
  if (!changed || points_into_uniform_buffers(module)) return {PassStatus::unchanged};
  auto result = Module::read(writer.take());
  if (!result) return PassOutcome::failed("the narrowed module is damaged: " + result.error().message);
  module = std::move(*result);
  return {PassStatus::changed};
}

}  // namespace spirv
