// The references against the ONNX standard's own test cases: numbers that somebody else computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "one_node.h"
#include "onnx/import.h"
#include "unit/onnx/test_data.h"
#include "upres_onnx.pb.h"

namespace upres::kernels {
namespace {

namespace proto = upres_onnx_proto;
using onnx::testing::read_all;
using onnx::testing::test_data;

std::vector<float> values_of(const proto::TensorProto& tensor) {
  if (tensor.raw_data().empty()) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> values(tensor.raw_data().size() / sizeof(float));
  std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return values;
}

class OnnxCases : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (test_data().empty()) GTEST_SKIP() << "UPRES_TEST_DATA is not set";
    std::string pattern = testing::TempDir() + "upres_onnx_cases_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    const std::string command =
        "tar -xf '" + test_data() + "/onnx-op-tests.tar' -C '" + folder_ + "' node/" + GetParam();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return folder_ + "/node/" + GetParam() + "/" + name;
  }
  [[nodiscard]] proto::TensorProto tensor(const std::string& name) const {
    proto::TensorProto tensor;
    EXPECT_TRUE(tensor.ParseFromString(read_all(file("test_data_set_0/" + name + ".pb"))));
    return tensor;
  }
  // The case's model with its inputs but the first as constants, and its first given four dimensions.
  [[nodiscard]] Result<onnx::Model> network() const {
    proto::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(read_all(file("model.onnx"))));
    proto::GraphProto& graph = *model.mutable_graph();
    for (int i = 1; i < graph.input_size(); ++i) {
      proto::TensorProto& constant = *graph.add_initializer();
      constant = tensor("input_" + std::to_string(i));
      constant.set_name(graph.input(i).name());
    }
    auto& dims =
        *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
    while (dims.size() < 4) {
      dims.Add()->set_dim_value(1);
      std::rotate(dims.begin(), dims.end() - 1, dims.end());
    }
    const std::string bytes = model.SerializeAsString();
    return onnx::import_model(std::as_bytes(std::span(bytes)), GetParam());
  }

 private:
  std::string folder_;
};

TEST_P(OnnxCases, ReferenceComputesWhatTheCaseSays) {
  const auto model = network();
  ASSERT_TRUE(model.has_value()) << model.error().text();
  const proto::TensorProto in = tensor("input_0");
  std::vector<int> dims(in.dims().begin(), in.dims().end());
  while (dims.size() < 4) dims.insert(dims.begin(), 1);
  const std::vector<float> samples = values_of(in);
  const std::vector<float> expected = values_of(tensor("output_0"));

  std::vector<float> actual;  // batches one after the other
  const auto batch = static_cast<size_t>(dims[0]);
  const auto size = static_cast<std::ptrdiff_t>(samples.size() / batch);
  for (size_t item = 0; item < batch; ++item) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(item) * size;
    const std::vector<Tensor> inputs = {
        tensor_of<float>(planar(dims[1]), {dims[3], dims[2]}, {begin, begin + size})};
    const auto outputs = run_reference(model->graph, inputs);
    ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
    const auto some = elements<float>(outputs->front());
    actual.insert(actual.end(), some.begin(), some.end());
  }
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(Standard, OnnxCases,
                         testing::Values("test_basic_conv_with_padding", "test_clip", "test_clip_default_min",
                                         "test_clip_inbounds", "test_clip_splitbounds",
                                         "test_depthtospace_crd_mode", "test_depthtospace_dcr_mode",
                                         "test_relu"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace upres::kernels
