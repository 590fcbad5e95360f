// ONNX models made in code, in few words, for tests and as seeds for fuzzing.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/half.h"
#include "onnx/proto.h"

namespace upres::onnx::testing {

using Dims = std::vector<int64_t>;
using proto::TensorProto;

inline void set_ints(proto::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
}
inline void set_int(proto::NodeProto& node, const std::string& name, int64_t value) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::INT);
  attribute.set_i(value);
}
inline void set_float(proto::NodeProto& node, const std::string& name, float value) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::FLOAT);
  attribute.set_f(value);
}
inline void set_text(proto::NodeProto& node, const std::string& name, const std::string& value) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::STRING);
  attribute.set_s(value);
}
inline TensorProto& set_tensor(proto::NodeProto& node, const std::string& name) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::TENSOR);
  return *attribute.mutable_t();
}

inline void set_dims(TensorProto& tensor, const Dims& dims) {
  tensor.clear_dims();
  for (const int64_t dim : dims) tensor.add_dims(dim);
}

template <typename T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline void set_floats(TensorProto& tensor, const Dims& dims, const std::vector<float>& values) {
  set_dims(tensor, dims);
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.set_raw_data(raw_bytes(values));
}
inline void set_integers(TensorProto& tensor, const std::vector<int64_t>& values) {
  set_dims(tensor, {static_cast<int64_t>(values.size())});
  tensor.set_data_type(TensorProto::INT64);
  tensor.set_raw_data(raw_bytes(values));
}

inline size_t count(const Dims& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return static_cast<size_t>(product);
}

// Values that tell each other apart: -1, -0.75, ... 1, over again.
inline std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 9) * 0.25F - 1;
  return values;
}

class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13, int64_t ir_version = 7) {
    model.set_ir_version(ir_version);
    model.set_producer_name("test");
    model.add_opset_import()->set_version(opset);
  }

  // -1 is a free size.
  proto::ValueInfoProto& input(const std::string& name, const Dims& dims, int32_t type = TensorProto::FLOAT) {
    return port(*graph().add_input(), name, dims, type);
  }
  proto::ValueInfoProto& output(const std::string& name, const Dims& dims = {-1, -1, -1, -1},
                                int32_t type = TensorProto::FLOAT) {
    return port(*graph().add_output(), name, dims, type);
  }

  TensorProto& initializer(const std::string& name, const Dims& dims) {
    TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    set_floats(tensor, dims, ramp(count(dims)));
    return tensor;
  }
  TensorProto& initializer(const std::string& name, const Dims& dims, const std::vector<float>& values) {
    TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    set_floats(tensor, dims, values);
    return tensor;
  }
  TensorProto& integers(const std::string& name, const std::vector<int64_t>& values) {
    TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    set_integers(tensor, values);
    return tensor;
  }

  // A node with one output; it is called like that.
  proto::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                         const std::string& output) {
    proto::NodeProto& node = *graph().add_node();
    node.set_name(output + "_node");
    node.set_op_type(op_type);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  // A convolution that keeps the size, with its weights and biases.
  proto::NodeProto& conv(const std::string& in, int64_t in_channels, int64_t out_channels, int64_t size,
                         const std::string& output) {
    initializer(output + "_w", {out_channels, in_channels, size, size});
    initializer(output + "_b", {out_channels});
    proto::NodeProto& result = node("Conv", {in, output + "_w", output + "_b"}, output);
    const int64_t before = (size - 1) / 2;
    const int64_t after = size / 2;
    set_ints(result, "pads", {before, before, after, after});
    return result;
  }

  proto::GraphProto& graph() { return *model.mutable_graph(); }
  std::string bytes() const { return model.SerializeAsString(); }

  proto::ModelProto model;

 private:
  static proto::ValueInfoProto& port(proto::ValueInfoProto& info, const std::string& name, const Dims& dims,
                                     int32_t type) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& shape = *tensor.mutable_shape();
    for (const int64_t dim : dims) {
      auto& added = *shape.add_dim();
      dim < 0 ? added.set_dim_param("free") : added.set_dim_value(dim);
    }
    return info;
  }
};

// A small network of each kind that exporters write: input "x", output "y".
inline ModelBuilder espcn_depth_to_space(int64_t opset = 13) {
  ModelBuilder b(opset);
  b.input("x", {-1, 3, -1, -1});
  b.conv("x", 3, 4, 5, "c1");
  b.node("Relu", {"c1"}, "r1");
  b.conv("r1", 4, 12, 3, "c2");
  proto::NodeProto& shuffle = b.node("DepthToSpace", {"c2"}, "y");
  set_int(shuffle, "blocksize", 2);
  set_text(shuffle, "mode", "CRD");
  b.output("y");
  return b;
}

// With fixed sizes, a spelled-out shuffle, Constant nodes, and initializers listed as inputs, as PyTorch 1.1
// did.
inline ModelBuilder espcn_reshape() {
  ModelBuilder b(10, 3);
  b.input("x", {-1, 1, 6, 8});
  b.conv("x", 1, 4, 3, "c1");
  b.node("Relu", {"c1"}, "r1");
  b.conv("r1", 4, 9, 3, "c2");
  for (const TensorProto& tensor : b.graph().initializer()) {
    b.input(tensor.name(), Dims(tensor.dims().begin(), tensor.dims().end()));
  }
  set_integers(set_tensor(b.node("Constant", {}, "split_shape"), "value"), {-1, 1, 3, 3, 6, 8});
  set_integers(set_tensor(b.node("Constant", {}, "join_shape"), "value"), {-1, 1, 18, 24});
  b.node("Reshape", {"c2", "split_shape"}, "split");
  set_ints(b.node("Transpose", {"split"}, "swapped"), "perm", {0, 1, 4, 2, 5, 3});
  b.node("Reshape", {"swapped", "join_shape"}, "y");
  b.output("y", {-1, 1, 18, 24});
  return b;
}

// fp16 throughout, automatic padding, Clip with inputs, Identity.
inline ModelBuilder half_with_clip() {
  ModelBuilder b(20, 9);
  b.input("x", {1, 1, -1, -1}, TensorProto::FLOAT16);
  TensorProto& weights = b.initializer("w", {1, 1, 2, 2});
  weights.set_data_type(TensorProto::FLOAT16);
  weights.clear_raw_data();
  for (const float value : ramp(4)) weights.add_int32_data(float_to_half(value));
  set_text(b.node("Conv", {"x", "w"}, "c"), "auto_pad", "SAME_LOWER");
  set_float(b.node("Constant", {}, "one"), "value_float", 1);
  b.node("Identity", {"one"}, "upper");
  b.node("Clip", {"c", "", "upper"}, "clipped");
  b.node("Identity", {"clipped"}, "y");
  b.output("y", {1, 1, -1, -1}, TensorProto::FLOAT16);
  return b;
}

}  // namespace upres::onnx::testing
