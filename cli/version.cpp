#include "version.h"

#include <fmt/format.h>

#include "build_info.h"
#include "upscale/cpu_device.h"
#include "upscale/version.h"

namespace upres::cli {

std::string version_text() {
  std::string text = fmt::format("upres {} ({})\nslangc {}\nSPIRV-Tools {}", upscale::kVersion, kCommit,
                                 kSlangcVersion, kSpirvToolsVersion);
  if (const std::string library = upscale::cpu_library(); !library.empty()) text += "\n" + library;
  return text;
}

}  // namespace upres::cli
