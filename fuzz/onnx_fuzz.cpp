// Any bytes as a model file: read, simplified, and made ready for a small picture.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "graph/extents.h"
#include "graph/passes/passes.h"
#include "graph/picture.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/import.h"

namespace {

using namespace upres;

// A rule that must hold for every input; libFuzzer reports the abort with the bytes that led to it.
void must(bool holds) {
  if (!holds) std::abort();
}

void look_at(const graph::Graph& network) {
  const std::vector<Extent> inputs(network.inputs().size(), Extent{7, 5});
  const auto extents = graph::infer_extents(network, inputs);
  if (extents) graph::flops(network, *extents);
  graph::receptive_field(network);
  graph::content_hash(network);
  graph::parameter_count(network);
  graph::to_text(network);
}

void attach(const graph::Graph& network, int channels, bool resized) {
  graph::PictureOptions options;
  options.channels = channels;
  if (resized) options.resize = {{7, 5}, {9, 4}};
  const auto picture = graph::attach_picture_ends(network, options);
  const auto kind = graph::inspect_picture_network(network);
  must(picture.has_value() == kind.has_value());
  if (!picture) return;
  must(graph::verify_runnable(*picture).has_value());
  graph::receptive_field(*picture);
  const std::array<Extent, 1> input = {Extent{7, 5}};
  const auto extents = graph::infer_extents(*picture, input, {9, 4});
  // A network may need more than 7x5 pixels; when it has them its factor is what was promised.
  if (!extents || resized) return;
  const Extent out = (*extents)[picture->outputs().front()];
  must(out == Extent{7 * kind->factor, 5 * kind->factor});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size_bytes) {
  auto model = onnx::import_model(std::as_bytes(std::span(data, size_bytes)), "fuzz.onnx");
  if (!model) {
    must(model.error().code == ErrorCode::model && model.error().message.find('\n') == std::string::npos);
    return 0;
  }
  must(graph::verify(model->graph).has_value());
  look_at(model->graph);
  attach(model->graph, 1 + static_cast<int>(size_bytes % 4), size_bytes % 3 == 0);
  must(graph::simplify(model->graph).has_value());
  look_at(model->graph);
  return 0;
}
