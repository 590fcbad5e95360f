#include "kernels/reference.h"

#include <cstring>
#include <optional>

#include "graph/extents.h"
#include "kernels/conv/conv_reference.h"
#include "kernels/elementwise/clip_reference.h"
#include "kernels/pixels/decode_reference.h"
#include "kernels/pixels/depth_to_space_reference.h"
#include "kernels/pixels/encode_reference.h"
#include "kernels/pixels/store_reference.h"
#include "kernels/resize/resample_reference.h"

namespace upres::kernels {

namespace {

// One node's tensors; one overload per operator computes the outputs.
struct ReferenceRun {
  const graph::Graph& graph;
  const graph::Node& node;
  std::span<const Tensor> in;
  std::vector<Tensor>& out;
  std::span<const Extent> extents;
  const JobWindow& window;

  Status operator()(const graph::Conv& conv) const {
    convolve(conv, in[0], out[0]);
    return {};
  }
  Status operator()(const graph::ConvPair& pair) const {
    Tensor between({DType::f32, Layout::planar, pair.first.out_channels},
                   graph::convolved_extent(pair.first, in[0].extent));
    convolve(pair.first, in[0], between);
    convolve(pair.second, between, out[0]);
    return {};
  }
  Status operator()(const graph::Clip& clip) const {
    clip_reference(clip, in[0], out[0]);
    return {};
  }
  Status operator()(const graph::DepthToSpace& shuffle) const {
    depth_to_space_reference(shuffle, in[0], out[0]);
    return {};
  }
  Status operator()(const graph::Identity&) const {
    out[0].bytes = in[0].bytes;
    return {};
  }
  Status operator()(const graph::Encode& encode) const {
    encode_reference(encode, in[0], out[0], out.size() > 1 ? &out[1] : nullptr);
    return {};
  }
  Status operator()(const graph::Decode& decode) const {
    const StatisticsWords words = decode_reference(decode, in[0], in.size() > 1 ? &in[1] : nullptr, out[0]);
    std::memcpy(out[1].bytes.data(), words.data(), sizeof(words));
    return {};
  }
  Status operator()(const graph::Resample& resample) const {
    resample_reference(resample.axis, make_resample_table(graph, node, extents, window), in[0], out[0]);
    return {};
  }
  Status operator()(const graph::Store&) const {
    store_reference(in[0], out[0]);
    return {};
  }

  static void convolve(const graph::Conv& conv, const Tensor& from, Tensor& to) {
    if (conv.shuffle.block == 1) return conv_reference(conv, from, to);
    Tensor planes({DType::f32, Layout::planar, conv.out_channels},
                  graph::convolved_extent(conv, from.extent));
    conv_reference(conv, from, planes);
    depth_to_space_reference(conv.shuffle, planes, to);
  }

  template <typename Other>
  Status operator()(const Other&) const {
    return fail(ErrorCode::model, "node " + node.name + ": operator " +
                                      std::string(graph::operator_name(node.op)) +
                                      " cannot run; it must be fused into another one first");
  }
};

}  // namespace

Result<std::vector<Tensor>> run_reference(const graph::Graph& graph, const graph::Node& node,
                                          std::span<const Tensor> inputs, std::span<const Extent> extents,
                                          const JobWindow& window) {
  std::vector<Tensor> outputs;
  for (const graph::ValueId id : node.outputs) outputs.emplace_back(graph.value(id).type, extents[id]);
  auto status = std::visit(ReferenceRun{graph, node, inputs, outputs, extents, window}, node.op);
  if (!status) return propagate(status);
  return outputs;
}

Result<std::vector<Tensor>> run_reference(const graph::Graph& graph, std::span<const Tensor> inputs,
                                          const JobWindow& window) {
  std::vector<Extent> input_extents;
  for (const Tensor& input : inputs) input_extents.push_back(input.extent);
  auto extents = graph::infer_extents(graph, input_extents, window.resampled_extent);
  if (!extents) return propagate(extents);

  std::vector<Tensor> values(graph.values().size());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i]] = inputs[i];
  for (const graph::Node& node : graph.nodes()) {
    std::vector<Tensor> node_inputs;
    for (const graph::ValueId id : node.inputs) node_inputs.push_back(values[id]);
    auto outputs = run_reference(graph, node, node_inputs, *extents, window);
    if (!outputs) return propagate(outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) values[node.outputs[i]] = std::move((*outputs)[i]);
  }
  std::vector<Tensor> results;
  for (const graph::ValueId id : graph.outputs()) results.push_back(values[id]);
  return results;
}

}  // namespace upres::kernels
