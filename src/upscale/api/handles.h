// What is behind the handles of <upres/upscaler.h>.
#pragma once

#include <upres/upscaler.h>

#include "upscale/device.h"
#include "upscale/model.h"

namespace upres {

struct Device::Impl {
  upscale::Device device;
  DeviceDescription description;
};

struct Model::Impl {
  upscale::PictureModel model;
  uint64_t parameter_count = 0;
};

}  // namespace upres
