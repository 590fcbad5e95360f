// Handles of SPIRV-Tools that free themselves.
#pragma once

#include <spirv-tools/libspirv.h>
#include <memory>

namespace spirv {

struct ToolsDeleter {
  void operator()(spv_context context) const { spvContextDestroy(context); }
  void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
  void operator()(spv_validator_options options) const { spvValidatorOptionsDestroy(options); }
};

using ToolsContext = std::unique_ptr<spv_context_t, ToolsDeleter>;
using ToolsDiagnostic = std::unique_ptr<spv_diagnostic_t, ToolsDeleter>;
using ToolsOptions = std::unique_ptr<spv_validator_options_t, ToolsDeleter>;

}  // namespace spirv
