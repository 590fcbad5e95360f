// Writing seed files.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace upres::fuzz {

// Writes {name, bytes} pairs into the folder on the command line, which is made. Returns the program's exit
// status.
inline int write_seeds(int count, char** arguments,
                       const std::vector<std::pair<std::string, std::string>>& seeds) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, bytes] : seeds) {
    std::ofstream file(folder / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write %s\n", (folder / name).c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace upres::fuzz
