// What `upres --version` prints.
#pragma once

#include <string>

namespace upres::cli {

// Version and commit of upres, and the versions of the slangc that compiled the kernels and of the libraries
// in this build.
std::string version_text();

}  // namespace upres::cli
