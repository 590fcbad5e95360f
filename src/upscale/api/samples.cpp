#include "upscale/api/samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

namespace upres {
namespace {

constexpr float kLargestU16 = 65535;

template <typename T>
T load(std::span<const std::byte> row, size_t index) {
  T value;
  std::memcpy(&value, row.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::span<std::byte> row, size_t index, T value) {
  std::memcpy(row.data() + index * sizeof(T), &value, sizeof(T));
}

size_t samples_per_row(const ImageShape& shape) {
  return static_cast<size_t>(shape.width_px) * static_cast<size_t>(shape.channels);
}

tl::unexpected<Error> refuse(std::string_view what, const std::string& why) {
  return fail(ErrorCode::usage, std::string(what) + " " + why);
}

// The index of the first NaN, or the number of samples.
size_t round_row(std::span<const std::byte> from, std::span<std::byte> to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = load<float>(from, i);
    if (std::isnan(value)) return i;
    store(to, i, static_cast<uint16_t>(std::clamp(value, 0.0F, 1.0F) * kLargestU16 + 0.5F));
  }
  return count;
}

}  // namespace

std::string type_text(DType dtype) {
  return size_bytes(dtype) == 0 ? std::to_string(static_cast<int>(dtype)) : std::string(name(dtype));
}

Status check_view(const ImageView& view, std::string_view what) {
  const ImageShape& shape = view.shape;
  if (shape.width_px < 1 || shape.height_px < 1) {
    return refuse(what, "has " + std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px) +
                            " pixels; both must be above 0");
  }
  if (shape.channels < 1 || shape.channels > 4)
    return refuse(what, "has " + std::to_string(shape.channels) + " channels; 1 to 4 are possible");
  if (shape.dtype != DType::u8 && shape.dtype != DType::u16 && shape.dtype != DType::f32) {
    return refuse(what, "has samples of type " + type_text(shape.dtype) + "; u8, u16 and f32 are possible");
  }
  if (view.row_stride_bytes < shape.row_bytes()) {
    return refuse(what, "has rows " + std::to_string(view.row_stride_bytes) + " bytes apart; they are " +
                            std::to_string(shape.row_bytes()) + " long");
  }
  const auto rows_before_last = static_cast<size_t>(shape.height_px - 1);
  const bool fits = view.bytes.size() >= shape.row_bytes() && view.bytes.data() != nullptr &&
                    (view.bytes.size() - shape.row_bytes()) / view.row_stride_bytes >= rows_before_last;
  if (!fits)
    return refuse(what, "is shorter than its shape says: " + std::to_string(view.bytes.size()) + " bytes");
  return {};
}

bool overlap(const ImageView& a, const ImageView& b) {
  const std::less<> before;
  return before(a.bytes.data(), b.bytes.data() + b.bytes.size()) &&
         before(b.bytes.data(), a.bytes.data() + a.bytes.size());
}

DType computed_dtype(DType dtype) { return dtype == DType::f32 ? DType::u16 : dtype; }

bool is_computable(const ImageView& view) {
  if (view.shape.dtype == DType::u8) return true;
  const auto address = reinterpret_cast<uintptr_t>(view.bytes.data());
  return view.shape.dtype == DType::u16 && address % 2 == 0 && view.row_stride_bytes % 2 == 0;
}

Result<Image> computable_copy(const ImageView& view) {
  ImageShape shape = view.shape;
  shape.dtype = computed_dtype(shape.dtype);
  auto copy = Image::create(shape);
  if (!copy) return copy;
  if (view.shape.dtype == shape.dtype) {
    copy_samples(view, copy->view());
    return copy;
  }
  const size_t count = samples_per_row(shape);
  for (int y = 0; y < shape.height_px; ++y) {
    const size_t nan = round_row(view.row(y), copy->view().row(y), count);
    if (nan == count) continue;
    const size_t x = nan / static_cast<size_t>(shape.channels);
    return fail(ErrorCode::input,
                "the input is NaN at column " + std::to_string(x) + " of row " + std::to_string(y));
  }
  return copy;
}

void copy_samples(const ImageView& from, const MutableImageView& to) {
  for (int y = 0; y < from.shape.height_px; ++y) {
    const auto source = from.row(y);
    const auto target = to.row(y);
    if (from.shape.dtype == to.shape.dtype) {
      std::copy(source.begin(), source.end(), target.begin());
      continue;
    }
    for (size_t i = 0; i < samples_per_row(from.shape); ++i)
      store(target, i, static_cast<float>(load<uint16_t>(source, i)) / kLargestU16);
  }
}

}  // namespace upres
