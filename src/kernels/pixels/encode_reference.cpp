#include "kernels/pixels/encode_reference.h"

#include "kernels/pixels/color.h"

namespace upres::kernels {

namespace {

// Integer sample `index` of the picture, as a float in its own unit.
float integer_sample(const Tensor& pixels, size_t index) {
  return pixels.type.dtype == DType::u16 ? static_cast<float>(pixels.as<uint16_t>()[index])
                                         : static_cast<float>(pixels.as<uint8_t>()[index]);
}

// Colour of pixel `index` in integer units; grey gives three times the same.
Rgb integer_color(const Tensor& pixels, size_t index) {
  const auto channels = static_cast<size_t>(pixels.type.channels);
  const size_t first = index * channels;
  if (channels <= 2) {
    const float grey = integer_sample(pixels, first);
    return {grey, grey, grey};
  }
  return {integer_sample(pixels, first), integer_sample(pixels, first + 1),
          integer_sample(pixels, first + 2)};
}

}  // namespace

void encode_reference(const graph::Encode& encode, const Tensor& pixels, Tensor& planes, Tensor* side) {
  const DType dtype = pixels.type.dtype;
  const auto channels = static_cast<size_t>(pixels.type.channels);
  const auto count =
      static_cast<size_t>(pixels.extent.width_px) * static_cast<size_t>(pixels.extent.height_px);
  const bool has_chroma = encode.colors == graph::NetworkColors::luma && channels >= 3;
  const bool has_alpha = channels == 2 || channels == 4;
  const auto plane = [count](Tensor& tensor, size_t channel) {
    return tensor.as<float>().subspan(channel * count, count);
  };
  for (size_t i = 0; i < count; ++i) {
    const Rgb color = integer_color(pixels, i);
    const float y = luma(color);
    if (encode.colors == graph::NetworkColors::rgb) {
      plane(planes, 0)[i] = color.r * sample_scale(dtype);
      plane(planes, 1)[i] = color.g * sample_scale(dtype);
      plane(planes, 2)[i] = color.b * sample_scale(dtype);
    } else {
      plane(planes, 0)[i] = y * sample_scale(dtype);
    }
    if (side == nullptr) continue;
    if (has_chroma) {
      plane(*side, 0)[i] = (color.b - y) * cb_scale(dtype);
      plane(*side, 1)[i] = (color.r - y) * cr_scale(dtype);
    }
    if (has_alpha) {
      plane(*side, has_chroma ? 2 : 0)[i] =
          integer_sample(pixels, i * channels + channels - 1) * sample_scale(dtype);
    }
  }
}

}  // namespace upres::kernels
