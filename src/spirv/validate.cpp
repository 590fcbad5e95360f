#include "spirv/validate.h"

#include <string_view>

#include "spirv/complexity.h"
#include "spirv/structure.h"
#include "spirv/tools_context.h"

namespace spirv {
namespace {

spv_target_env environment(Version newest_version) {
  if (newest_version < Version{1, 4}) return SPV_ENV_VULKAN_1_1;
  if (newest_version < Version{1, 5}) return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
  if (newest_version < Version{1, 6}) return SPV_ENV_VULKAN_1_2;
  return SPV_ENV_VULKAN_1_3;
}

// Below the specification's minimums (section 2.17) where no compiler comes near them and a validator or
// driver that recurses would run out of stack.
ToolsOptions limited_options() {
  ToolsOptions options(spvValidatorOptionsCreate());
  const auto limit = [&](spv_validator_limit which, std::uint32_t value) {
    spvValidatorOptionsSetUniversalLimit(options.get(), which, value);
  };
  limit(spv_validator_limit_max_struct_depth, 64);
  limit(spv_validator_limit_max_local_variables, 65535);
  limit(spv_validator_limit_max_control_flow_nesting_depth, 256);
  return options;
}

bool declares(const Module& module, std::uint32_t capability) {
  for (const Instruction instruction : module) {
    if (instruction.op() != Op::Capability) return false;
    if (instruction.words[1] == capability) return true;
  }
  return false;
}

// One line without control characters: names come from the module.
std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 400;
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
    if (line.size() == kLongest) return line + "...";
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Result<void> validate(const Module& module, Version newest_version) {
  if (auto ok = check_complexity(module); !ok) return ok;
  const ToolsContext context(spvContextCreate(environment(newest_version)));
  const ToolsOptions options = limited_options();
  spv_const_binary_t binary{module.words().data(), module.words().size()};
  spv_diagnostic raw = nullptr;
  const spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
  const ToolsDiagnostic diagnostic(raw);
  if (result == SPV_SUCCESS) return {};
  const std::string_view message =
      diagnostic && diagnostic->error != nullptr ? diagnostic->error : "no reason is given";
  const bool unknown = message.starts_with("Invalid capability operand");
  if (unknown && declares(module, kCapabilityCooperativeMatrixKHR)) return check_structure(module);
  return fail("invalid SPIR-V: " + one_line(message));
}

}  // namespace spirv
