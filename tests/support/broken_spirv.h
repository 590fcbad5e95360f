// Modules with one fault in them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "spirv/module.h"

namespace broken_spirv {

using Words = std::vector<std::uint32_t>;

// The module with the instruction that comes n-th among those with that opcode, counted from 0, changed.
inline Words with_instruction(std::span<const std::uint32_t> module, std::uint32_t opcode, int n,
                              const std::function<void(Words& instruction)>& change) {
  Words result(module.begin(), module.end());
  for (std::size_t at = spirv::kHeaderWords; at < result.size(); at += result[at] >> 16) {
    if ((result[at] & 0xFFFF) != opcode || n-- > 0) continue;
    const auto begin = result.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(result[at] >> 16);
    Words instruction(begin, end);
    change(instruction);
    instruction[0] = static_cast<std::uint32_t>(instruction.size()) << 16 | opcode;
    result.insert(result.erase(begin, end), instruction.begin(), instruction.end());
    return result;
  }
  throw std::out_of_range("no such instruction");
}

// The same with one word of it set.
inline Words with_word(std::span<const std::uint32_t> module, std::uint32_t opcode, int n, std::size_t word,
                       std::uint32_t value) {
  return with_instruction(module, opcode, n, [&](Words& instruction) { instruction.at(word) = value; });
}

// The same with the number of the first decoration of that kind set.
inline Words with_decoration(std::span<const std::uint32_t> module, spirv::Decoration kind,
                             std::uint32_t number) {
  Words result(module.begin(), module.end());
  for (std::size_t at = spirv::kHeaderWords; at < result.size(); at += result[at] >> 16) {
    const auto op = static_cast<spirv::Op>(result[at] & 0xFFFF);
    if (op != spirv::Op::Decorate || static_cast<spirv::Decoration>(result[at + 2]) != kind) continue;
    result.at(at + 3) = number;
    return result;
  }
  throw std::out_of_range("no such decoration");
}

// A word of the first instruction with that opcode.
inline std::uint32_t word_of(std::span<const std::uint32_t> module, std::uint32_t opcode, std::size_t word) {
  for (std::size_t at = spirv::kHeaderWords; at < module.size(); at += module[at] >> 16) {
    if ((module[at] & 0xFFFF) == opcode) return module[at + word];
  }
  throw std::out_of_range("no such instruction");
}

// Opcodes that the tests break.
inline constexpr std::uint32_t kEntryPoint = 15, kTypeFloat = 22, kConstant = 43, kLoad = 61, kStore = 62,
                               kAccessChain = 65, kFMul = 133, kLabel = 248, kBranch = 249;

}  // namespace broken_spirv
