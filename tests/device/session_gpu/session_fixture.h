// A graph's session on every Vulkan device of this machine, and what its reference says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/kernels/test_devices.h"
#include "devicedb/devicedb.h"
#include "graph/extents.h"
#include "kernels/reference.h"
#include "plan/plan.h"
#include "session/gpu/device_info.h"
#include "session/gpu/gpu_session.h"
#include "unit/plan/networks.h"

namespace upres::session {

using testing_devices::TestDevices;

inline std::shared_ptr<const plan::ChosenGraph> chosen_for(const graph::Graph& graph,
                                                           const kernels::DeviceInfo& info) {
  auto chosen = plan::choose_kernels(graph, info, devicedb::Database::embedded());
  EXPECT_TRUE(chosen) << chosen.error().text();
  return chosen ? *chosen : nullptr;
}

inline std::unique_ptr<GpuSession> make_session(const vkc::Device& device, const graph::Graph& graph,
                                                const GpuOptions& options = {}) {
  auto session =
      GpuSession::create(device, chosen_for(graph, device_info(device.physical_device())), options);
  EXPECT_TRUE(session) << session.error().text();
  return session ? std::move(*session) : nullptr;
}

// Tensors for a graph's outputs at these inputs.
inline std::vector<Tensor> make_outputs(const graph::Graph& graph, const std::vector<Tensor>& inputs,
                                        const Extent& resampled = {}) {
  std::vector<Extent> extents;
  for (const Tensor& input : inputs) extents.push_back(input.extent);
  const auto all = graph::infer_extents(graph, extents, resampled);
  EXPECT_TRUE(all) << all.error().text();
  std::vector<Tensor> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.emplace_back(graph.value(id).type, (*all)[id]);
  return outputs;
}

inline Job make_job(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs,
                    const kernels::JobWindow& window = {}) {
  Job job;
  for (const Tensor& input : inputs) job.inputs.push_back(input.view());
  for (Tensor& output : outputs) job.outputs.push_back(output.view());
  job.window = window;
  return job;
}

// The session's outputs; fails the test on an error.
inline std::vector<Tensor> run_session(GpuSession& session, const std::vector<Tensor>& inputs,
                                       const kernels::JobWindow& window = {}) {
  auto outputs = make_outputs(session.graph(), inputs, window.resampled_extent);
  const auto report = session.run(make_job(inputs, outputs, window));
  EXPECT_TRUE(report) << report.error().text();
  return outputs;
}

inline std::vector<Tensor> random_inputs(testing::Random& random, const graph::Graph& graph,
                                         const Extent& extent) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    inputs.push_back(testing::random_tensor(random, graph.value(id).type, extent));
  }
  return inputs;
}

// Largest difference, in levels of 255 for pixels, as it is for floats.
inline double difference(const Tensor& a, const Tensor& b) {
  const auto largest = [](auto x, auto y, double unit) {
    double result = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      result = std::max(result, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) * unit);
    }
    return result;
  };
  if (a.bytes.size() != b.bytes.size()) return INFINITY;
  switch (a.type.dtype) {
    case DType::u8:
      return largest(a.as<uint8_t>(), b.as<uint8_t>(), 1);
    case DType::u16:
      return largest(a.as<uint16_t>(), b.as<uint16_t>(), 255.0 / 65535);
    case DType::f32:
      return largest(a.as<float>(), b.as<float>(), 1);
    default:
      return 0;
  }
}

class OnEveryDevice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { devices_ = std::make_unique<TestDevices>(TestDevices::open()); }
  static void TearDownTestSuite() { devices_.reset(); }

  void SetUp() override {
    messages_ = devices_->validation_messages();
    if (!devices_->devices().empty()) return;
    if (TestDevices::required()) FAIL() << "no Vulkan device: " << devices_->problem();
    GTEST_SKIP() << "EVERY TEST SKIPPED: no Vulkan device: " << devices_->problem();
  }
  void TearDown() override {
    EXPECT_EQ(devices_->validation_messages(), messages_) << "the validation layer complained, see above";
  }

  static void for_each_device(const std::function<void(const vkc::Device&)>& test) {
    for (const auto& [device, info] : devices_->devices()) {
      SCOPED_TRACE(device.properties().name);
      test(device);
      if (HasFatalFailure()) return;
    }
  }

 private:
  static inline std::unique_ptr<TestDevices> devices_;
  uint64_t messages_ = 0;
};

}  // namespace upres::session
