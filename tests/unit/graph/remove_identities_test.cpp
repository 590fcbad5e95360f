#include "graph/passes/passes.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/graph/graph_builder.h"

namespace upres::graph {
namespace {

using testing::GraphBuilder;
using testing::kInfinity;

std::string after(Graph graph, PassStatus expected) {
  EXPECT_EQ(remove_identities(graph), expected);
  EXPECT_TRUE(verify(graph));
  return to_text(graph);
}

TEST(RemoveIdentities, InTheMiddle) {
  GraphBuilder b;
  const ValueId conv = b.conv(b.input(1), 1, 3, "conv");
  const ValueId copies = b.identity(b.identity(conv, "a"), "b");
  EXPECT_EQ(after(b.output(b.relu(copies, "relu")), PassStatus::changed), R"(input %input: 1 f32 planar
%conv = conv(%input) 1->1 3x3 pad 1,1,1,1   # conv
%relu = clip(%conv) 0..inf   # relu
output %relu: 1 f32 planar
)");
}

TEST(RemoveIdentities, OtherOperatorsThatChangeNothing) {
  GraphBuilder b;
  const ValueId same = b.clip(b.shuffle(b.input(1), 1, "block1"), -kInfinity, kInfinity, "open");
  EXPECT_EQ(after(b.output(b.clip(same, -kInfinity, 0, "clip")), PassStatus::changed),
            R"(input %input: 1 f32 planar
%clip = clip(%input) -inf..0   # clip
output %clip: 1 f32 planar
)");
}

TEST(RemoveIdentities, AnOutputKeepsItsName) {
  GraphBuilder b;
  const ValueId conv = b.conv(b.input(1), 1, 3, "conv");
  EXPECT_EQ(after(b.output(b.identity(conv, "result")), PassStatus::changed), R"(input %input: 1 f32 planar
%result = conv(%input) 1->1 3x3 pad 1,1,1,1   # conv
output %result: 1 f32 planar
)");
}

TEST(RemoveIdentities, InputThatIsAlsoAnOutputStaysACopy) {
  GraphBuilder b;
  const std::string text = R"(input %input: 1 f32 planar
%copy = identity(%input)   # copy
output %copy: 1 f32 planar
)";
  EXPECT_EQ(after(b.output(b.identity(b.input(1), "copy")), PassStatus::unchanged), text);
}

TEST(RemoveIdentities, TwoOutputsOfOneValue) {
  GraphBuilder b;
  const ValueId relu = b.relu(b.input(1), "relu");
  b.graph().add_output(b.identity(relu, "first"));
  EXPECT_EQ(after(b.output(b.identity(relu, "second")), PassStatus::changed), R"(input %input: 1 f32 planar
%first = clip(%input) 0..inf   # relu
%second = identity(%first)   # second
output %first: 1 f32 planar
output %second: 1 f32 planar
)");
}

TEST(RemoveIdentities, NothingToDo) {
  Graph graph = testing::espcn(1, 2);
  EXPECT_EQ(remove_identities(graph), PassStatus::unchanged);
  EXPECT_EQ(to_text(graph), to_text(testing::espcn(1, 2)));
}

}  // namespace
}  // namespace upres::graph
