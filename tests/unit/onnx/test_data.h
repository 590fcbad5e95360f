// Files of others that tests read when UPRES_TEST_DATA names their folder.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace upres::onnx::testing {

// Empty when there are none.
inline std::string test_data() {
  const char* folder = std::getenv("UPRES_TEST_DATA");
  return folder == nullptr ? "" : folder;
}

inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace upres::onnx::testing
