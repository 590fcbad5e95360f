// Files made to break a reader. Run under the address and undefined-behaviour sanitizers too.
#include <random>

#include "graph/picture.h"
#include "onnx/wire_check.h"
#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

// What the command does with a model; only a clean answer is asked for.
void use(const std::string& bytes) {
  auto model = import_bytes(bytes);
  if (!model) {
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
    return;
  }
  if (graph::simplify(model->graph)) static_cast<void>(graph::attach_picture_ends(model->graph, {}));
}

TEST(Hostile, CutAnywhere) {
  for (const std::string& bytes : {espcn_reshape().bytes(), half_with_clip().bytes()}) {
    for (size_t length = 0; length < bytes.size(); ++length) use(bytes.substr(0, length));
  }
}

TEST(Hostile, AnyBitWrong) {
  for (const auto& [bytes, step] :
       {std::pair{espcn_reshape().bytes(), size_t{5}}, std::pair{half_with_clip().bytes(), size_t{1}}}) {
    for (size_t bit = 0; bit < bytes.size() * 8; bit += step) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      use(damaged);
    }
  }
}

TEST(Hostile, Noise) {
  std::minstd_rand random(3);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    use(bytes);
  }
}

// Hundred bytes that declare terabytes.
TEST(Hostile, GiantTensors) {
  ModelBuilder b;
  b.input("x", {1, 1, 1 << 30, 1 << 30});
  set_dims(b.initializer("w", {1}), {65536, 1, 65536, 65536});
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  ASSERT_LT(b.bytes().size(), 200U);
  expect_failure(import(b),
                 "tensor w: it holds 4 bytes, its shape 65536x1x65536x65536 needs 281474976710656 FLOAT");
}

TEST(Hostile, AMessageThatClaimsToBeLonger) {
  expect_failure(import_bytes(std::string("\x3a\xff\xff\xff\xff\x07", 6)),
                 "it is no ONNX model, or it is damaged");
  expect_failure(import_bytes(std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10)),
                 "or it is damaged");
}

// Each empty node takes two bytes in the file and some 150 in memory.
TEST(Hostile, AMillionEmptyParts) {
  const auto length = [](size_t value) {
    std::string varint;
    for (; value >= 0x80; value >>= 7U) varint.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    varint.push_back(static_cast<char>(value));
    return varint;
  };
  std::string graph;
  for (size_t i = 0; i < kMaxRecords + 1; ++i) graph += std::string("\x0a\x00", 2);
  std::string bytes("\x3a");
  bytes.append(length(graph.size())).append(graph);
  expect_failure(import_bytes(bytes), "m.onnx: it has more than 1048576 parts");
}

// Graphs within attributes within nodes within graphs.
TEST(Hostile, DeepNesting) {
  ModelBuilder b;
  proto::GraphProto* graph = &b.graph();
  for (int depth = 0; depth < 200; ++depth) {
    proto::NodeProto& node = *graph->add_node();
    node.set_op_type("If");
    graph = node.add_attribute()->mutable_g();
  }
  expect_failure(import(b), "it is no ONNX model, or it is damaged");
}

TEST(Hostile, DeepTypes) {
  ModelBuilder b = espcn_depth_to_space();
  proto::TypeProto* type = b.input("deep", {}).mutable_type();
  for (int depth = 0; depth < 2000; ++depth) type = type->mutable_sequence_type()->mutable_elem_type();
  expect_failure(import(b), "it is no ONNX model, or it is damaged");
}

// Each node doubles nothing: weights are shared, and names are found in constant time.
TEST(Hostile, ManyNodes) {
  ModelBuilder b;
  b.input("x", {1, 64, -1, -1});
  b.initializer("w", {64, 64, 3, 3});
  std::string last = "x";
  for (int i = 0; i < 20000; ++i) {
    const std::string next = std::to_string(i);
    b.node("Conv", {last, "w"}, next).set_name("same");
    last = next;
  }
  b.output(last);
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graph.nodes().size(), 20000U);
}

TEST(Hostile, FactorsThatMultiply) {
  ModelBuilder b;
  b.input("x", {1, 65536, 1 << 20, 1 << 20});
  b.initializer("w", {65536, 1, 1, 1});
  std::string last = "x";
  for (int i = 0; i < 8; ++i) {
    const std::string name = graph::testing::numbered("", i);
    set_int(b.node("DepthToSpace", {last}, name + "d"), "blocksize", 256);
    b.node("Conv", {name + "d", "w"}, name + "c");
    last = name + "c";
  }
  b.output(last);
  const auto model = import(b);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE(graph::inspect_picture_network(model->graph));
}

}  // namespace
}  // namespace upres::onnx
