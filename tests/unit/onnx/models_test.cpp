// Models from the wild: what becomes of each.
#include <filesystem>
#include <set>

#include "graph/extents.h"
#include "graph/picture.h"
#include "unit/onnx/import_helper.h"
#include "unit/onnx/test_data.h"

namespace upres::onnx {
namespace {

using namespace testing;

class Models : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test_data().empty()) GTEST_SKIP() << "UPRES_TEST_DATA is not set";
  }
  static std::string path(const std::string& name) { return test_data() + "/models/" + name; }
};

const char* const kEspcnX3 = R"(1->64 5x5 pad 2,2,2,2 relu
64->64 3x3 pad 1,1,1,1 relu
64->32 3x3 pad 1,1,1,1 relu
32->9 3x3 pad 1,1,1,1
block 3 crd
)";
const char* const kEspcnX2Rgb = R"(3->64 5x5 pad 2,2,2,2 relu
64->64 3x3 pad 1,1,1,1 relu
64->12 3x3 pad 1,1,1,1
block 2 crd
)";

struct Runnable {
  const char* file;
  const char* layers;
  graph::NetworkColors colors;
  int factor;
  uint64_t parameters;
  int64_t opset;
};

const Runnable kRunnable[] = {
    {"super-resolution-10.onnx", kEspcnX3, graph::NetworkColors::luma, 3, 59657, 10},
    {"espcn_x3_opset10_other_weights.onnx", kEspcnX3, graph::NetworkColors::luma, 3, 59657, 10},
    {"espcn_x3_opset11_depthtospace.onnx", kEspcnX3, graph::NetworkColors::luma, 3, 59657, 11},
    {"espcn_x2_rgb.onnx", kEspcnX2Rgb, graph::NetworkColors::rgb, 2, 48716, 20},
    {"espcn_x2_rgb_fp16.onnx", kEspcnX2Rgb, graph::NetworkColors::rgb, 2, 48716, 20},
};

struct Refused {
  const char* file;
  const char* message;
};

const Refused kRefused[] = {
    {"2xNomosUni_span_multijpg_ldl.onnx", "node /Sub: operator Sub (opset 17) is not supported"},
    {"animejanai_v3.1_spanf3_b5f48_fp16.onnx", "node /Shape_1: operator Shape (opset 20) is not supported"},
    {"espcn_with_pre_post_customops.onnx",
     "node pre_process_0: operator com.microsoft.extensions.DecodeImage (opset 1) is not supported"},
    {"espcn_x2_missing_external_data.onnx", "its data is in another file"},
    {"fsrcnn_fp16_convtranspose.onnx", "operator PRelu (opset 11) is not supported"},
    {"fsrcnn_x2_nhwc.onnx", "operator Unsqueeze (opset 13) is not supported"},
    {"imdn_like_split_concat.onnx", "(opset 11) is not supported"},
    {"not_sr_classifier.onnx", "(opset 10) is not supported"},
    {"realesr-animevideov3.onnx", "operator PRelu (opset 17) is not supported"},
    {"waifu2x_upconv7_scale2x.onnx", "operator LeakyRelu (opset 6) is not supported"},
    {"other/ESPCN_x2.pb", "it is no ONNX model, or it is damaged"},
    {"other/ESPCN_x3.pb", "it is no ONNX model, or it is damaged"},
    {"other/espcn_x3_model_epoch_599.pth", "it is no ONNX model, or it is damaged"},
};

TEST_F(Models, RunnableOnes) {
  for (const Runnable& expected : kRunnable) {
    SCOPED_TRACE(expected.file);
    auto model = import_file(path(expected.file));
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_TRUE(graph::simplify(model->graph));
    std::string layers;
    for (const graph::Node& node : model->graph.nodes()) layers += graph::describe(node.op) + "\n";
    EXPECT_EQ(layers, expected.layers);
    EXPECT_EQ(graph::parameter_count(model->graph), expected.parameters);
    EXPECT_EQ(model->opset, expected.opset);
    const auto kind = graph::inspect_picture_network(model->graph);
    ASSERT_TRUE(kind) << kind.error().message;
    EXPECT_EQ(kind->colors, expected.colors);
    EXPECT_EQ(kind->factor, expected.factor);
  }
}

TEST_F(Models, AnyPictureSizeAlsoWhereTheFileDeclaresOne) {
  auto model = import_file(path("super-resolution-10.onnx"));
  ASSERT_TRUE(model) << model.error().message;
  const auto graph = graph::attach_picture_ends(model->graph, {});
  ASSERT_TRUE(graph) << graph.error().message;
  const std::vector<Extent> inputs = {{1, 97}};
  const auto extents = graph::infer_extents(*graph, inputs);
  ASSERT_TRUE(extents);
  EXPECT_EQ((*extents)[graph->outputs().front()], (Extent{3, 291}));
}

TEST_F(Models, TheHalfTwinHasTheSameNumbersRounded) {
  const auto full = import_file(path("espcn_x2_rgb.onnx"));
  const auto half = import_file(path("espcn_x2_rgb_fp16.onnx"));
  ASSERT_TRUE(full);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->inputs[0].dtype, DType::f16);
  for (size_t i = 0; i < full->graph.nodes().size(); ++i) {
    const auto* wide = std::get_if<graph::Conv>(&full->graph.nodes()[i].op);
    const auto* narrow = std::get_if<graph::Conv>(&half->graph.nodes()[i].op);
    if (wide == nullptr) continue;
    for (size_t k = 0; k < wide->weights->size(); ++k) {
      ASSERT_EQ(half_to_float(float_to_half((*wide->weights)[k])), (*narrow->weights)[k]) << i << " " << k;
    }
  }
}

TEST_F(Models, OthersAreRefusedWithAReason) {
  for (const Refused& expected : kRefused) {
    const auto model = import_file(path(expected.file));
    ASSERT_FALSE(model) << expected.file;
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_NE(model.error().message.find(expected.message), std::string::npos) << model.error().message;
    EXPECT_EQ(model.error().message.rfind(path(expected.file) + ": ", 0), 0U) << model.error().message;
  }
}

TEST_F(Models, NoneIsForgotten) {
  std::set<std::string> listed;
  for (const Runnable& model : kRunnable) listed.insert(model.file);
  for (const Refused& model : kRefused) listed.insert(model.file);
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
    if (entry.path().extension() != ".onnx") continue;
    EXPECT_TRUE(listed.contains(entry.path().filename())) << entry.path();
  }
}

}  // namespace
}  // namespace upres::onnx
