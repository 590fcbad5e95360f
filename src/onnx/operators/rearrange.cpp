// Reshape and Transpose, which run only as parts of a pixel shuffle (graph/passes/fuse_pixel_shuffle.cpp).
// Here their sizes are checked against those that the model declares, as long as those are known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "onnx/operators.h"

namespace upres::onnx {
namespace {

constexpr size_t kMaxRank = 8;

// Before opset 5 the shape is an attribute.
Result<std::vector<int64_t>> read_shape(const NodeImport& node) {
  if (node.opset() >= 5) return node.integers(1, "shape");
  if (!node.attributes.has("shape")) return fail(ErrorCode::model, "its shape is missing");
  return node.attributes.integers("shape", {});
}

// The product of the sizes from this one on; nullopt when one is unknown or it overflows.
std::optional<int64_t> product(const Dims& dims, size_t from) {
  int64_t result = 1;
  for (size_t i = from; i < dims.size(); ++i) {
    if (dims[i] < 1 || __builtin_mul_overflow(result, dims[i], &result)) return std::nullopt;
  }
  return result;
}

tl::unexpected<Error> does_not_fit(const Dims& in, const std::vector<int64_t>& shape) {
  return fail(ErrorCode::model,
              fmt::format("a tensor of {} cannot become [{}]", dims_text(in), fmt::join(shape, ",")));
}

// Zeros replaced by what they stand for.
Result<Dims> copy_dims(const Dims& in, const std::vector<int64_t>& shape) {
  Dims out = shape;
  int open = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] < -1 || (out[i] == 0 && i >= in.size())) return does_not_fit(in, shape);
    open += out[i] == -1 ? 1 : 0;
    if (out[i] == 0) out[i] = in[i];
  }
  if (open > 1) return does_not_fit(in, shape);
  return out;
}

// Makes the sizes from `from` on hold `total` elements by filling the open one; false when that cannot be.
bool fill_open(Dims& out, size_t from, int64_t total) {
  const auto open = std::find(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), -1);
  if (open == out.end()) return product(out, from) == total;
  *open = 1;
  const auto known = product(out, from);
  if (!known || total % *known != 0) return false;
  *open = total / *known;
  return true;
}

// The output's sizes as far as they follow from the input's; a contradiction is an error.
Result<Dims> infer_reshape(const Dims& in, const std::vector<int64_t>& shape) {
  auto out = copy_dims(in, shape);
  if (!out) return out;
  // With an open batch that passes through, the rest must still hold what one picture of it has.
  const bool batch_passes = in.size() > 1 && in.front() < 1 && shape.front() < 1;
  const size_t from = batch_passes ? 1 : 0;
  const auto total = product(in, from);
  if (total && !fill_open(*out, from, *total)) return does_not_fit(in, shape);
  return out;
}

// A shuffle splits channels only: the picture's size must pass through.
bool splits_channels_only(const Dims& in, const Dims& out) {
  const auto same = [](int64_t a, int64_t b) { return a < 1 || b < 1 || a == b; };
  return same(in[2], out[4]) && same(in[3], out[5]);
}

}  // namespace

Status import_reshape(NodeImport& node) {
  auto input = node.activation(0);
  if (!input) return propagate(input);
  auto allow_zero = node.attributes.integer("allowzero", 0);
  if (!allow_zero) return propagate(allow_zero);
  auto shape = read_shape(node);
  if (!shape) return propagate(shape);
  if (*allow_zero != 0) return node.unsupported("allowzero", "it without");
  if (shape->empty() || shape->size() > kMaxRank) {
    return node.unsupported(fmt::format("{} dimensions", shape->size()), fmt::format("1 to {}", kMaxRank));
  }
  auto dims = infer_reshape(input->dims, *shape);
  if (!dims) return propagate(dims);
  if (dims->size() == 6 && input->dims.size() == 4 && !splits_channels_only(input->dims, *dims)) {
    return node.unsupported(fmt::format("{} to {}", dims_text(input->dims), dims_text(*dims)),
                            "only pixel shuffles");
  }
  const int64_t channels = dims->size() == 4 ? (*dims)[1] : node.channels(*input);
  if (channels == -1) return fail(ErrorCode::model, "the number of channels that it makes is not fixed");
  return node.emit(graph::Reshape{*shape}, input->id, *dims, channels);
}

Status import_transpose(NodeImport& node) {
  auto input = node.activation(0);
  if (!input) return propagate(input);
  const Dims& in = input->dims;
  std::vector<int64_t> reversed(in.size());
  std::iota(reversed.rbegin(), reversed.rend(), int64_t{0});
  auto axes = node.attributes.integers("perm", reversed);
  if (!axes) return propagate(axes);
  std::vector<int64_t> sorted = *axes;
  std::sort(sorted.begin(), sorted.end());
  if (!std::equal(sorted.begin(), sorted.end(), reversed.rbegin(), reversed.rend())) {
    return fail(ErrorCode::model, fmt::format("attribute perm: no permutation of {} axes", in.size()));
  }
  Dims out;
  for (const int64_t axis : *axes) out.push_back(in[static_cast<size_t>(axis)]);
  return node.emit(graph::Transpose{std::vector<int>(axes->begin(), axes->end())}, input->id, out,
                   node.channels(*input));
}

}  // namespace upres::onnx
