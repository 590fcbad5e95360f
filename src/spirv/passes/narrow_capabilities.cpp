#include "spirv/passes/narrow_capabilities.h"

#include <algorithm>
#include <array>
#include <vector>

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

// Structs of storage buffers as before SPIR-V 1.3: in the class of uniform buffers, told by this decoration.
std::vector<std::uint32_t> buffer_blocks(const Module& module) {
  std::vector<std::uint32_t> ids;
  for (const Instruction instruction : module) {
    if (instruction.op() == Op::Decorate &&
        instruction.words[2] == static_cast<std::uint32_t>(Decoration::BufferBlock))
      ids.push_back(instruction.words[1]);
  }
  return ids;
}

// What a variable is, or its elements where it is an array; 0 if that is not defined.
std::uint32_t block_of(const Definitions& definitions, const Instruction& variable) {
  const Instruction pointer = definitions.find(variable.words[1]);
  if (pointer.words.empty() || pointer.op() != Op::TypePointer) return 0;
  const std::uint32_t id = pointer.words[3];
  const Instruction type = definitions.find(id);
  const bool is_array =
      !type.words.empty() && (type.op() == Op::TypeArray || type.op() == Op::TypeRuntimeArray);
  return is_array ? type.words[2] : id;
}

bool has_uniform_buffers(const Module& module) {
  const Definitions definitions(module);
  const std::vector<std::uint32_t> storage_blocks = buffer_blocks(module);
  for (const Instruction instruction : module) {
    if (instruction.op() != Op::Variable ||
        instruction.words[3] != static_cast<std::uint32_t>(StorageClass::Uniform))
      continue;
    const std::uint32_t block = block_of(definitions, instruction);
    if (std::find(storage_blocks.begin(), storage_blocks.end(), block) == storage_blocks.end()) return true;
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
  if (!changed || has_uniform_buffers(module)) return {PassStatus::unchanged};
  auto result = Module::read(writer.take());
  if (!result) return PassOutcome::failed("the narrowed module is damaged: " + result.error().message);
  module = std::move(*result);
  return {PassStatus::changed};
}

}  // namespace spirv
