#include "npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace upres::cli {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A file of version 1.0 with this header and this many bytes of data.
std::vector<std::byte> file_with(const std::string& header, size_t data_bytes) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xffU);
  text += static_cast<char>(header.size() >> 8U);
  return bytes_of(text + header + std::string(data_bytes, '\x2a'));
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of numpy.arange(6, dtype='<f4').reshape(2, 3)
  std::string expected("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                       69);
  expected += std::string(127 - expected.size(), ' ') + "\n";
  NpyArray array{DType::f32, {2, 3}, std::vector<std::byte>(24)};
  for (int i = 0; i < 6; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(array.bytes.data() + 4 * i, &value, 4);
  }
  const auto file = encode_npy(array);
  ASSERT_EQ(file.size(), 128U + 24);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.data()), 128), expected);
  EXPECT_EQ(std::memcmp(file.data() + 128, array.bytes.data(), 24), 0);
}

TEST(Npy, ReadsWhatItWrites) {
  for (const DType dtype : {DType::u8, DType::u16, DType::u32, DType::f16, DType::f32}) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {7}, {1, 2, 3, 4}, {0, 5}}) {
      size_t count = 1;
      for (const int64_t size : shape) count *= static_cast<size_t>(size);
      NpyArray array{dtype, shape, std::vector<std::byte>(count * size_bytes(dtype), std::byte{9})};
      const auto file = encode_npy(array);
      EXPECT_EQ(file.size() % 64, array.bytes.size() % 64);
      const auto read = parse_npy(file);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->dtype, dtype);
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->bytes, array.bytes);
    }
  }
}

TEST(Npy, ReadsOtherSpellings) {
  const auto read = parse_npy(file_with("{\"shape\":(2,3),'fortran_order':False,\"descr\":\"|u1\"}\n", 6));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(parse_npy(file_with("{'descr': '<f2', 'fortran_order': True, 'shape': (3,), }", 6)));
  // Version 2.0 has four bytes for the header's length.
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  EXPECT_TRUE(parse_npy(bytes_of(std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(header.size()) +
                                 std::string(3, '\0') + header + "1234")));
}

TEST(Npy, RefusesWhatItCannotUse) {
  const std::pair<std::string, size_t> wrong[] = {
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", 4},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 4},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 5},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }", 0},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, }", 4},
      {"{'descr': '<f4', 'fortran_order': False, }", 4},
      {"{'descr': '<f4', 'shape': (1,), }", 4},
      {"{'fortran_order': False, 'shape': (1,), }", 4},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", 4},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", 4},
      {"{'descr': '<f4", 4},
      {"[1, 2]", 4},
      {"", 4},
      {"{", 4}};
  for (const auto& [header, data_bytes] : wrong) {
    const auto read = parse_npy(file_with(header, data_bytes));
    ASSERT_FALSE(read) << header;
    EXPECT_EQ(read.error().code, ErrorCode::input);
  }
}

TEST(Npy, EveryPrefixAndEveryFlippedByteIsSafe) {
  const auto file = encode_npy({DType::f16, {2, 3}, std::vector<std::byte>(12)});
  for (size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(parse_npy(std::span(file).first(size)));
  for (size_t i = 0; i < file.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      auto damaged = file;
      damaged[i] ^= std::byte(1U << static_cast<unsigned>(bit));
      const auto read = parse_npy(damaged);  // may still be a file; must not crash
      if (read) {
        EXPECT_LE(read->bytes.size(), 12U);
      }
    }
  }
}

TEST(Npy, ErrorsOfFilesBeginWithTheirName) {
  const auto missing = read_npy("/no/such/a.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message.rfind("cannot read /no/such/a.npy: ", 0), 0U);
  const auto path = std::filesystem::path(::testing::TempDir()) / "upres-not.npy";
  std::ofstream(path) << "hello";
  const auto wrong = read_npy(path);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.rfind("cannot read " + path.native() + ": ", 0), 0U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace upres::cli
