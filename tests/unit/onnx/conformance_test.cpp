// The standard's own test cases, one operator each: those that upres runs must compute what the case says,
// the others must be refused by name.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "unit/graph/interpreter.h"
#include "unit/onnx/import_helper.h"
#include "unit/onnx/test_data.h"

namespace upres::onnx {
namespace {

using namespace testing;
using graph::testing::Array;

const std::set<std::string> kKnown = {"Clip",     "Constant", "Conv",    "DepthToSpace",
                                      "Identity", "Relu",     "Reshape", "Transpose"};

TensorProto read_tensor(const std::string& path) {
  TensorProto tensor;
  EXPECT_TRUE(tensor.ParseFromString(read_all(path))) << path;
  return tensor;
}

Array to_array(const TensorProto& tensor) {
  Array array(Dims(tensor.dims().begin(), tensor.dims().end()));
  if (tensor.raw_data().empty()) {
    array.data.assign(tensor.float_data().begin(), tensor.float_data().end());
  } else {
    EXPECT_EQ(tensor.raw_data().size(), array.data.size() * sizeof(float));
    std::memcpy(array.data.data(), tensor.raw_data().data(), tensor.raw_data().size());
  }
  return array;
}

// The cases, unpacked into a folder that is removed at the end.
class Conformance : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test_data().empty()) GTEST_SKIP() << "UPRES_TEST_DATA is not set";
    std::string pattern = ::testing::TempDir() + "upres_conformance_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    const std::string command = "tar -xf '" + test_data() + "/onnx-op-tests.tar' -C '" + folder_ + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string data(const std::string& name, const std::string& file) const {
    return folder_ + "/node/" + name + "/test_data_set_0/" + file + ".pb";
  }
  proto::ModelProto model(const std::string& name) const {
    proto::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(read_all(folder_ + "/node/" + name + "/model.onnx"))) << name;
    return model;
  }

  // The case's model with all inputs but the first made constants, and its picture given four dimensions.
  proto::ModelProto as_network(const std::string& name) const {
    proto::ModelProto result = model(name);
    proto::GraphProto& graph = *result.mutable_graph();
    for (int i = 1; i < graph.input_size(); ++i) {
      TensorProto& constant = *graph.add_initializer();
      constant = read_tensor(data(name, "input_" + std::to_string(i)));
      constant.set_name(graph.input(i).name());
    }
    auto& dims =
        *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
    while (dims.size() < 4) {
      dims.Add()->set_dim_value(1);
      std::rotate(dims.begin(), dims.end() - 1, dims.end());
    }
    return result;
  }

  void expect_output(const std::string& name) const {
    SCOPED_TRACE(name);
    auto imported = import_bytes(as_network(name).SerializeAsString());
    ASSERT_TRUE(imported) << imported.error().message;
    Array in = to_array(read_tensor(data(name, "input_0")));
    Array wanted = to_array(read_tensor(data(name, "output_0")));
    while (in.dims.size() < 4) in.dims.insert(in.dims.begin(), 1);
    const auto batch = static_cast<size_t>(in.dims[0]);
    std::vector<float> got;
    for (size_t i = 0; i < batch; ++i) {
      Array item({1, in.dims[1], in.dims[2], in.dims[3]});
      const auto size = static_cast<std::ptrdiff_t>(item.data.size());
      const auto begin = in.data.begin() + static_cast<std::ptrdiff_t>(i) * size;
      item.data.assign(begin, begin + size);
      const Array out = graph::testing::interpret(imported->graph, item);
      got.insert(got.end(), out.data.begin(), out.data.end());
    }
    EXPECT_EQ(got, wanted.data);
  }

  std::string folder_;
};

TEST_F(Conformance, Computes) {
  for (const char* name : {"test_basic_conv_with_padding", "test_clip", "test_clip_default_min",
                           "test_clip_inbounds", "test_clip_splitbounds", "test_depthtospace_crd_mode",
                           "test_depthtospace_dcr_mode", "test_identity", "test_relu"}) {
    expect_output(name);
  }
}

TEST_F(Conformance, RefusesByName) {
  const auto refused = [&](const std::string& name, const std::string& message) {
    SCOPED_TRACE(name);
    expect_failure(import_bytes(as_network(name).SerializeAsString()), message);
  };
  refused("test_conv_with_autopad_same", "Conv (opset 11) with strides 2x2 is not supported");
  refused("test_conv_with_strides_no_padding", "Conv (opset 11) with strides 2x2 is not supported");
  refused("test_clip_default_int8_min", "input x: type INT8");
  refused("test_clip_default_int8_inbounds", "input x: type INT8");
  expect_failure(import_bytes(model("test_identity_sequence").SerializeAsString()), "input x: no tensor");
  expect_failure(import_bytes(model("test_constant").SerializeAsString()), "it has no input");
  expect_failure(import_bytes(model("test_basic_conv_with_padding").SerializeAsString()),
                 "input W (weights) is computed at run time");
}

TEST_F(Conformance, EveryOtherOperatorIsRefusedByName) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/node")) {
    const std::string name = entry.path().filename();
    const proto::ModelProto proto = model(name);
    const auto imported = import_bytes(proto.SerializeAsString());
    ++cases;
    for (const proto::NodeProto& node : proto.graph().node()) {
      if (kKnown.contains(node.op_type()) && node.domain().empty()) continue;
      const std::string full = node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
      SCOPED_TRACE(name);
      expect_failure(imported, "operator " + full + " (opset ");
      break;
    }
  }
  EXPECT_GT(cases, 100);
}

}  // namespace
}  // namespace upres::onnx
