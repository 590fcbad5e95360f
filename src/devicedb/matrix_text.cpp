#include "devicedb/matrix_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upres::devicedb {
namespace {

using kernels::MatrixNumber;
using kernels::MatrixShape;

// In the order of MatrixNumber.
constexpr std::array<std::string_view, 12> kNames = {"f16", "bf16", "f32", "f64", "s8",  "s16",
                                                     "s32", "s64",  "u8",  "u16", "u32", "u64"};
constexpr uint32_t kMaxEdge = 65535;

std::string_view name(MatrixNumber number) { return kNames[static_cast<size_t>(number)]; }

// Takes a text apart from the front; once something is missing it stays failed.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  uint32_t edge() {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value == 0 || value > kMaxEdge || rest_.front() == '0') is_good_ = false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  MatrixNumber number() {
    const size_t length = std::min(rest_.find_first_not_of("bfsu0123456789"), rest_.size());
    const auto found = std::find(kNames.begin(), kNames.end(), rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (found != kNames.end()) return static_cast<MatrixNumber>(found - kNames.begin());
    is_good_ = false;
    return MatrixNumber::f16;
  }
  void literal(std::string_view text) {
    if (!rest_.starts_with(text)) is_good_ = false;
    rest_.remove_prefix(std::min(text.size(), rest_.size()));
  }
  [[nodiscard]] bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace

std::string to_text(const MatrixShape& shape) {
  std::string text = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  text.append(" ").append(name(shape.a)).append(",").append(name(shape.b)).append(",");
  return text.append(name(shape.c)).append("->").append(name(shape.result));
}

std::optional<MatrixShape> matrix_shape_of(std::string_view text) {
  Parser parser(text);
  MatrixShape shape;
  shape.m = parser.edge();
  parser.literal("x");
  shape.n = parser.edge();
  parser.literal("x");
  shape.k = parser.edge();
  parser.literal(" ");
  shape.a = parser.number();
  parser.literal(",");
  shape.b = parser.number();
  parser.literal(",");
  shape.c = parser.number();
  parser.literal("->");
  shape.result = parser.number();
  if (!parser.is_done()) return std::nullopt;
  return shape;
}

}  // namespace upres::devicedb
