// Gives each file on the command line, and each file in a folder on it, to the fuzz target once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size_bytes);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(int count, char** arguments) {
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    if (!fs::is_directory(arguments[i])) {
      files.emplace_back(arguments[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(arguments[i])) files.push_back(entry.path());
  }
  return files;
}

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<fs::path> files = files_of(count, arguments);
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...\n", arguments[0]);
    return 2;
  }
  for (const fs::path& path : files) {
    if (!replay(path)) return 1;
  }
  std::printf("%zu files\n", files.size());
  return 0;
}
