// How alike two pictures are.
#pragma once

#include <optional>

#include "base/error.h"
#include "base/image.h"

namespace upres::upscale {

// All on a range of 255, whatever the sample type.
struct Comparison {
  double psnr_rgb = 0;  // over all samples of all colour channels; infinite for equal pictures
  double psnr_luma =
      0;  // of Y of BT.601, limited range (16 to 235), not rounded, as papers on super-resolution measure
  std::optional<double> ssim_luma =
      {};            // of the same Y; absent where the picture is smaller than the 11x11 window
  int width_px = 0;  // of what was compared
  int height_px = 0;
};

// Compares without `shave_px` pixels on each side. Alpha is not compared; a grey picture equals the colour
// picture with R = G = B. SSIM as Wang, Bovik, Sheikh and Simoncelli (2004): 11x11 Gaussian window of
// sigma 1.5, K1 = 0.01, K2 = 0.03, mean over the places where the window lies inside. Errors: input, when the
// sizes differ; usage, when shaving leaves nothing or is negative.
Result<Comparison> compare_pictures(const ImageView& a, const ImageView& b, int shave_px);

// 10 log10(peak^2 / mse); infinite for 0.
double psnr_db(double mean_squared_error, double peak);

}  // namespace upres::upscale
