cmake_minimum_required(VERSION 3.25)

# Writes OUT with the commit of SOURCE and the versions of slangc and SPIRV-Tools, if that changes it:
#   cmake -DSOURCE=... -DOUT=... -DSLANGC_VERSION=... -DSPIRV_TOOLS_VERSION=... -P build_info.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "commit unknown")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Made by build_info.cmake.
#pragma once

#include <string_view>

namespace upres::cli {

inline constexpr std::string_view kCommit = \"@commit@\";
inline constexpr std::string_view kSlangcVersion = \"@SLANGC_VERSION@\";
inline constexpr std::string_view kSpirvToolsVersion = \"@SPIRV_TOOLS_VERSION@\";

}  // namespace upres::cli
" @ONLY)
