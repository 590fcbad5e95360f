// Arrays in NumPy's .npy files (NEP 1; versions 1.0 to 3.0): what `run` reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/pending_file.h"

namespace upres::cli {

// An array in C order: the last dimension varies fastest.
struct NpyArray {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
};

// Little-endian f4, f2, u1, u2 and u4, C order. Hostile input is safe. Errors: input, saying what is wrong.
Result<NpyArray> parse_npy(std::span<const std::byte> file);
std::vector<std::byte> encode_npy(const NpyArray& array);

// The same from and to a file (files.h). Errors: input, "cannot read NAME: ..."; cancelled.
Result<NpyArray> read_npy(const std::filesystem::path& path);
Status write_npy(const std::filesystem::path& path, const NpyArray& array, IfExists if_exists);

// "(1, 3, 20, 30)".
std::string shape_text(std::span<const int64_t> shape);

}  // namespace upres::cli
