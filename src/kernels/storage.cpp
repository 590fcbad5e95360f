#include "kernels/storage.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "kernels/kernel.h"

namespace upres::kernels {

namespace {

constexpr int kPackedChannels = 4;
constexpr int kPixelMajorChannels = 16;

// Index of a sample among those of the storage.
size_t index_of(const Storage& storage, const TensorType& type, const Extent& extent, int channel, int y,
                int x) {
  const auto at = [](int index, int size, size_t before) {
    return before * static_cast<size_t>(size) + static_cast<size_t>(index);
  };
  if (storage.arrangement == Arrangement::pixel_major)
    return at(channel, type.channels, at(x, row_pitch_px(storage, extent), static_cast<size_t>(y)));
  if (storage.arrangement == Arrangement::packed || storage.arrangement == Arrangement::image) {
    const auto block = static_cast<size_t>(channel / kPackedChannels);
    return at(channel % kPackedChannels, kPackedChannels,
              at(x, extent.width_px, at(y, extent.height_px, block)));
  }
  return at(x, extent.width_px, at(y, extent.height_px, static_cast<size_t>(channel)));
}

// Calls visit(index in the planar tensor, index in the storage) for every sample.
template <typename Visit>
void for_each_sample(const Storage& storage, const TensorType& type, const Extent& extent,
                     const Visit& visit) {
  size_t planar = 0;
  for (int channel = 0; channel < type.channels; ++channel) {
    for (int y = 0; y < extent.height_px; ++y) {
      for (int x = 0; x < extent.width_px; ++x)
        visit(planar++, index_of(storage, type, extent, channel, y, x));
    }
  }
}

void put(DType dtype, float value, std::byte* to) {
  if (dtype == DType::f32) {
    std::memcpy(to, &value, sizeof(value));
    return;
  }
  const uint16_t half = float_to_half(value);
  std::memcpy(to, &half, sizeof(half));
}

float take(DType dtype, const std::byte* from) {
  if (dtype == DType::f32) {
    float value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  uint16_t half = 0;
  std::memcpy(&half, from, sizeof(half));
  return half_to_float(half);
}

}  // namespace

std::string to_text(const Storage& storage) {
  const std::string type(name(storage.dtype));
  switch (storage.arrangement) {
    case Arrangement::plain:
      break;
    case Arrangement::packed:
      return "packed " + type;
    case Arrangement::pixel_major:
      return "pixel-major " + type;
    case Arrangement::image:
      return "image " + type;
  }
  return "plain";
}

bool can_store(const Storage& storage, const TensorType& type) {
  if (storage.arrangement == Arrangement::plain) return storage == Storage{};
  const bool is_pixel_major = storage.arrangement == Arrangement::pixel_major;
  const int multiple = is_pixel_major ? kPixelMajorChannels : kPackedChannels;
  return type.dtype == DType::f32 && type.layout == Layout::planar && type.channels % multiple == 0;
}

TexelExtent texel_extent(const TensorType& type, const Extent& extent) {
  return {static_cast<uint32_t>(extent.width_px), static_cast<uint32_t>(extent.height_px),
          static_cast<uint32_t>(type.channels / kPackedChannels)};
}

int row_pitch_px(const Storage& storage, const Extent& extent) {
  if (storage.arrangement != Arrangement::pixel_major) return extent.width_px;
  return (extent.width_px + kPixelMajorRow_px - 1) / kPixelMajorRow_px * kPixelMajorRow_px;
}

size_t storage_bytes(const Storage& storage, const TensorType& type, const Extent& extent) {
  if (storage.arrangement == Arrangement::plain) return device_bytes(type, extent);
  return static_cast<size_t>(type.channels) * size_bytes(storage.dtype) *
         static_cast<size_t>(row_pitch_px(storage, extent)) * static_cast<size_t>(extent.height_px);
}

size_t largest_storage_bytes(const TensorType& type, const Extent& extent) {
  const Storage pixel_major{Arrangement::pixel_major, DType::f16};
  const size_t plain = device_bytes(type, extent);
  return can_store(pixel_major, type) ? std::max(plain, storage_bytes(pixel_major, type, extent)) : plain;
}

std::vector<std::byte> to_storage(const Storage& storage, const Tensor& tensor) {
  std::vector<std::byte> bytes(storage_bytes(storage, tensor.type, tensor.extent));
  const auto samples = tensor.as<float>();
  for_each_sample(storage, tensor.type, tensor.extent, [&](size_t planar, size_t at) {
    put(storage.dtype, samples[planar], bytes.data() + at * size_bytes(storage.dtype));
  });
  return bytes;
}

Tensor from_storage(const Storage& storage, const TensorType& type, const Extent& extent,
                    std::span<const std::byte> bytes) {
  Tensor tensor(type, extent);
  auto samples = tensor.as<float>();
  for_each_sample(storage, type, extent, [&](size_t planar, size_t at) {
    samples[planar] = take(storage.dtype, bytes.data() + at * size_bytes(storage.dtype));
  });
  return tensor;
}

}  // namespace upres::kernels
