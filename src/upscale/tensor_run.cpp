#include "upscale/tensor_run.h"

#include <exception>
#include <utility>

#include "graph/extents.h"
#include "graph/picture.h"
#include "plan/tiles.h"
#include "upscale/upscaler.h"

namespace upres::upscale {

TensorRunner::TensorRunner(const Device& device, std::shared_ptr<session::Session> session,
                           std::optional<int> tile_px)
    : device_(device), session_(std::move(session)), tile_px_(tile_px) {
  const auto kind = graph::inspect_picture_network(session_->graph());
  if (kind) kind_ = *kind;
}

Result<TensorRunner> TensorRunner::create(const Device& device, const Model& model, Precision precision,
                                          std::optional<int> tile_px) {
  auto session = device.make_session(model.network, precision);
  if (!session) return propagate(session);
  return TensorRunner(device, std::move(*session), tile_px);
}

Result<std::vector<Tensor>> TensorRunner::create_outputs(std::span<const Tensor> inputs) const {
  const graph::Graph& graph = session_->graph();
  std::vector<Extent> in;
  for (const Tensor& input : inputs) in.push_back(input.extent);
  const auto extents = graph::infer_extents(graph, in);
  if (!extents) return tl::unexpected(extents.error());
  try {
    std::vector<Tensor> outputs;
    for (const graph::ValueId id : graph.outputs())
      outputs.emplace_back(graph.value(id).type, (*extents)[id]);
    return outputs;
  } catch (const std::exception&) {
    return fail(ErrorCode::input, "not enough memory for the result");
  }
}

Status TensorRunner::run_by_windows(const Tensor& input, Tensor& output, const RunCallbacks& callbacks) {
  const graph::Graph& graph = session_->graph();
  const auto edge_px = tile_edge_px(device_, graph, input.extent, tile_px_);
  if (!edge_px) return tl::unexpected(edge_px.error());
  const auto grid =
      plan::make_tiles(input.extent, output.extent, graph::receptive_field(graph), kind_->factor, *edge_px);
  if (!grid) return tl::unexpected(grid.error());
  const auto report = run_tiles(*session_, *grid, input.view(), output.view(), callbacks);
  if (!report) return tl::unexpected(report.error());
  return {};
}

Status TensorRunner::run_whole(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  session::Job job;
  for (const Tensor& input : inputs) job.inputs.push_back(input.view());
  for (Tensor& output : outputs) job.outputs.push_back(output.view());
  const auto report = session_->run(job);
  if (!report) return tl::unexpected(report.error());
  return {};
}

Result<std::vector<Tensor>> TensorRunner::run(std::span<const Tensor> inputs, const RunCallbacks& callbacks) {
  auto outputs = create_outputs(inputs);
  if (!outputs) return outputs;
  auto status =
      kind_ ? run_by_windows(inputs.front(), outputs->front(), callbacks) : run_whole(inputs, *outputs);
  if (!status) return propagate(status);
  return outputs;
}

}  // namespace upres::upscale
