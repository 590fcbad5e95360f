#include "devicedb/shape.h"

#include <charconv>
#include <system_error>

namespace upres::devicedb {
namespace {

// Takes one part after the other off a text; once one is not there, nothing is.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  bool take_number(uint32_t& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  bool take_conv(ShapeConv& conv) {
    return take_number(conv.in_channels) && take("->") && take_number(conv.out_channels) && take(" ") &&
           take_number(conv.kernel_width) && take("x") && take_number(conv.kernel_height);
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<Shape> parse_shape(std::string_view text) {
  Scanner scanner(text);
  Shape shape;
  if (!scanner.take_conv(shape.convs.emplace_back())) return std::nullopt;
  if (scanner.take(", ") && !scanner.take_conv(shape.convs.emplace_back())) return std::nullopt;
  if (scanner.rest() == " fp16") {
    shape.dtype = DType::f16;
    return shape;
  }
  return scanner.rest() == " fp32" ? std::optional(shape) : std::nullopt;
}

}  // namespace upres::devicedb
