// Trained models, whose weights are not random: ours, and those of the test data.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "graph/passes/passes.h"
#include "onnx/import.h"
#include "session/cpu/cpu_info.h"
#include "support.h"

namespace upres::session::test {
namespace {

// Soft and hard edges, a ripple, and a little noise: what a picture is made of.
Tensor test_picture(const Extent& size) {
  Tensor picture(planes(1), size);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> noise(-0.015F, 0.015F);
  auto samples = picture.as<float>();
  size_t at = 0;
  for (int y = 0; y < size.height_px; ++y) {
    for (int x = 0; x < size.width_px; ++x) {
      const float u = static_cast<float>(x) / static_cast<float>(size.width_px);
      const float v = static_cast<float>(y) / static_cast<float>(size.height_px);
      float value = 0.3F + 0.3F * v + 0.15F * std::sin(50.0F * u * u);
      if (std::hypot(u - 0.35F, v - 0.4F) < 0.2F) value = 0.85F - 0.3F * u;
      if (v > 0.8F && (x / 5 + y / 9) % 2 == 0) value = 0.95F;
      samples[at++] = std::clamp(value + noise(random), 0.0F, 1.0F);
    }
  }
  return picture;
}

graph::Graph load(const std::string& path) {
  auto model = onnx::import_file(path);
  if (!model) {
    ADD_FAILURE() << model.error().text();
    return {};
  }
  const auto status = graph::simplify(model->graph);
  EXPECT_TRUE(status);
  return model->graph;
}

void expect_model(const std::string& path) {
  SCOPED_TRACE(path);
  const graph::Graph graph = load(path);
  ASSERT_FALSE(graph.nodes().empty());
  const std::vector<Tensor> small = {test_picture({45, 38})};
  auto reference = kernels::run_reference(graph, small);
  ASSERT_TRUE(reference) << reference.error().text();
  const auto exact = make_session(graph);
  ASSERT_TRUE(exact);
  // A tenth of what the contract allows between devices.
  EXPECT_LE(largest_difference(run(*exact, small)[0], (*reference)[0]), 1e-5);

  if (!cpu_info().bf16) return;
  const auto fast = make_session(graph, {.precision = CpuPrecision::bf16});
  ASSERT_TRUE(fast);
  const std::vector<Tensor> picture = {test_picture({128, 128})};
  const double psnr = psnr_db(run(*exact, picture)[0], run(*fast, picture)[0]);
  testing::Test::RecordProperty("psnr_db", std::to_string(psnr));
  // 60 dB is what `auto` asks for.
  EXPECT_GE(psnr, 60);
  EXPECT_LE(psnr, 80) << "bf16 was not used";
}

TEST(CpuModels, OurModels) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(UPRES_MODELS_FOLDER)) {
    if (entry.path().extension() != ".onnx") continue;
    expect_model(entry.path().string());
    ++count;
  }
  if (count == 0) GTEST_SKIP() << "no models in " UPRES_MODELS_FOLDER;
}

TEST(CpuModels, TheModelZoosNetwork) {
  const char* data = std::getenv("UPRES_TEST_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "UPRES_TEST_DATA is not set";
  expect_model(std::string(data) + "/models/super-resolution-10.onnx");
}

}  // namespace
}  // namespace upres::session::test
