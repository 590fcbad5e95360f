// Which values of a graph share an image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "kernels/device_info.h"
#include "plan/memory.h"
#include "plan/plan.h"

namespace upres::plan {

struct ImageUse {
  ImageDescription needs;
  Lifetime lifetime;
};

struct ImagePlaces {
  std::vector<uint32_t> image_of;  // index into images, one per use
  std::vector<ImageDescription> images;
};

// Values that do not live together share an image where it has their width, height and type, and is deep
// enough; the deepest first.
ImagePlaces place_images(std::span<const ImageUse> uses);

// Whether the device has such images. value: for the message. Errors: device, naming limit and number.
Status check_image(const graph::Value& value, const ImageDescription& image,
                   const kernels::DeviceLimits& limits);

}  // namespace upres::plan
