// SPIRV-Tools' assembler, disassembler and validator, as oracles for tests of our own code.
#pragma once

#include <cstdint>
#include <span>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

namespace spirv_test {

inline std::vector<std::uint32_t> assemble(const std::string& text,
                                           spv_target_env environment = SPV_ENV_UNIVERSAL_1_3) {
  const spvtools::SpirvTools tools(environment);
  std::vector<std::uint32_t> words;
  if (!tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) return {};
  return words;
}

// One instruction a line, numeric ids, no header.
inline std::string disassemble(std::span<const std::uint32_t> words) {
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  const std::vector<std::uint32_t> copy(words.begin(), words.end());
  if (!tools.Disassemble(copy, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER)) return "not a module";
  return text;
}

// Empty if the module is valid for that environment, else why not.
inline std::string problem(std::span<const std::uint32_t> words,
                           spv_target_env environment = SPV_ENV_VULKAN_1_1) {
  spvtools::SpirvTools tools(environment);
  std::string text;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { text += message; });
  return tools.Validate(words.data(), words.size()) ? std::string() : "invalid: " + text;
}

}  // namespace spirv_test
