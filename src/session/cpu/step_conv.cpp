#include <algorithm>

#include "session/cpu/onednn.h"
#include "session/cpu/steps.h"

namespace upres::session::cpu {
namespace {

class ConvStep final : public Step {
 public:
  ConvStep(const graph::Node& node, std::unique_ptr<Convolution> convolution, Element in, Element out)
      : node_(node),
        conv_(std::get<graph::Conv>(node.op)),
        convolution_(std::move(convolution)),
        in_element_(in),
        out_element_(out) {}

  [[nodiscard]] std::vector<Port> inputs() const override { return {{in_element_, Order::channels_last}}; }
  [[nodiscard]] std::vector<Port> outputs() const override { return {{out_element_, Order::channels_last}}; }

  Status prepare(const JobShape& shape) override {
    in_ = shape.extents[node_.inputs[0]];
    out_width_px_ = shape.extents[node_.outputs[0]].width_px;
    return convolution_->prepare(shape.workers);
  }

  [[nodiscard]] RowSpan rows_read(size_t, int y) const override { return clipped({y, y + 1}); }
  Status make_ready(const RowSpan& rows) override { return convolution_->make_ready(band_of(rows)); }

  Status run(int worker, const RowSpan& rows, std::span<const Rows> in,
             std::span<const MutableRows> out) override {
    return convolution_->run(worker, band_of(rows), in[0].row(clipped(rows).begin), out[0].row(rows.begin));
  }

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
  Element in_element_;
  Element out_element_;
  Extent in_;
  int out_width_px_ = 0;
};

}  // namespace

Result<std::unique_ptr<Step>> make_conv_step(const graph::Node& node, Element in, Element out) {
  auto convolution = Convolution::create(std::get<graph::Conv>(node.op), in, out, "node " + node.name);
  if (!convolution) return propagate(convolution);
  return std::make_unique<ConvStep>(node, std::move(*convolution), in, out);
}

}  // namespace upres::session::cpu
