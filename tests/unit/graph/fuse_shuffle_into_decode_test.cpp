#include "graph/passes/passes.h"
#include "graph/picture.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;
using testing::planes;

// features -> [what `network` adds] -> Decode to a picture of this type, whose factor is 4; as text without
// ports.
template <typename Network>
std::string decoded(NetworkColors colors, const TensorType& picture, int in_channels,
                    const Network& network) {
  GraphBuilder b;
  const ValueId in = b.input(in_channels, "in");
  std::vector<ValueId> inputs = {network(b, in)};
  const int side =
      (colors == NetworkColors::luma && picture.channels >= 3 ? 2 : 0) + (picture.channels % 2 == 0);
  if (side > 0) inputs.push_back(b.input(side, "side"));
  const ValueId out = b.value("picture", picture);
  const ValueId statistics = b.value("statistics", {DType::u32, Layout::flat, 4});
  b.add({"decode", Decode{colors, 1, ShuffleMode::crd, 4}, inputs, {out, statistics}, ""});
  Graph graph = b.output(out);
  fuse_shuffle_into_decode(graph);
  EXPECT_TRUE(verify(graph));
  std::string text;
  for (const Node& node : graph.nodes()) text += node.name + ": " + describe(node.op) + "\n";
  return text;
}

const TensorType kGrey{DType::u8, Layout::interleaved, 1};
const TensorType kRgb{DType::u8, Layout::interleaved, 3};

TEST(FuseShuffleIntoDecode, TakesTheShuffleAndItsMode) {
  const auto shuffle = [](GraphBuilder& b, ValueId in) {
    return b.shuffle(in, 2, "shuffle", ShuffleMode::dcr);
  };
  EXPECT_EQ(decoded(NetworkColors::luma, kRgb, 4, shuffle), "decode: luma block 2 dcr factor 4 bicubic\n");
}

TEST(FuseShuffleIntoDecode, TakesOneShuffleOnly) {
  const auto twice = [](GraphBuilder& b, ValueId in) {
    return b.shuffle(b.shuffle(in, 2, "first"), 2, "second");
  };
  EXPECT_EQ(decoded(NetworkColors::luma, kRgb, 16, twice),
            "first: block 2 crd\ndecode: luma block 2 crd factor 4 bicubic\n");
}

TEST(FuseShuffleIntoDecode, TheBlockMustDivideTheFactor) {
  const auto odd = [](GraphBuilder& b, ValueId in) { return b.shuffle(in, 3, "odd"); };
  EXPECT_EQ(decoded(NetworkColors::luma, kGrey, 9, odd),
            "odd: block 3 crd\ndecode: luma block 1 crd factor 4 bicubic\n");
}

TEST(FuseShuffleIntoDecode, TakesClipsThatItRepeats) {
  const auto clip = [](GraphBuilder& b, ValueId in) {
    return b.clip(b.shuffle(b.clip(in, 0, 1, "before"), 2, "shuffle"), 0, 1, "after");
  };
  EXPECT_EQ(decoded(NetworkColors::rgb, kRgb, 12, clip), "decode: rgb block 2 crd factor 4 bicubic\n");
  EXPECT_EQ(decoded(NetworkColors::luma, kGrey, 4, clip), "decode: luma block 2 crd factor 4 bicubic\n");
}

TEST(FuseShuffleIntoDecode, LeavesClipsThatItDoesNotRepeat) {
  const auto clip = [](GraphBuilder& b, ValueId in) { return b.clip(in, 0, 1, "clip"); };
  EXPECT_EQ(decoded(NetworkColors::luma, kRgb, 1, clip),
            "clip: 0..1\ndecode: luma block 1 crd factor 4 bicubic\n")
      << "chroma is added before Decode clamps";
  EXPECT_EQ(decoded(NetworkColors::rgb, kGrey, 3, clip),
            "clip: 0..1\ndecode: rgb block 1 crd factor 4 bicubic\n")
      << "colours are mixed before Decode clamps";
  EXPECT_EQ(decoded(NetworkColors::luma, planes(1), 1, clip),
            "clip: 0..1\ndecode: luma block 1 crd factor 4 bicubic\n")
      << "a float picture is not clamped";
  const auto other = [](GraphBuilder& b, ValueId in) { return b.clip(in, 0, 0.5F, "clip"); };
  EXPECT_EQ(decoded(NetworkColors::luma, kGrey, 1, other),
            "clip: 0..0.5\ndecode: luma block 1 crd factor 4 bicubic\n");
}

TEST(FuseShuffleIntoDecode, NotWhenTheFeaturesAreNeededElsewhere) {
  const auto shared = [](GraphBuilder& b, ValueId in) {
    const ValueId shuffled = b.shuffle(in, 2, "shuffle");
    b.graph().add_output(shuffled);
    return shuffled;
  };
  EXPECT_EQ(decoded(NetworkColors::luma, kGrey, 4, shared),
            "shuffle: block 2 crd\ndecode: luma block 1 crd factor 4 bicubic\n");
}

}  // namespace
}  // namespace upres::graph
