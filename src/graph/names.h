// Words shared by the graph's messages and passes. Internal.
#pragma once

#include <string>

#include "graph/graph.h"

namespace upres::graph {

// "node conv_1 (Conv, opset 10)", safe to print.
std::string node_label(const Node& node);

// How many planes go around a network of these colours for a picture of this many channels: Cb and Cr, alpha.
int side_channels(NetworkColors colors, int picture_channels);

}  // namespace upres::graph
