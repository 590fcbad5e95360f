#include "session/cpu/caller_tensors.h"

#include <cstring>
#include <string>

namespace upres::session::cpu {
namespace {

std::string text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

// Rows of all planes.
template <typename View>
size_t row_count(const View& view) {
  const size_t planes = view.type.layout == Layout::planar ? static_cast<size_t>(view.type.channels) : 1;
  return planes * static_cast<size_t>(view.extent.height_px);
}

template <typename View>
Status check_view(const View& view, const graph::Value& value, const Extent& extent) {
  if (view.type != value.type) return fail(ErrorCode::model, "tensor " + value.name + " is of another type");
  if (view.extent != extent) {
    return fail(ErrorCode::model,
                "tensor " + value.name + " is " + text(view.extent) + " and must be " + text(extent));
  }
  const size_t row = upres::row_bytes(view.type, extent);
  const size_t rows = row_count(view);
  const bool small = rows > 1 && view.row_stride_bytes < row;
  if (small || view.bytes.size() < (rows - 1) * view.row_stride_bytes + row) {
    return fail(ErrorCode::model,
                "tensor " + value.name + ": its memory is smaller than " + text(extent) + " needs");
  }
  return {};
}

template <typename Byte, typename View>
BasicRows<Byte> make_rows(const View& view) {
  return {.data = view.bytes.data(),
          .first_row = 0,
          .row_stride_bytes = view.row_stride_bytes,
          .plane_stride_bytes = view.row_stride_bytes * static_cast<size_t>(view.extent.height_px),
          .channels = view.type.channels,
          .width_px = view.extent.width_px,
          .height_px = view.extent.height_px};
}

}  // namespace

Status check_job(const graph::Graph& graph, std::span<const Extent> extents, const Job& job) {
  if (job.outputs.size() != graph.outputs().size()) {
    return fail(ErrorCode::model, "the graph has " + std::to_string(graph.outputs().size()) + " outputs, " +
                                      std::to_string(job.outputs.size()) + " were given");
  }
  const auto check = [&](const auto& view, graph::ValueId id) {
    return check_view(view, graph.value(id), extents[id]);
  };
  for (size_t i = 0; i < job.inputs.size(); ++i) {
    if (auto status = check(job.inputs[i], graph.inputs()[i]); !status) return status;
  }
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    if (auto status = check(job.outputs[i], graph.outputs()[i]); !status) return status;
  }
  return {};
}

MutableRows rows_of(const MutableTensorView& view) { return make_rows<std::byte>(view); }
Rows rows_of(const TensorView& view) { return make_rows<const std::byte>(view); }

void copy_outputs(const Program& program, const Job& job) {
  for (const OutputCopy& copy : program.copies) {
    const Rows from =
        copy.from_input ? rows_of(job.inputs[copy.from]) : read_only(rows_of(job.outputs[copy.from]));
    const MutableTensorView& to = job.outputs[copy.output];
    for (size_t y = 0; y < row_count(to); ++y) {
      std::memcpy(to.bytes.data() + y * to.row_stride_bytes, from.data + y * from.row_stride_bytes,
                  upres::row_bytes(to.type, to.extent));
    }
  }
}

}  // namespace upres::session::cpu
