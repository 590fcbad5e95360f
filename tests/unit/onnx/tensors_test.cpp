#include <functional>

#include "unit/onnx/import_helper.h"

namespace upres::onnx {
namespace {

using namespace testing;

// Weights that halves hold exactly.
const std::vector<float> kValues = {1, -2, 0.5F, 65504};

// Imports a convolution of 4 weights after `store` has put them away.
Result<Model> stored(const std::function<void(TensorProto&)>& store) {
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  TensorProto& tensor = b.initializer("w", {1, 1, 2, 2});
  tensor.clear_raw_data();
  store(tensor);
  b.node("Conv", {"x", "w"}, "y");
  b.output("y");
  return import(b);
}

void expect_values(const std::function<void(TensorProto&)>& store) {
  const auto model = stored(store);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(*std::get<graph::Conv>(model->graph.nodes()[0].op).weights, kValues);
}

std::vector<uint16_t> halves() {
  std::vector<uint16_t> result;
  for (const float value : kValues) result.push_back(float_to_half(value));
  return result;
}

TEST(Tensors, EveryStorageGivesTheSame) {
  expect_values([](auto& tensor) { tensor.set_raw_data(raw_bytes(kValues)); });
  expect_values([](auto& tensor) {
    for (const float value : kValues) tensor.add_float_data(value);
  });
  expect_values([](auto& tensor) {
    tensor.set_data_type(TensorProto::FLOAT16);
    tensor.set_raw_data(raw_bytes(halves()));
  });
  expect_values([](auto& tensor) {
    tensor.set_data_type(TensorProto::FLOAT16);
    for (const uint16_t bits : halves()) tensor.add_int32_data(bits);
  });
  expect_values([](auto& tensor) {
    tensor.set_data_type(TensorProto::DOUBLE);
    tensor.set_raw_data(raw_bytes(std::vector<double>(kValues.begin(), kValues.end())));
  });
  expect_values([](auto& tensor) {
    tensor.set_data_type(TensorProto::DOUBLE);
    for (const float value : kValues) tensor.add_double_data(value);
  });
}

TEST(Tensors, OtherTypesAreRefusedByName) {
  for (const auto& [type, name] :
       {std::pair{TensorProto::INT8, "INT8"}, std::pair{TensorProto::BFLOAT16, "BFLOAT16"},
        std::pair{TensorProto::UNDEFINED, "UNDEFINED"}}) {
    expect_failure(
        stored([type = type](auto& tensor) {
          tensor.set_data_type(type);
          tensor.set_raw_data(std::string(16, '\0'));
        }),
        std::string("node y_node: tensor w: type ") + name + "; weights must be FLOAT, FLOAT16 or DOUBLE");
  }
  expect_failure(stored([](auto& tensor) { tensor.set_data_type(23); }), "tensor w: type 23");
}

TEST(Tensors, SizesMustBeExact) {
  const auto raw = [](size_t size_bytes) {
    return stored([=](auto& tensor) { tensor.set_raw_data(std::string(size_bytes, '\0')); });
  };
  EXPECT_TRUE(raw(16));
  expect_failure(raw(12), "tensor w: it holds 12 bytes, its shape 1x1x2x2 needs 4 FLOAT");
  expect_failure(raw(20), "tensor w: it holds 20 bytes");
  expect_failure(raw(15), "tensor w: it holds 15 bytes");
  expect_failure(raw(17), "tensor w: it holds 17 bytes");
  expect_failure(raw(0), "tensor w: it holds 0 elements");
  expect_failure(stored([](auto& tensor) { tensor.add_float_data(1); }), "tensor w: it holds 1 elements");
}

TEST(Tensors, DataInTheWrongFieldIsNotRead) {
  expect_failure(stored([](auto& tensor) {
                   tensor.set_data_type(TensorProto::FLOAT16);
                   for (const float value : kValues) tensor.add_float_data(value);
                 }),
                 "tensor w: it holds 0 elements, its shape 1x1x2x2 needs 4 FLOAT16");
  expect_failure(stored([](auto& tensor) {
                   tensor.set_raw_data(raw_bytes(kValues));
                   tensor.add_float_data(1);
                 }),
                 "tensor w: its data is there twice");
}

TEST(Tensors, DataElsewhere) {
  expect_failure(
      stored([](auto& tensor) {
        tensor.set_data_location(TensorProto::EXTERNAL);
        auto& entry = *tensor.add_external_data();
        entry.set_key("location");
        entry.set_value("../../etc/weights.bin");
      }),
      "node y_node: tensor w: its data is in another file, ../../etc/weights.bin; save the model with its "
      "weights inside");
  expect_failure(stored([](auto& tensor) { tensor.set_data_location(TensorProto::EXTERNAL); }),
                 "another file, ?;");
  expect_failure(stored([](auto& tensor) {
                   tensor.set_raw_data(raw_bytes(kValues));
                   tensor.mutable_segment()->set_end(4);
                 }),
                 "tensor w: its data is split into segments");
}

// Shapes of which the product is 4 modulo 2^64, or is no number at all.
TEST(Tensors, ImpossibleShapes) {
  for (const Dims& dims : {Dims{4, int64_t{1} << 62, 4, 1}, Dims{1, 1, INT64_MAX, INT64_MAX}}) {
    const auto model = stored([&](auto& tensor) {
      set_dims(tensor, dims);
      tensor.set_raw_data(raw_bytes(kValues));
    });
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message.find("tensor w: its shape is"), std::string::npos)
        << model.error().message;
  }
  ModelBuilder b;
  b.input("x", {1, 1, -1, -1});
  set_dims(b.initializer("low", {}), {int64_t{1} << 62, 4, 3});
  b.node("Clip", {"x", "low"}, "y");
  b.output("y");
  expect_failure(import(b), "tensor low: impossible shape 4611686018427387904x4x3");
  set_dims(*b.graph().mutable_initializer(0), {-1});
  expect_failure(import(b), "tensor low: impossible shape ?");
}

TEST(Tensors, Integers32) {
  ModelBuilder b;
  b.input("x", {1, 4, 2, 3});
  TensorProto& shape = b.integers("shape", {});
  shape.set_data_type(TensorProto::INT32);
  set_dims(shape, {4});
  shape.clear_raw_data();
  for (const int32_t size : {1, 1, -1, 4}) shape.add_int32_data(size);
  b.node("Reshape", {"x", "shape"}, "y");
  b.output("y");
  EXPECT_EQ(describe_node(import(b), "y_node"), "[1,1,-1,4]");
}

}  // namespace
}  // namespace upres::onnx
