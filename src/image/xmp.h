// XMP packets: the one property that must change with the picture.
#pragma once

#include <cstddef>
#include <span>

namespace upres::image {

// Sets tiff:Orientation, as attribute or as element, to 1 wherever it stands in the packet, without changing
// its length; some programs would otherwise turn the upright picture again. Packets that are not UTF-8 are
// left alone.
void reset_xmp_orientation(std::span<std::byte> xmp);

}  // namespace upres::image
