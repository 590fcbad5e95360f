// Small models of each kind that the importer reads, and some that it refuses late.
#include "fuzz/seeds.h"
#include "unit/onnx/model_builder.h"

namespace {

using namespace upres::onnx::testing;

std::string shuffle_dcr() {
  ModelBuilder b(11);
  b.input("x", {1, 18, 2, 3});
  set_int(b.node("DepthToSpace", {"x"}, "y"), "blocksize", 3);
  b.output("y");
  return b.bytes();
}

std::string old_clip() {
  ModelBuilder b(6, 3);
  b.input("x", {1, 1, 4, 4});
  upres::onnx::proto::NodeProto& clip = b.node("Clip", {"x"}, "y");
  set_float(clip, "min", 0);
  set_float(clip, "max", 1);
  b.output("y");
  return b.bytes();
}

std::string unpadded_double() {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  TensorProto& weights = b.initializer("w", {1, 1, 3, 3});
  weights.clear_raw_data();
  weights.set_data_type(TensorProto::DOUBLE);
  for (int i = 0; i < 9; ++i) weights.add_double_data(i);
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  return b.bytes();
}

std::string reshape_with_open_sizes() {
  ModelBuilder b;
  b.input("x", {-1, 4, 3, -1});
  set_ints(b.node("Constant", {}, "shape"), "value_ints", {0, 1, 2, 2, 3, -1});
  b.node("Reshape", {"x", "shape"}, "split");
  set_ints(b.node("Transpose", {"split"}, "swapped"), "perm", {0, 1, 4, 2, 5, 3});
  b.integers("joined", {0, 1, 6, -1});
  b.node("Reshape", {"swapped", "joined"}, "y");
  b.output("y");
  return b.bytes();
}

std::string external() {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  TensorProto& weights = b.initializer("w", {1, 1, 1, 1});
  weights.clear_raw_data();
  weights.set_data_location(TensorProto::EXTERNAL);
  weights.add_external_data()->set_key("location");
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  return b.bytes();
}

}  // namespace

int main(int count, char** arguments) {
  return upres::fuzz::write_seeds(count, arguments,
                                  {{"espcn_depth_to_space", espcn_depth_to_space().bytes()},
                                   {"espcn_reshape", espcn_reshape().bytes()},
                                   {"half_with_clip", half_with_clip().bytes()},
                                   {"shuffle_dcr", shuffle_dcr()},
                                   {"old_clip", old_clip()},
                                   {"unpadded_double", unpadded_double()},
                                   {"reshape_with_open_sizes", reshape_with_open_sizes()},
                                   {"external", external()}});
}
