#include <algorithm>

#include "session/cpu/narrow.h"
#include "session/cpu/onednn.h"
#include "session/cpu/steps.h"
#include "session/cpu/winograd.h"

namespace upres::session::cpu {
namespace {

// Pixels of a value per pixel of the graph's input.
int scale_of(const graph::Graph& graph, graph::ValueId id) {
  for (const graph::Node& node : graph.nodes()) {
    if (std::ranges::count(node.outputs, id) == 0) continue;
    const auto* shuffle = std::get_if<graph::DepthToSpace>(&node.op);
    return scale_of(graph, node.inputs[0]) * (shuffle != nullptr ? shuffle->block : 1);
  }
  return 1;
}

class ConvStep final : public Step {
 public:
  ConvStep(const graph::Graph& graph, const graph::Node& node, std::unique_ptr<Convolution> convolution,
           const ConvForm& form)
      : node_(node),
        conv_(std::get<graph::Conv>(node.op)),
        convolution_(std::move(convolution)),
        form_(form),
        scale_(scale_of(graph, node.inputs[0])) {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {{form_.in, Order::channels_last}}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {{form_.out, Order::channels_last}}; }

  Status prepare(const JobShape& shape) override {
    in_ = shape.extents[node_.inputs[0]];
    out_width_px_ = shape.extents[node_.outputs[0]].width_px;
    // A convolution's output pixel (y, x) of a window is pixel (y, x) of the window in the whole, whatever
    // the padding.
    phase_ = {shape.window.input.y_px * scale_ % 2, shape.window.input.x_px * scale_ % 2};
    return convolution_->prepare(shape.workers);
  }

  [[nodiscard]] RowSpan rows_read(size_t, int y) const override { return clipped({y, y + 1}); }
  Status make_ready(const RowSpan& rows) override { return convolution_->make_ready(band_of(rows)); }

  Status run(int worker, const RowSpan& rows, std::span<const Rows> in,
             std::span<const MutableRows> out) override {
    const TilePhase phase{(phase_.y + rows.begin) % 2, phase_.x};
    return convolution_->run(worker, band_of(rows), phase, in[0].row(clipped(rows).begin),
                             out[0].row(rows.begin));
  }

  [[nodiscard]] RowGrid row_grid() const override { return {convolution_->row_multiple(), phase_.y}; }

  [[nodiscard]] std::string kernel() const override { return convolution_->implementation(); }

 private:
  [[nodiscard]] RowSpan clipped(const RowSpan& rows) const {
    const int begin = rows.begin - conv_.padding.top;
    const int end = rows.end - 1 - conv_.padding.top + conv_.kernel_height;
    return {std::clamp(begin, 0, in_.height_px), std::clamp(end, 0, in_.height_px)};
  }

  [[nodiscard]] ConvBand band_of(const RowSpan& rows) const {
    const RowSpan read = clipped(rows);
    const int padding = rows.size() + conv_.kernel_height - 1 - read.size();
    ConvBand band = {.in_rows = read.size(),
                     .in_width_px = in_.width_px,
                     .out_rows = rows.size(),
                     .out_width_px = out_width_px_,
                     .padding = conv_.padding};
    band.padding.top = std::clamp(conv_.padding.top - rows.begin, 0, padding);
    band.padding.bottom = padding - band.padding.top;
    return band;
  }

  const graph::Node& node_;
  const graph::Conv& conv_;
  std::unique_ptr<Convolution> convolution_;
  const ConvForm form_;
  const int scale_;  // pixels of the input per pixel of the graph's input
  TilePhase phase_;
  Extent in_;
  int out_width_px_ = 0;
};

}  // namespace

Result<std::unique_ptr<Step>> make_conv_step(const graph::Graph& graph, const graph::Node& node,
                                             const ConvForm& form) {
  const auto& conv = std::get<graph::Conv>(node.op);
  const std::string label = "node " + node.name;
  Result<std::unique_ptr<Convolution>> convolution;
  switch (form.method) {
    case ConvForm::Method::direct:
      convolution = make_direct_convolution(conv, form.in, form.out, label);
      break;
    case ConvForm::Method::winograd:
      convolution = make_winograd_convolution(conv, form.bf16, form.out, label);
      break;
    case ConvForm::Method::narrow:
      convolution = make_narrow_convolution(conv, form.bf16);
      break;
  }
  if (!convolution) return propagate(convolution);
  return std::make_unique<ConvStep>(graph, node, std::move(*convolution), form);
}

}  // namespace upres::session::cpu
