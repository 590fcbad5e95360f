#include "graph/picture.h"

#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::expect_failure;
using testing::GraphBuilder;
using testing::numbered;
using testing::planes;

TEST(InspectPictureNetwork, ColorsAndFactor) {
  const auto luma = inspect_picture_network(testing::espcn(1, 3));
  ASSERT_TRUE(luma);
  EXPECT_EQ(luma->colors, NetworkColors::luma);
  EXPECT_EQ(luma->factor, 3);
  const auto rgb = inspect_picture_network(testing::espcn(3, 2));
  ASSERT_TRUE(rgb);
  EXPECT_EQ(rgb->colors, NetworkColors::rgb);
  EXPECT_EQ(rgb->factor, 2);
}

TEST(InspectPictureNetwork, FactorsMultiply) {
  GraphBuilder b;
  const ValueId half = b.shuffle(b.conv(b.input(1), 4, 3, "c1"), 2, "s1");
  const auto kind = inspect_picture_network(b.output(b.shuffle(b.conv(half, 9, 3, "c2"), 3, "s2")));
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->factor, 6);
}

TEST(InspectPictureNetwork, TheInputItselfIsOne) {
  GraphBuilder b;
  const auto kind = inspect_picture_network(b.output(b.input(3)));
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->factor, 1);
}

TEST(InspectPictureNetwork, PaddingMayComeLater) {
  GraphBuilder b;
  const ValueId less = b.conv(b.input(1), 1, 3, 3, {}, "c1");
  EXPECT_TRUE(inspect_picture_network(b.output(b.conv(less, 1, 3, 3, {2, 2, 2, 2}, "c2"))));
}

TEST(InspectPictureNetwork, RefusesOneThatShrinks) {
  GraphBuilder seven;
  ValueId value = seven.input(3);
  for (int i = 0; i < 7; ++i) value = seven.conv(value, 3, 3, 3, {}, numbered("conv", i));
  expect_failure(inspect_picture_network(seven.output(value)),
                 "not a picture network: it shrinks its input by 14 pixels in width and height");

  GraphBuilder late;
  const ValueId large = late.shuffle(late.conv(late.input(1), 4, 1, "c1"), 2, "s");
  expect_failure(inspect_picture_network(late.output(late.conv(large, 1, 4, 3, {1, 1, 1, 1}, "c2"))),
                 "it shrinks its input by 0.5 pixels in width (");
}

TEST(InspectPictureNetwork, RefusesOneThatGrows) {
  GraphBuilder b;
  expect_failure(inspect_picture_network(b.output(b.conv(b.input(1), 1, 3, 3, {2, 1, 1, 1}, "conv"))),
                 "it grows its input by 1 pixels in height");
}

TEST(InspectPictureNetwork, RefusesOtherPorts) {
  GraphBuilder two_in;
  two_in.input(1, "a");
  expect_failure(inspect_picture_network(two_in.output(two_in.input(1, "b"))), "2 inputs");
  GraphBuilder two_out;
  const ValueId in = two_out.input(1);
  two_out.graph().add_output(in);
  expect_failure(inspect_picture_network(two_out.output(two_out.relu(in, "relu"))), "2 outputs");
  GraphBuilder five;
  expect_failure(inspect_picture_network(five.output(five.conv(five.input(1), 5, 3, "conv"))),
                 "1 input channels and 5 output channels");
  GraphBuilder four;
  expect_failure(inspect_picture_network(four.output(four.input(4))), "4 input channels");
}

TEST(InspectPictureNetwork, RefusesPixelsAndAbsurdFactors) {
  const auto picture = attach_picture_ends(testing::espcn(1, 2), {});
  ASSERT_TRUE(picture);
  expect_failure(inspect_picture_network(*picture), "2 outputs");
  GraphBuilder b;
  const ValueId large = b.shuffle(b.conv(b.input(1), 33 * 33, 1, "c1"), 33, "s1");
  expect_failure(inspect_picture_network(b.output(b.shuffle(b.conv(large, 4, 1, "c2"), 2, "s2"))),
                 "node s2 enlarges to more than 64 times");
}

TEST(InspectPictureNetwork, RefusesWhatIsLeftOfAModel) {
  GraphBuilder b;
  expect_failure(inspect_picture_network(b.output(b.reshape(b.input(1), {1, 1, -1, 2}, 1, "r"))),
                 "node r: reshape");
}

