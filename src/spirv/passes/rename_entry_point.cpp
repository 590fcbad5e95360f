#include "spirv/passes/rename_entry_point.h"

#include <algorithm>
#include <vector>

namespace spirv {
namespace {

constexpr std::size_t kNameAt = 3;
constexpr std::size_t kMostOperands = 65534;

// In the order of bytes that the specification wants, whatever the host's: the first in the lowest bits.
std::vector<std::uint32_t> words_of(std::string_view text) {
  std::vector<std::uint32_t> words(Instruction::text_words(text));
  for (std::size_t i = 0; i < text.size(); ++i)
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(text[i])} << (8 * (i % 4));
  return words;
}

// All words after the first, with the name in place of the old one.
std::vector<std::uint32_t> renamed(const Instruction& entry_point, std::span<const std::uint32_t> name) {
  const auto& words = entry_point.words;
  const std::size_t old_words = Instruction::text_words(entry_point.text(kNameAt));
  const auto interface = words.subspan(std::min(words.size(), kNameAt + old_words));
  std::vector<std::uint32_t> operands = {words[1], words[2]};
  operands.insert(operands.end(), name.begin(), name.end());
  operands.insert(operands.end(), interface.begin(), interface.end());
  return operands;
}

}  // namespace

PassOutcome rename_entry_point(Module& module, std::string_view name) {
  ModuleWriter writer(module);
  const std::vector<std::uint32_t> name_words = words_of(name);
  bool changed = false;
  for (const Instruction instruction : module) {
    if (instruction.op() != Op::EntryPoint || instruction.text(kNameAt) == name) {
      writer.copy(instruction);
      continue;
    }
    const std::vector<std::uint32_t> operands = renamed(instruction, name_words);
    if (operands.size() > kMostOperands) return PassOutcome::failed("an entry point's interface is too long");
    writer.write(Op::EntryPoint, operands);
    changed = true;
  }
  if (!changed) return {PassStatus::unchanged};
  auto result = Module::read(writer.take());
  if (!result) return PassOutcome::failed("the renamed module is damaged: " + result.error().message);
  module = std::move(*result);
  return {PassStatus::changed};
}

}  // namespace spirv
