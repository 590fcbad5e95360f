// Passes over a graph, one per file. Each keeps what the graph computes and leaves it valid (verify()).
#pragma once

#include <functional>

#include "graph/graph.h"

namespace upres::graph {

enum class PassStatus { unchanged, changed };

PassStatus remove_identities(Graph& graph);
// Reshape-Transpose-Reshape that spells a pixel shuffle -> DepthToSpace, also where the model declares a
// fixed size.
PassStatus fuse_pixel_shuffle(Graph& graph);
// Conv followed only by Clip{0, inf} -> Conv with apply_relu.
PassStatus fuse_relu(Graph& graph);
// DepthToSpace [and Clip{0, 1}] just before Decode -> into Decode.
PassStatus fuse_shuffle_into_decode(Graph& graph);

// Whether a node that a pass could make of others is wanted; the graph does not hold it yet.
using IsWanted = std::function<bool(const Graph& graph, const Node& fused)>;
// Conv followed only by DepthToSpace -> Conv with a shuffle. For plans: only kernels for GPUs know it.
PassStatus fuse_shuffle_into_conv(Graph& graph, const IsWanted& is_wanted);
// Conv followed only by Conv -> ConvPair, from the first one on. For plans, too.
PassStatus fuse_conv_pairs(Graph& graph, const IsWanted& is_wanted);

// Nodes whose outputs nobody uses; values that nobody names.
PassStatus remove_dead_nodes(Graph& graph);

// All that every device knows in their order, with the verifier after each that changed something.
Status simplify(Graph& graph);

}  // namespace upres::graph
