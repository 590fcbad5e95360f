// From a network to a graph from pixels to pixels.
#pragma once

#include <optional>

#include "base/image.h"
#include "graph/graph.h"

namespace upres::graph {

// What a network does to a picture.
struct PictureNetwork {
  NetworkColors colors = NetworkColors::luma;
  int factor = 1;  // output pixels per input pixel, on both axes
};

// Whether the network, once simplified, maps one picture to one picture of 1 -> 1 or 3 -> 3 channels, an
// exact whole factor larger for every size.
// Errors: model, saying what it is instead ("2 inputs", "5 output channels", "shrinks its input by 14
// pixels").
Result<PictureNetwork> inspect_picture_network(const Graph& network);

struct PictureOptions {
  int channels = 3;            // of the picture: 1 grey, 2 grey+alpha, 3 RGB, 4 RGB+alpha
  DType in_dtype = DType::u8;  // u8 or u16
  DType out_dtype = DType::u8;
  SideFilter filter = SideFilter::bicubic;
  // Whole size of input and output when the output is not factor times the input: resampled at the end.
  struct Resize {
    Extent input;
    Extent output;
  };
  std::optional<Resize> resize = {};
};

inline constexpr std::string_view kPixelsIn = "pixels";
inline constexpr std::string_view kPixelsOut = "picture";
inline constexpr std::string_view kStatistics = "statistics";

// Encode -> network -> Decode [-> Resample x -> Resample y -> Store]: input `pixels`, outputs `picture`,
// `statistics`. Simplified and verified.
// Errors: model, as inspect_picture_network.
Result<Graph> attach_picture_ends(const Graph& network, const PictureOptions& options);

}  // namespace upres::graph
