// How values of the graph lie in the memory of a device between two kernels. Their type says what they are
// (planar f32); kernels that understand each other may keep them otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace upres::kernels {

enum class Arrangement {
  plain,        // as the type says: [channels][y][x] f32
  packed,       // [channels / 4][y][x][4]; channels are a multiple of 4
  pixel_major,  // [y][x][channels], rows padded to a multiple of kPixelMajorRow_px; channels are a multiple
                // of 16
  image,  // a 3-D image of [channels / 4][y][x] texels of four channels; channels are a multiple of 4. In
          // host memory as packed: what copies to and from images take and give
};

struct Storage {
  Arrangement arrangement = Arrangement::plain;
  DType dtype = DType::f32;  // f32 or f16; f32 where the arrangement is plain
  friend bool operator==(const Storage&, const Storage&) = default;
};

// Matrices of pixels along x are stored whole, into the padding of a row, too.
inline constexpr int kPixelMajorRow_px = 32;

// "packed f16"; "plain" without a type, which is the value's own.
std::string to_text(const Storage& storage);

// Whether a value of this type can lie so.
bool can_store(const Storage& storage, const TensorType& type);

// Texels of an image along x, y and z, which is the blocks of four channels.
struct TexelExtent {
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 1;
  friend bool operator==(const TexelExtent&, const TexelExtent&) = default;
};
// Of a value that can be stored as an image.
TexelExtent texel_extent(const TensorType& type, const Extent& extent);

// Pixels from one row to the next.
int row_pitch_px(const Storage& storage, const Extent& extent);

// Bytes of a value on the device. Plain: rows of interleaved pixels are padded (device_row_bytes). Image: of
// its texels; the device may take more.
size_t storage_bytes(const Storage& storage, const TensorType& type, const Extent& extent);

// The most bytes that a value of this type takes in whatever storage.
size_t largest_storage_bytes(const TensorType& type, const Extent& extent);

// A packed (base/tensor.h) planar f32 tensor as a device has it, and back. f16 rounds to nearest even.
// Padding of rows is zero.
std::vector<std::byte> to_storage(const Storage& storage, const Tensor& tensor);
Tensor from_storage(const Storage& storage, const TensorType& type, const Extent& extent,
                    std::span<const std::byte> bytes);

}  // namespace upres::kernels
