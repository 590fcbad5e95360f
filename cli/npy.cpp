#include "npy.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "base/display_name.h"
#include "files.h"

namespace upres::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  std::string_view text;
  DType dtype;
};
constexpr std::array<TypeName, 7> kTypeNames = {{{"<f4", DType::f32},
                                                 {"<f2", DType::f16},
                                                 {"|u1", DType::u8},
                                                 {"<u2", DType::u16},
                                                 {"<u4", DType::u32},
                                                 {"u1", DType::u8},
                                                 {"<u1", DType::u8}}};

tl::unexpected<Error> damaged(const std::string& what) {
  return fail(ErrorCode::input, "not a usable .npy file: " + what);
}

// Reads the header's Python dictionary, one token after the other.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  Result<NpyArray> parse() {
    if (!take('{')) return damaged("its header is no dictionary");
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':') || !value_of(*key)) return damaged("its header cannot be read" + detail_);
      take(',');
    }
    if (!has_type_ || !has_order_ || !has_shape_)
      return damaged("its header lacks descr, fortran_order or shape");
    if (is_fortran_ && array_.shape.size() > 1) {
      return damaged("it is in Fortran order; save it with numpy.ascontiguousarray");
    }
    return array_;
  }

 private:
  void skip_blanks() {
    const size_t next = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(next == std::string_view::npos ? text_.size() : next);
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_blanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool value_of(std::string_view key) {
    if (key == "descr") return read_type();
    if (key == "fortran_order") return read_order();
    if (key == "shape") return read_shape();
    return false;
  }
  bool read_type() {
    const auto text = quoted();
    if (!text) return false;
    for (const TypeName& known : kTypeNames) {
      if (known.text == *text) {
        array_.dtype = known.dtype;
        return has_type_ = true;
      }
    }
    detail_ = ": type '" + display_name(*text) + "' is none of f4, f2, u1, u2, u4 in little-endian order";
    return false;
  }
  bool read_order() {
    is_fortran_ = take("True");
    return has_order_ = is_fortran_ || take("False");
  }
  bool read_shape() {
    if (!take('(')) return false;
    array_.shape.clear();
    while (!take(')')) {
      skip_blanks();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0) return false;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      array_.shape.push_back(size);
      if (!take(',') && !text_.starts_with(')')) return false;
    }
    return has_shape_ = true;
  }

  std::string_view text_;
  NpyArray array_;
  std::string detail_;
  bool is_fortran_ = false;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

// Bytes of the data; nothing when they exceed what can be addressed.
std::optional<uint64_t> data_bytes(const NpyArray& array) {
  uint64_t bytes = size_bytes(array.dtype);
  for (const int64_t size : array.shape) {
    const auto factor = static_cast<uint64_t>(size);
    if (factor != 0 && bytes > std::numeric_limits<int64_t>::max() / factor) return std::nullopt;
    bytes *= factor;
  }
  return bytes;
}

struct Parts {
  std::string_view header;
  std::span<const std::byte> data;
};

std::optional<Parts> split(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || text.size() < 12) return std::nullopt;
  const int major = text[6];
  if (major < 1 || major > 3) return std::nullopt;
  const size_t length_bytes = major == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= std::to_integer<size_t>(file[8 + i]) << (8 * i);
  const size_t begin = 8 + length_bytes;
  if (length > file.size() - begin) return std::nullopt;
  return Parts{text.substr(begin, length), file.subspan(begin + length)};
}

std::string_view type_name(DType dtype) {
  for (const TypeName& known : kTypeNames) {
    if (known.dtype == dtype) return known.text;
  }
  return "?";
}

}  // namespace

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Result<NpyArray> parse_npy(std::span<const std::byte> file) {
  const auto parts = split(file);
  if (!parts) return damaged("it does not begin like one, or is cut off");
  auto array = Header(parts->header).parse();
  if (!array) return array;
  const auto expected_bytes = data_bytes(*array);
  if (!expected_bytes || *expected_bytes != parts->data.size()) {
    return damaged("shape " + shape_text(array->shape) + " does not fit its " +
                   std::to_string(parts->data.size()) + " bytes of data");
  }
  array->bytes.assign(parts->data.begin(), parts->data.end());
  return array;
}

std::vector<std::byte> encode_npy(const NpyArray& array) {
  std::string header = "{'descr': '" + std::string(type_name(array.dtype)) +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  constexpr size_t kPreambleBytes = 10;
  constexpr size_t kAlignmentBytes = 64;
  const size_t unpadded = kPreambleBytes + header.size() + 1;
  header.append((kAlignmentBytes - unpadded % kAlignmentBytes) % kAlignmentBytes, ' ').push_back('\n');
  std::string text = std::string(kMagic) + std::string("\x01\x00", 2);
  text += static_cast<char>(header.size() & 0xffU);
  text += static_cast<char>(header.size() >> 8U);
  text += header;
  std::vector<std::byte> file(text.size() + array.bytes.size());
  std::memcpy(file.data(), text.data(), text.size());
  std::copy(array.bytes.begin(), array.bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(text.size()));
  return file;
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
  const auto file = read_input_file(path);
  if (!file) return tl::unexpected(file.error());
  auto array = parse_npy(*file);
  if (!array) return propagate(array, "cannot read " + display_name(path));
  return array;
}

Status write_npy(const std::filesystem::path& path, const NpyArray& array, IfExists if_exists) {
  return write_output_file(path, encode_npy(array), if_exists);
}

}  // namespace upres::cli
