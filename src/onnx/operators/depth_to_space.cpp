#include <fmt/format.h>

#include <limits>

#include "base/display_name.h"
#include "onnx/operators.h"

namespace upres::onnx {
namespace {

// "mode" came with opset 11; before, and by default, it is DCR.
Result<graph::ShuffleMode> read_mode(const NodeImport& node) {
  auto mode = node.attributes.text("mode", "DCR");
  if (!mode) return propagate(mode);
  if (*mode == "DCR") return graph::ShuffleMode::dcr;
  if (*mode == "CRD") return graph::ShuffleMode::crd;
  return fail(ErrorCode::model, fmt::format("attribute mode: unknown value {}", display_name(*mode)));
}

// A declared size that no picture has is as good as none.
int64_t enlarged(int64_t size, int64_t block) {
  return size < 1 || size > std::numeric_limits<int32_t>::max() ? -1 : size * block;
}

}  // namespace

Status import_depth_to_space(NodeImport& node) {
  auto input = node.picture(0);
  if (!input) return propagate(input);
  auto mode = read_mode(node);
  if (!mode) return propagate(mode);
  auto block = node.attributes.integer("blocksize", 0);
  if (!block) return propagate(block);
  const int64_t channels = node.channels(*input);
  if (*block < 1 || *block > channels || channels % (*block * *block) != 0) {
    return fail(ErrorCode::model, fmt::format("blocksize {} does not fit {} channels", *block, channels));
  }
  const int64_t out_channels = channels / (*block * *block);
  const Dims& in = input->dims;
  return node.emit(graph::DepthToSpace{static_cast<int>(*block), *mode}, input->id,
                   {in[0], out_channels, enlarged(in[2], *block), enlarged(in[3], *block)}, out_channels);
}

}  // namespace upres::onnx