// The lines that are not the network's.
std::string ends(const Graph& network, int channels, std::optional<PictureOptions::Resize> resize = {}) {
  PictureOptions options;
  options.channels = channels;
  options.resize = resize;
  const auto graph = attach_picture_ends(network, options);
  if (!graph) return graph.error().text();
  EXPECT_TRUE(verify_runnable(*graph));
  std::string kept;
  const std::string text = to_text(*graph);
  for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
    if (line.find(" conv(") == std::string::npos) kept += line;
  }
  return kept;
}

TEST(AttachPictureEnds, LumaAndRgbPicture) {
  EXPECT_EQ(ends(testing::espcn(1, 3), 3), R"(input %pixels: 3 u8 interleaved
%planes, %side = encode(%pixels) luma   # encode
%picture, %statistics = decode(%conv2, %side) luma block 3 crd factor 3 bicubic   # decode
output %picture: 3 u8 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(AttachPictureEnds, GreyHasNothingToGoAround) {
  EXPECT_EQ(ends(testing::espcn(1, 2), 1), R"(input %pixels: 1 u8 interleaved
%planes = encode(%pixels) luma   # encode
%picture, %statistics = decode(%conv2) luma block 2 crd factor 2 bicubic   # decode
output %picture: 1 u8 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(AttachPictureEnds, AlphaGoesAroundAnRgbNetwork) {
  EXPECT_EQ(ends(testing::espcn(3, 2), 4), R"(input %pixels: 4 u8 interleaved
%planes, %side = encode(%pixels) rgb   # encode
%picture, %statistics = decode(%conv2, %side) rgb block 2 crd factor 2 bicubic   # decode
output %picture: 4 u8 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(AttachPictureEnds, EveryKindOfPictureFits) {
  for (const int colors : {1, 3}) {
    for (int channels = 1; channels <= 4; ++channels) {
      for (const bool resized : {false, true}) {
        PictureOptions options;
        options.channels = channels;
        options.in_dtype = options.out_dtype = DType::u16;
        if (resized) options.resize = {{3, 5}, {7, 4}};
        const auto graph = attach_picture_ends(testing::espcn(colors, 2), options);
        ASSERT_TRUE(graph) << graph.error().text();
        EXPECT_EQ(graph->value(graph->inputs()[0]).name, kPixelsIn);
        EXPECT_EQ(graph->value(graph->outputs()[0]).name, kPixelsOut);
        EXPECT_EQ(graph->value(graph->outputs()[1]).name, kStatistics);
        EXPECT_EQ(graph->value(graph->outputs()[0]).type,
                  (TensorType{DType::u16, Layout::interleaved, channels}));
      }
    }
  }
}

TEST(AttachPictureEnds, TheNetworkCannotTakeTheEndsNames) {
  GraphBuilder b;
  const ValueId first = b.conv(b.input(1, "picture"), 4, 3, "encode");
  const auto graph = attach_picture_ends(b.output(b.shuffle(b.relu(first, "pixels"), 2, "statistics")), {});
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(to_text(*graph), R"(input %pixels: 3 u8 interleaved
%planes, %side = encode(%pixels) luma   # encode
%pixels_1 = conv(%planes) 1->4 3x3 pad 1,1,1,1 relu   # encode_1
%picture, %statistics = decode(%pixels_1, %side) luma block 2 crd factor 2 bicubic   # decode
output %picture: 3 u8 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(AttachPictureEnds, AnIdentityModel) {
  GraphBuilder b;
  EXPECT_EQ(ends(b.output(b.identity(b.input(3), "copy")), 3), R"(input %pixels: 3 u8 interleaved
%planes = encode(%pixels) rgb   # encode
%picture, %statistics = decode(%planes) rgb block 1 crd factor 1 bicubic   # decode
output %picture: 3 u8 interleaved
output %statistics: 4 u32 flat
)");
}

TEST(AttachPictureEnds, RefusesWhatIsNoNetwork) {
  GraphBuilder b;
  expect_failure(attach_picture_ends(b.output(b.conv(b.input(1), 1, 3, 3, {}, "c")), {}),
                 "shrinks its input");
  PictureOptions options;
  options.resize = {{1 << 30, 1}, {1, 1}};
  expect_failure(attach_picture_ends(testing::espcn(1, 2), options), "cannot be resized");
  options.resize = {{1, 1}, {0, 1}};
  expect_failure(attach_picture_ends(testing::espcn(1, 2), options), "cannot be resized to 0x1");
}

}  // namespace
}  // namespace upres::graph
