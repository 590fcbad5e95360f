#include <algorithm>
#include <random>

#include "graph/extents.h"
#include "graph/picture.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/interpreter.h"

namespace upres::graph {

bool operator==(const Halo& a, const Halo& b) {
  return a.left_px == b.left_px && a.top_px == b.top_px && a.right_px == b.right_px &&
         a.bottom_px == b.bottom_px;
}
void PrintTo(const Halo& halo, std::ostream* out) {
  *out << halo.left_px << "," << halo.top_px << "," << halo.right_px << "," << halo.bottom_px;
}

namespace {

using testing::Array;
using testing::GraphBuilder;
using testing::numbered;

TEST(ReceptiveField, SumsConvolutions) {
  EXPECT_EQ(receptive_field(testing::espcn(1, 3)), (Halo{3, 3, 3, 3}));
}

TEST(ReceptiveField, UnevenPadding) {
  GraphBuilder b;
  const Graph graph = b.output(b.conv(b.input(1), 1, 6, 4, {3, 1, 0, 4}, "conv"));
  EXPECT_EQ(receptive_field(graph), (Halo{1, 3, 4, 0}));
}

TEST(ReceptiveField, RoundsUpOnceBehindAShuffle) {
  GraphBuilder b;
  ValueId value = b.shuffle(b.conv(b.input(1), 9, 3, "c1"), 3, "s1");
  value = b.conv(b.conv(value, 1, 3, "c2"), 1, 3, "c3");
  EXPECT_EQ(receptive_field(b.output(value)), (Halo{2, 2, 2, 2})) << "1 + 2/3, not 1 + 1 + 1";
}

TEST(ReceptiveField, OfNothing) {
  GraphBuilder b;
  EXPECT_EQ(receptive_field(b.output(b.input(1))), (Halo{}));
}

TEST(ReceptiveField, FirstInputOnly) {
  GraphBuilder b;
  b.input(1, "unused");
  EXPECT_EQ(receptive_field(b.output(b.conv(b.input(1, "other"), 1, 5, "conv"))), (Halo{}));
}

TEST(ReceptiveField, SidePlanes) {
  GraphBuilder b;
  const Graph shallow = b.output(b.shuffle(b.conv(b.input(1), 4, 3, "c"), 2, "out"));
  PictureOptions options;
  EXPECT_EQ(receptive_field(*attach_picture_ends(shallow, options)), (Halo{2, 2, 2, 2}));
  options.filter = SideFilter::bilinear;
  EXPECT_EQ(receptive_field(*attach_picture_ends(shallow, options)), (Halo{1, 1, 1, 1}));
  options.channels = 1;
  options.filter = SideFilter::bicubic;
  EXPECT_EQ(receptive_field(*attach_picture_ends(shallow, options)), (Halo{1, 1, 1, 1})) << "grey has none";
}

TEST(ReceptiveField, ResamplesReachAtTheirOwnResolution) {
  PictureOptions options;
  options.channels = 1;
  options.resize = {{100, 100}, {250, 150}};
  // x: (3 * 300 / 250 -> 4, + 1) / 3, y: (3 * 300 / 150 + 1) / 3, each on top of the network's 3.
  EXPECT_EQ(receptive_field(*attach_picture_ends(testing::espcn(1, 3), options)), (Halo{5, 6, 5, 6}));
  options.resize = {{100, 100}, {301, 310}};
  EXPECT_EQ(receptive_field(*attach_picture_ends(testing::espcn(1, 3), options)), (Halo{5, 5, 5, 5}));
}

// Lights one pixel and looks which output pixels see it. Positive weights, so nothing cancels.
Halo measured(const Graph& graph, int64_t factor) {
  constexpr int64_t kSize = 33;
  constexpr int64_t kLit = 16;
  Array in({1, graph.value(graph.inputs()[0]).type.channels, kSize, kSize});
  in.at(0, kLit, kLit) = 1;
  const Array out = testing::interpret(graph, in);
  Halo halo;
  for (int64_t y = 0; y < out.dims[2]; ++y) {
    for (int64_t x = 0; x < out.dims[3]; ++x) {
      if (out.at(0, y, x) == 0) continue;
      halo.left_px = std::max(halo.left_px, static_cast<int>(x / factor - kLit));
      halo.right_px = std::max(halo.right_px, static_cast<int>(kLit - x / factor));
      halo.top_px = std::max(halo.top_px, static_cast<int>(y / factor - kLit));
      halo.bottom_px = std::max(halo.bottom_px, static_cast<int>(kLit - y / factor));
    }
  }
  return halo;
}

TEST(ReceptiveField, IsWhatRandomNetworksSee) {
  std::minstd_rand random(7);
  const auto up_to = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit + 1)); };
  for (int round = 0; round < 40; ++round) {
    GraphBuilder b;
    ValueId value = b.input(1);
    int factor = 1;
    for (int layer = 0; layer < 4; ++layer) {
      const int width = 1 + up_to(4);
      const int height = 1 + up_to(4);
      const Padding padding{up_to(height - 1), up_to(width - 1), up_to(height - 1), up_to(width - 1)};
      const int block = factor < 6 ? 1 + up_to(2) : 1;
      value = b.conv(value, block * block, width, height, padding, numbered("c", layer));
      value = b.shuffle(value, block, numbered("s", layer));
      factor *= block;
    }
    const Graph graph = b.output(value);
    EXPECT_EQ(receptive_field(graph), measured(graph, factor)) << "round " << round;
  }
}

// Depths and factors that no picture has must give a large halo, not an overflow.
TEST(ReceptiveField, SurvivesAbsurdGraphs) {
  GraphBuilder b;
  ValueId value = b.input(1);
  for (int i = 0; i < 40; ++i) {
    value = b.shuffle(b.conv(value, 49, 1, 1, {}, numbered("c", i)), 7, numbered("s", i));
    value = b.conv(value, 1, 1, 1, {0, 0, 0, 0}, numbered("d", i));
    Conv wide = testing::conv_op(1, 1, 1, 1, {});
    wide.kernel_width = 1 << 30;
    value = b.node(wide, value, testing::planes(1), numbered("w", i));
  }
  const Halo halo = receptive_field(b.output(value));
  EXPECT_GT(halo.right_px, 1 << 27);
  EXPECT_EQ(halo.left_px, 0);
}

}  // namespace
}  // namespace upres::graph
