// The steps behind make_step(), one function each. Nodes must outlive their steps.
#pragma once

#include <memory>

#include "session/cpu/step.h"

namespace upres::session::cpu {

Result<std::unique_ptr<Step>> make_conv_step(const graph::Graph& graph, const graph::Node& node,
                                             const ConvForm& form);
std::unique_ptr<Step> make_clip_step(const graph::Node& node);
std::unique_ptr<Step> make_shuffle_step(const graph::Graph& graph, const graph::Node& node);
std::unique_ptr<Step> make_encode_step(const graph::Graph& graph, const graph::Node& node);
std::unique_ptr<Step> make_decode_step(const graph::Graph& graph, const graph::Node& node);
std::unique_ptr<Step> make_resample_step(const graph::Node& node);
std::unique_ptr<Step> make_store_step(const graph::Graph& graph, const graph::Node& node);

// A pixel shuffle to `channels` channels.
struct Shuffle {
  graph::ShuffleMode mode = graph::ShuffleMode::crd;
  int block = 1;
  int channels = 1;
};
// Row y of its channel c from features that lie channels last; `out` has width * block samples.
void shuffle_channel(const Shuffle& shuffle, const Rows& features, int c, int y, float* out);

// "hwy:AVX3".
std::string pixel_kernel();

}  // namespace upres::session::cpu
