#include "upscale/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <vector>

namespace upres::upscale {
namespace {

using Plane = std::vector<double>;

template <typename Sample>
double load(const std::byte* bytes) {
  Sample value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

// Sample of colour channel c (grey answers for all three) at (x, y), on a range of 255.
double sample_255(const ImageView& view, int x, int y, int c) {
  const auto channel = static_cast<size_t>(view.shape.color_channels() == 1 ? 0 : c);
  const size_t index = static_cast<size_t>(x) * static_cast<size_t>(view.shape.channels) + channel;
  const std::byte* at = view.row(y).data() + index * size_bytes(view.shape.dtype);
  switch (view.shape.dtype) {
    case DType::u8:
      return load<uint8_t>(at);
    case DType::u16:
      return load<uint16_t>(at) * (255.0 / 65535.0);
    default:
      return load<float>(at) * 255.0;
  }
}

// BT.601 limited range: 16 + (65.481 R + 128.553 G + 24.966 B) / 255 for R, G, B of 0 to 255.
Plane luma(const ImageView& view) {
  Plane plane;
  plane.reserve(static_cast<size_t>(view.shape.width_px) * static_cast<size_t>(view.shape.height_px));
  for (int y = 0; y < view.shape.height_px; ++y) {
    for (int x = 0; x < view.shape.width_px; ++x) {
      const double weighted = 65.481 * sample_255(view, x, y, 0) + 128.553 * sample_255(view, x, y, 1) +
                              24.966 * sample_255(view, x, y, 2);
      plane.push_back(16 + weighted / 255);
    }
  }
  return plane;
}

double rgb_mse(const ImageView& a, const ImageView& b) {
  const int channels = std::max(a.shape.color_channels(), b.shape.color_channels());
  double sum = 0;
  for (int y = 0; y < a.shape.height_px; ++y) {
    double row_sum = 0;
    for (int x = 0; x < a.shape.width_px; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double difference = sample_255(a, x, y, c) - sample_255(b, x, y, c);
        row_sum += difference * difference;
      }
    }
    sum += row_sum;
  }
  return sum / (static_cast<double>(a.shape.width_px) * a.shape.height_px * channels);
}

double mean_squared_error(const Plane& a, const Plane& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

constexpr int kWindow = 11;

std::array<double, kWindow> gaussian_window() {
  constexpr double kSigma = 1.5;
  std::array<double, kWindow> weights{};
  double sum = 0;
  for (int i = 0; i < kWindow; ++i) {
    const double x = i - kWindow / 2;
    weights[static_cast<size_t>(i)] = std::exp(-x * x / (2 * kSigma * kSigma));
    sum += weights[static_cast<size_t>(i)];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Rows of `plane` filtered along x, valid places only.
Plane filter_rows(const Plane& plane, int width, int height) {
  static const std::array<double, kWindow> weights = gaussian_window();
  const int out_width = width - kWindow + 1;
  Plane out;
  out.reserve(static_cast<size_t>(out_width) * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < out_width; ++x) {
      const double* in = plane.data() + static_cast<size_t>(y) * static_cast<size_t>(width) + x;
      double sum = 0;
      for (int k = 0; k < kWindow; ++k) sum += weights[static_cast<size_t>(k)] * in[k];
      out.push_back(sum);
    }
  }
  return out;
}

Plane transpose(const Plane& plane, int width, int height) {
  Plane out(plane.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      out[static_cast<size_t>(x) * static_cast<size_t>(height) + static_cast<size_t>(y)] =
          plane[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
    }
  }
  return out;
}

// Weighted means of a * b over every window that lies inside, transposed (the order does not matter here).
Plane local_means(const Plane& a, const Plane* b, int width, int height) {
  Plane product = a;
  if (b != nullptr) {
    for (size_t i = 0; i < product.size(); ++i) product[i] *= (*b)[i];
  }
  const Plane rows = filter_rows(product, width, height);
  return filter_rows(transpose(rows, width - kWindow + 1, height), height, width - kWindow + 1);
}

double mean_ssim(const Plane& a, const Plane& b, int width, int height) {
  constexpr double kC1 = (0.01 * 255) * (0.01 * 255);
  constexpr double kC2 = (0.03 * 255) * (0.03 * 255);
  const Plane mean_a = local_means(a, nullptr, width, height);
  const Plane mean_b = local_means(b, nullptr, width, height);
  const Plane mean_aa = local_means(a, &a, width, height);
  const Plane mean_bb = local_means(b, &b, width, height);
  const Plane mean_ab = local_means(a, &b, width, height);
  double sum = 0;
  for (size_t i = 0; i < mean_a.size(); ++i) {
    const double product = mean_a[i] * mean_b[i];
    const double squares = mean_a[i] * mean_a[i] + mean_b[i] * mean_b[i];
    const double covariance = mean_ab[i] - product;
    const double variances = mean_aa[i] + mean_bb[i] - squares;
    sum += ((2 * product + kC1) * (2 * covariance + kC2)) / ((squares + kC1) * (variances + kC2));
  }
  return sum / static_cast<double>(mean_a.size());
}

std::string size_text(const ImageShape& shape) {
  return std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px);
}

Comparison compare_equal_sizes(const ImageView& a, const ImageView& b) {
  const int width = a.shape.width_px;
  const int height = a.shape.height_px;
  const Plane luma_a = luma(a);
  const Plane luma_b = luma(b);
  Comparison result;
  result.width_px = width;
  result.height_px = height;
  result.psnr_rgb = psnr_db(rgb_mse(a, b), 255);
  result.psnr_luma = psnr_db(mean_squared_error(luma_a, luma_b), 255);
  if (width >= kWindow && height >= kWindow) result.ssim_luma = mean_ssim(luma_a, luma_b, width, height);
  return result;
}

}  // namespace

double psnr_db(double mean_squared_error, double peak) {
  if (mean_squared_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(peak * peak / mean_squared_error);
}

Result<Comparison> compare_pictures(const ImageView& a, const ImageView& b, int shave_px) {
  if (a.shape.width_px != b.shape.width_px || a.shape.height_px != b.shape.height_px) {
    return fail(ErrorCode::input, "the sizes differ: " + size_text(a.shape) + " and " + size_text(b.shape));
  }
  const int smaller = std::min(a.shape.width_px, a.shape.height_px);
  if (shave_px < 0 || shave_px > (smaller - 1) / 2) {
    return fail(ErrorCode::usage, "without " + std::to_string(shave_px) +
                                      " pixels at each side nothing is left of " + size_text(a.shape));
  }
  const int width = a.shape.width_px - 2 * shave_px;
  const int height = a.shape.height_px - 2 * shave_px;
  try {
    return compare_equal_sizes(crop(a, shave_px, shave_px, width, height),
                               crop(b, shave_px, shave_px, width, height));
  } catch (const std::exception&) {
    return fail(ErrorCode::input, "not enough memory to compare pictures of " + size_text(a.shape));
  }
}

}  // namespace upres::upscale
