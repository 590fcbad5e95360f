// Colours under fully transparent pixels, which nobody sees but a network does.
#pragma once

#include "base/image.h"

namespace upres::upscale {

// Gives every fully transparent pixel of a picture with alpha (2 or 4 channels, u8 or u16) the colour of its
// surroundings, so that nothing that was invisible bleeds into what is visible. Ring by ring from the opaque
// parts outwards a pixel gets the mean of those of its eight neighbours that have a colour already, weighted
// by their alpha (rings count as opaque). Alpha stays as it is, and so do pictures without alpha, without
// transparent pixels or without any other. Errors: input, not enough memory.
Status fill_hidden_colors(MutableImageView picture);

}  // namespace upres::upscale
