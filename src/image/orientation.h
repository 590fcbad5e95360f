// Turning pictures upright.
#pragma once

#include "base/error.h"
#include "base/image.h"

namespace upres::image {

// The picture as an orientation of EXIF (tag 0x0112, Exif 2.32 section 4.6.4) wants it shown:
// 1 as it is, 2 mirrored left-right, 3 turned by 180 degrees, 4 mirrored top-bottom, 5 transposed, 6 turned
// by 90 degrees clockwise, 7 transposed along the other diagonal, 8 turned by 90 degrees counter-clockwise.
// `image` is used up. Metadata is kept as it is; for 5 to 8 the axes of the resolution are exchanged.
// Error input: not enough memory.
Result<Image> apply_orientation(Image image, int orientation);

}  // namespace upres::image
