#include "onnx/tensors.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "base/display_name.h"
#include "base/half.h"

namespace upres::onnx {
namespace {

using proto::TensorProto;

// raw_data is little-endian by definition and copied as it is.
static_assert(std::endian::native == std::endian::little, "raw_data must be swapped on this machine");

constexpr std::array<std::string_view, 17> kTypeNames = {
    "UNDEFINED", "FLOAT",   "UINT8",  "INT8",   "UINT16", "INT16",     "INT32",      "INT64",   "STRING",
    "BOOL",      "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};

tl::unexpected<Error> refuse(std::string_view name, std::string_view what) {
  return fail(ErrorCode::model, fmt::format("tensor {}: {}", display_name(name), what));
}

// Number of elements; nullopt when a size is negative or the product overflows.
std::optional<uint64_t> count_elements(const TensorProto& tensor) {
  uint64_t count = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) return std::nullopt;
  }
  return count;
}

std::string_view external_location(const TensorProto& tensor) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") return entry.value();
  }
  return "?";
}

// What must hold before any element is read: the data is here, and in one piece.
Status check_storage(const TensorProto& tensor, std::string_view name) {
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return refuse(name, fmt::format("its data is in another file, {}; save the model with its weights inside",
                                    display_name(external_location(tensor))));
  }
  if (tensor.has_segment()) return refuse(name, "its data is split into segments, which is not supported");
  return {};
}

template <typename T>
std::vector<T> copy_raw(std::string_view raw) {
  std::vector<T> elements(raw.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), raw.data(), raw.size());
  return elements;
}

// The elements as T: from raw_data, where each takes sizeof(T), or from the typed field, whose elements may
// be wider. Nothing is allocated before the sizes are known to be right.
template <typename T, typename Field>
Result<std::vector<T>> read_elements(const TensorProto& tensor, std::string_view name, const Field& typed) {
  if (auto status = check_storage(tensor, name); !status) return propagate(status);
  const auto count = count_elements(tensor);
  if (!count) return refuse(name, fmt::format("impossible shape {}", dims_text(dims_of(tensor))));
  const bool is_raw = tensor.has_raw_data() && !tensor.raw_data().empty();
  if (is_raw && !typed.empty()) return refuse(name, "its data is there twice");
  const uint64_t held = is_raw ? tensor.raw_data().size() / sizeof(T) : static_cast<uint64_t>(typed.size());
  if (held != *count || (is_raw && tensor.raw_data().size() % sizeof(T) != 0)) {
    return refuse(name, fmt::format("it holds {} {}, its shape {} needs {} {}",
                                    is_raw ? tensor.raw_data().size() : held, is_raw ? "bytes" : "elements",
                                    dims_text(dims_of(tensor)), *count, type_name(tensor.data_type())));
  }
  if (is_raw) return copy_raw<T>(tensor.raw_data());
  std::vector<T> elements;
  elements.reserve(static_cast<size_t>(*count));
  for (const auto element : typed) elements.push_back(static_cast<T>(element));
  return elements;
}

template <typename T, typename Convert>
Result<graph::Weights> to_weights(Result<std::vector<T>> elements, const Convert& convert) {
  if (!elements) return propagate(elements);
  std::vector<float> floats;
  floats.reserve(elements->size());
  for (const T element : *elements) floats.push_back(convert(element));
  return std::make_shared<const std::vector<float>>(std::move(floats));
}

}  // namespace

std::string type_name(int32_t type) {
  const auto index = static_cast<size_t>(type);
  return type >= 0 && index < kTypeNames.size() ? std::string(kTypeNames[index]) : std::to_string(type);
}

std::string dims_text(const Dims& dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const int64_t dim : dims) {
    if (text.size() > kDisplayNameBytes) return text + "x...";
    text += fmt::format("{}{}", text.empty() ? "" : "x", dim == -1 ? "?" : std::to_string(dim));
  }
  return text;
}

Dims dims_of(const TensorProto& tensor) { return {tensor.dims().begin(), tensor.dims().end()}; }

Result<graph::Weights> read_floats(const TensorProto& tensor, std::string_view name) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT: {
      return to_weights(read_elements<float>(tensor, name, tensor.float_data()),
                        [](float value) { return value; });
    }
    case TensorProto::FLOAT16:  // one half in the low bits of each int32
      return to_weights(read_elements<uint16_t>(tensor, name, tensor.int32_data()), half_to_float);
    case TensorProto::DOUBLE:
      return to_weights(read_elements<double>(tensor, name, tensor.double_data()),
                        [](double value) { return static_cast<float>(value); });
    default:
      return refuse(name, fmt::format("type {}; weights must be FLOAT, FLOAT16 or DOUBLE",
                                      type_name(tensor.data_type())));
  }
}

Result<std::vector<int64_t>> read_integers(const TensorProto& tensor, std::string_view name) {
  if (tensor.data_type() == TensorProto::INT64)
    return read_elements<int64_t>(tensor, name, tensor.int64_data());
  if (tensor.data_type() == TensorProto::INT32) {
    auto narrow = read_elements<int32_t>(tensor, name, tensor.int32_data());
    if (!narrow) return propagate(narrow);
    return std::vector<int64_t>(narrow->begin(), narrow->end());
  }
  return refuse(name, fmt::format("type {}; integers must be INT64", type_name(tensor.data_type())));
}

}  // namespace upres::onnx
