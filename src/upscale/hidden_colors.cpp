#include "upscale/hidden_colors.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

namespace upres::upscale {
namespace {

// Ring in which a pixel got its colour: 0 for those that had one, kNone as long as it has none.
using Ring = uint32_t;
constexpr Ring kNone = ~Ring{0};

struct Position {
  int32_t x = 0;
  int32_t y = 0;
};

constexpr std::array<Position, 8> kNeighbours = {Position{-1, -1}, Position{0, -1}, Position{1, -1},
                                                 Position{-1, 0},  Position{1, 0},  Position{-1, 1},
                                                 Position{0, 1},   Position{1, 1}};

template <typename Sample>
class Filler {
 public:
  explicit Filler(MutableImageView picture)
      : picture_(picture),
        width_(picture.shape.width_px),
        height_(picture.shape.height_px),
        channels_(static_cast<size_t>(picture.shape.channels)),
        rings_(static_cast<size_t>(width_) * static_cast<size_t>(height_), kNone) {}

  void run() {
    std::vector<Position> front = first_front();
    for (Ring ring = 1; !front.empty(); ++ring) {
      for (const Position& at : front) fill(at, ring);
      front = next_front(front, ring);
    }
  }

 private:
  Sample load(Position at, size_t channel) const {
    Sample value;
    std::memcpy(&value, address(at, channel), sizeof value);
    return value;
  }
  std::byte* address(Position at, size_t channel) const {
    const size_t sample = static_cast<size_t>(at.x) * channels_ + channel;
    return picture_.bytes.data() + static_cast<size_t>(at.y) * picture_.row_stride_bytes +
           sample * sizeof(Sample);
  }
  Ring& ring_of(Position at) {
    return rings_[static_cast<size_t>(at.y) * static_cast<size_t>(width_) + static_cast<size_t>(at.x)];
  }
  bool inside(Position at) const { return at.x >= 0 && at.y >= 0 && at.x < width_ && at.y < height_; }

  // Marks what has a colour, and gives the transparent pixels beside it.
  std::vector<Position> first_front() {
    for (Position at; at.y < height_; ++at.y) {
      for (at.x = 0; at.x < width_; ++at.x) {
        if (load(at, channels_ - 1) != 0) ring_of(at) = 0;
      }
    }
    std::vector<Position> front;
    for (Position at; at.y < height_; ++at.y) {
      for (at.x = 0; at.x < width_; ++at.x) {
        if (ring_of(at) == kNone && touches(at, 0)) front.push_back(at);
      }
    }
    for (const Position& at : front) ring_of(at) = 1;
    return front;
  }

  bool touches(Position at, Ring ring) {
    for (const Position& step : kNeighbours) {
      const Position next{at.x + step.x, at.y + step.y};
      if (inside(next) && ring_of(next) == ring) return true;
    }
    return false;
  }

  std::vector<Position> next_front(const std::vector<Position>& front, Ring ring) {
    std::vector<Position> next_front;
    for (const Position& at : front) {
      for (const Position& step : kNeighbours) {
        const Position next{at.x + step.x, at.y + step.y};
        if (!inside(next) || ring_of(next) != kNone) continue;
        ring_of(next) = ring + 1;
        next_front.push_back(next);
      }
    }
    return next_front;
  }

  void fill(Position at, Ring ring) {
    std::array<uint64_t, 3> sums = {};
    uint64_t weights = 0;
    for (const Position& step : kNeighbours) {
      const Position next{at.x + step.x, at.y + step.y};
      if (!inside(next) || ring_of(next) >= ring) continue;
      const uint64_t weight =
          ring_of(next) == 0 ? load(next, channels_ - 1) : static_cast<Sample>(~Sample{0});
      for (size_t c = 0; c + 1 < channels_; ++c) sums[c] += weight * load(next, c);
      weights += weight;
    }
    for (size_t c = 0; c + 1 < channels_; ++c) {
      const auto mean = static_cast<Sample>((sums[c] + weights / 2) / weights);
      std::memcpy(address(at, c), &mean, sizeof mean);
    }
  }

  MutableImageView picture_;
  int width_;
  int height_;
  size_t channels_;
  std::vector<Ring> rings_;
};

}  // namespace

Status fill_hidden_colors(MutableImageView picture) {
  if (!picture.shape.has_alpha()) return {};
  try {
    if (picture.shape.dtype == DType::u8) Filler<uint8_t>(picture).run();
    if (picture.shape.dtype == DType::u16) Filler<uint16_t>(picture).run();
  } catch (const std::exception&) {
    return fail(ErrorCode::input, "not enough memory to prepare the transparent parts of the picture");
  }
  return {};
}

}  // namespace upres::upscale
