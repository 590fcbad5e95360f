// The command line as a whole.
#pragma once

#include <string>
#include <vector>

namespace upres::cli {

// Runs the command with the arguments after the program's name; gives its exit code.
int run_command(const std::vector<std::string>& arguments);

}  // namespace upres::cli
