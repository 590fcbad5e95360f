#include "graph/text.h"

#include "graph/picture.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;
using testing::kInfinity;

TEST(Text, ShowsEveryOperatorOfANetwork) {
  GraphBuilder b;
  const ValueId conv = b.conv(b.input(1), 9, 5, 3, {1, 2, 0, 3}, "conv1");
  const ValueId relu = b.relu(conv, "relu1");
  const ValueId clip = b.clip(relu, -0.5F, 0.1F, "clip1");
  const ValueId split = b.reshape(clip, {-1, 1, 3, 3, 224, 224}, 9, "split");
  const ValueId join =
      b.reshape(b.transpose(split, {0, 1, 4, 2, 5, 3}, "swap"), {-1, 1, 672, 672}, 1, "join");
  const Graph graph = b.output(b.identity(join, "copy"));
  EXPECT_EQ(to_text(graph), R"(input %input: 1 f32 planar
%conv1 = conv(%input) 1->9 5x3 pad 1,2,0,3   # conv1
%relu1 = clip(%conv1) 0..inf   # relu1
%clip1 = clip(%relu1) -0.5..0.1   # clip1
%split = reshape(%clip1) [-1,1,3,3,224,224]   # split
%swap = transpose(%split) [0,1,4,2,5,3]   # swap
%join = reshape(%swap) [-1,1,672,672]   # join
%copy = identity(%join)   # copy
output %copy: 1 f32 planar
)");
}

TEST(Text, ShowsThePictureEnds) {
  PictureOptions options;
  options.channels = 4;
  options.out_dtype = DType::u16;
  options.filter = SideFilter::bilinear;
  options.resize = {{100, 50}, {250, 120}};
  const auto graph = attach_picture_ends(testing::espcn(1, 3), options);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(to_text(*graph), R"(input %pixels: 4 u8 interleaved
%planes, %side = encode(%pixels) luma   # encode
%relu1 = conv(%planes) 1->8 5x5 pad 2,2,2,2 relu   # conv1
%conv2 = conv(%relu1) 8->9 3x3 pad 1,1,1,1   # conv2
%decoded, %statistics = decode(%conv2, %side) luma block 3 crd factor 3 bilinear   # decode
%resampled_x = resample(%decoded) x 300->250   # resample_x
%resampled_y = resample(%resampled_x) y 150->120   # resample_y
%picture = store(%resampled_y)   # store
output %picture: 4 u16 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(Text, NamesCannotForgeLines) {
  GraphBuilder b;
  const Graph graph = b.output(b.relu(b.input(1, "in\nput %evil"), "a\tb\\c"));
  EXPECT_EQ(to_text(graph), R"(input %in\nput %evil: 1 f32 planar
%a\tb\\c = clip(%in\nput %evil) 0..inf   # a\tb\\c
output %a\tb\\c: 1 f32 planar
)");
}

TEST(Text, OperatorNames) {
  EXPECT_EQ(operator_name(Conv{}), "conv");
  EXPECT_EQ(operator_name(DepthToSpace{}), "depth_to_space");
  EXPECT_EQ(operator_name(Store{}), "store");
}

}  // namespace
}  // namespace upres::graph
