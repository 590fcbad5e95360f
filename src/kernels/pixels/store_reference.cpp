#include "kernels/pixels/store_reference.h"

#include "kernels/pixels/color.h"
#include "kernels/planes.h"

namespace upres::kernels {

void store_sample(Tensor& picture, int channel, int y, int x, float value) {
  const auto c = static_cast<size_t>(channel);
  const auto channels = static_cast<size_t>(picture.type.channels);
  const auto height = static_cast<size_t>(picture.extent.height_px);
  const auto width = static_cast<size_t>(picture.extent.width_px);
  const size_t pixel = static_cast<size_t>(y) * width + static_cast<size_t>(x);
  const DType dtype = picture.type.dtype;
  if (dtype == DType::f32) {
    picture.as<float>()[c * height * width + pixel] = value;
  } else if (dtype == DType::u16) {
    picture.as<uint16_t>()[pixel * channels + c] = static_cast<uint16_t>(quantize(value, dtype));
  } else {
    picture.as<uint8_t>()[pixel * channels + c] = static_cast<uint8_t>(quantize(value, dtype));
  }
}

void store_reference(const Tensor& planes, Tensor& picture) {
  const Planes samples(planes);
  for (int channel = 0; channel < picture.type.channels; ++channel) {
    for (int y = 0; y < picture.extent.height_px; ++y) {
      for (int x = 0; x < picture.extent.width_px; ++x)
        store_sample(picture, channel, y, x, samples.at(channel, y, x));
    }
  }
}

}  // namespace upres::kernels
