#include "graph/picture.h"

#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <unordered_set>

#include "graph/names.h"
#include "graph/passes/passes.h"
#include "graph/verify.h"

namespace upres::graph {
namespace {

// A picture network enlarges by at most this; a larger factor is a mistake or an attack.
constexpr int64_t kLargestFactor = 64;

tl::unexpected<Error> no_picture_network(std::string_view what) {
  return fail(ErrorCode::model, fmt::format("not a picture network: {}", what));
}

// Size of a value as a function of the input's: factor * input + extra, on both axes.
struct SizeLaw {
  int64_t factor = 1;
  int64_t extra_width = 0;
  int64_t extra_height = 0;
};

Status enlarge(const Node& node, int64_t block, SizeLaw& law) {
  if (law.factor * block > kLargestFactor) {
    return no_picture_network(
        fmt::format("{} enlarges to more than {} times", node_label(node), kLargestFactor));
  }
  law.factor *= block;
  law.extra_width *= block;
  law.extra_height *= block;
  return {};
}

Status apply(const Node& node, SizeLaw& law) {
  const auto convs = convolutions(node.op);
  for (const Conv* conv : convs) {
    law.extra_width += conv->padding.left + conv->padding.right - (conv->kernel_width - 1);
    law.extra_height += conv->padding.top + conv->padding.bottom - (conv->kernel_height - 1);
    if (auto status = enlarge(node, conv->shuffle.block, law); !status) return status;
  }
  if (const auto* shuffle = std::get_if<DepthToSpace>(&node.op)) return enlarge(node, shuffle->block, law);
  if (convs.empty() && !std::holds_alternative<Clip>(node.op) && !std::holds_alternative<Identity>(node.op))
    return no_picture_network(fmt::format("{} works on pixels", node_label(node)));
  return {};
}

// Input pixels that an output misses (or has too many), as text: 14, 3.5.
std::string input_pixels(int64_t output_pixels, int64_t factor) {
  const int64_t distance = output_pixels < 0 ? -output_pixels : output_pixels;
  return fmt::format("{:.4g}", static_cast<double>(distance) / static_cast<double>(factor));
}

Status check_axis(std::string_view axis, int64_t extra, int64_t factor) {
  if (extra == 0) return {};
  return no_picture_network(fmt::format("it {} its input by {} pixels in {} ({} padding)",
                                        extra < 0 ? "shrinks" : "grows", input_pixels(extra, factor), axis,
                                        extra < 0 ? "convolutions without" : "too much"));
}

// The whole factor, when it is one for every size. All operators of a network have one input, so what leads
// from the only input to the only output is a chain.
Result<int> exact_factor(const Graph& network) {
  std::vector<SizeLaw> laws(network.values().size());
  for (const Node& node : network.nodes()) {
    SizeLaw law = laws[node.inputs.front()];
    if (auto status = apply(node, law); !status) return propagate(status);
    laws[node.outputs.front()] = law;
  }
  const SizeLaw& law = laws[network.outputs().front()];
  if (law.extra_width == law.extra_height) {
    if (auto status = check_axis("width and height", law.extra_width, law.factor); !status)
      return propagate(status);
  }
  if (auto status = check_axis("width", law.extra_width, law.factor); !status) return propagate(status);
  if (auto status = check_axis("height", law.extra_height, law.factor); !status) return propagate(status);
  return static_cast<int>(law.factor);
}

Status check_ports(const Graph& network) {
  if (network.inputs().size() != 1)
    return no_picture_network(fmt::format("{} inputs", network.inputs().size()));
  if (network.outputs().size() != 1)
    return no_picture_network(fmt::format("{} outputs", network.outputs().size()));
  const TensorType planes{DType::f32, Layout::planar, network.value(network.inputs().front()).type.channels};
  const TensorType& in = network.value(network.inputs().front()).type;
  const TensorType& out = network.value(network.outputs().front()).type;
  if (in.layout != Layout::planar || in.dtype != DType::f32)
    return no_picture_network("its input holds pixels");
  if (in.channels != 1 && in.channels != 3)
    return no_picture_network(fmt::format("{} input channels", in.channels));
  if (out != planes) {
    return no_picture_network(
        fmt::format("{} input channels and {} output channels", in.channels, out.channels));
  }
  return {};
}

// Builds the graph from pixels to pixels around a copy of the network.
class EndsBuilder {
 public:
  EndsBuilder(const Graph& network, const PictureNetwork& kind, const PictureOptions& options)
      : network_(network), kind_(kind), options_(options) {}

  Graph build() {
    const TensorType pixels{options_.in_dtype, Layout::interleaved, options_.channels};
    const ValueId input = add_value(kPixelsIn, pixels);
    // The names of the ends are promised to callers, so they are taken before the network's.
    const ValueId picture =
        add_value(kPixelsOut, {options_.out_dtype, Layout::interleaved, options_.channels});
    const ValueId statistics = add_value(kStatistics, {DType::u32, Layout::flat, 4});
    graph_.add_input(input);
    encode(input);
    const ValueId features = copy_network();
    if (options_.resize) {
      decode(features, add_value("decoded", planes(options_.channels)), statistics);
      resample(picture);
    } else {
      decode(features, picture, statistics);
    }
    graph_.add_output(picture);
    graph_.add_output(statistics);
    return std::move(graph_);
  }

 private:
  static TensorType planes(int channels) { return {DType::f32, Layout::planar, channels}; }

  static std::string unique(std::unordered_set<std::string>& taken, std::string_view wanted) {
    std::string name(wanted);
    for (int suffix = 1; !taken.insert(name).second; ++suffix) name = fmt::format("{}_{}", wanted, suffix);
    return name;
  }
  ValueId add_value(std::string_view wanted, const TensorType& type) {
    return graph_.add_value(unique(value_names_, wanted), type);
  }
  void add_node(std::string_view wanted, Operator op, std::vector<ValueId> inputs,
                std::vector<ValueId> outputs) {
    graph_.add_node({unique(node_names_, wanted), std::move(op), std::move(inputs), std::move(outputs), ""});
  }

  void encode(ValueId input) {
    std::vector<ValueId> outputs = {add_value("planes", planes(kind_.colors == NetworkColors::luma ? 1 : 3))};
    const int side = side_channels(kind_.colors, options_.channels);
    if (side > 0) outputs.push_back(add_value("side", planes(side)));
    encoded_ = outputs;
    add_node("encode", Encode{kind_.colors}, {input}, std::move(outputs));
  }

  // Returns the network's output within the new graph.
  ValueId copy_network() {
    std::vector<ValueId> new_ids(network_.values().size());
    for (size_t i = 0; i < new_ids.size(); ++i) {
      const bool is_input = i == network_.inputs().front();
      const Value& value = network_.values()[i];
      new_ids[i] = is_input ? encoded_.front() : add_value(value.name, value.type);
    }
    for (Node node : network_.nodes()) {
      node.name = unique(node_names_, node.name);
      for (ValueId& id : node.inputs) id = new_ids[id];
      for (ValueId& id : node.outputs) id = new_ids[id];
      graph_.add_node(std::move(node));
    }
    return new_ids[network_.outputs().front()];
  }

  void decode(ValueId features, ValueId picture, ValueId statistics) {
    std::vector<ValueId> inputs = {features};
    inputs.insert(inputs.end(), encoded_.begin() + 1, encoded_.end());
    const Decode op{kind_.colors, 1, ShuffleMode::crd, kind_.factor, options_.filter};
    decoded_ = picture;
    add_node("decode", op, std::move(inputs), {picture, statistics});
  }

  void resample(ValueId picture) {
    const Extent& input = options_.resize->input;
    const Extent& output = options_.resize->output;
    const ValueId wide = add_value("resampled_x", planes(options_.channels));
    const ValueId high = add_value("resampled_y", planes(options_.channels));
    add_node("resample_x", Resample{Axis::x, input.width_px * kind_.factor, output.width_px}, {decoded_},
             {wide});
    add_node("resample_y", Resample{Axis::y, input.height_px * kind_.factor, output.height_px}, {wide},
             {high});
    add_node("store", Store{}, {high}, {picture});
  }

  const Graph& network_;
  const PictureNetwork& kind_;
  const PictureOptions& options_;
  Graph graph_;
  std::unordered_set<std::string> value_names_;
  std::unordered_set<std::string> node_names_;
  std::vector<ValueId> encoded_;  // planes [, side]
  ValueId decoded_ = 0;
};

Status check_resize(const PictureOptions& options, int factor) {
  if (!options.resize) return {};
  const auto& [input, output] = *options.resize;
  constexpr int kLargest = std::numeric_limits<int>::max();
  if (input.width_px >= 1 && input.height_px >= 1 && output.width_px >= 1 && output.height_px >= 1 &&
      input.width_px <= kLargest / factor && input.height_px <= kLargest / factor) {
    return {};
  }
  return fail(ErrorCode::model,
              fmt::format("a picture of {}x{} cannot be resized to {}x{} behind a x{} network",
                          input.width_px, input.height_px, output.width_px, output.height_px, factor));
}

// A runnable copy; weights are shared.
Result<Graph> simplified(const Graph& graph) {
  Graph copy = graph;
  if (auto status = simplify(copy); !status) return propagate(status);
  if (auto status = verify_runnable(copy); !status) return propagate(status);
  return copy;
}

Result<PictureNetwork> inspect_simplified(const Graph& network) {
  if (auto status = check_ports(network); !status) return propagate(status);
  auto factor = exact_factor(network);
  if (!factor) return propagate(factor);
  const bool luma = network.value(network.inputs().front()).type.channels == 1;
  return PictureNetwork{luma ? NetworkColors::luma : NetworkColors::rgb, *factor};
}

}  // namespace

Result<PictureNetwork> inspect_picture_network(const Graph& network) {
  auto simple = simplified(network);
  if (!simple) return propagate(simple);
  return inspect_simplified(*simple);
}

Result<Graph> attach_picture_ends(const Graph& network, const PictureOptions& options) {
  assert(options.channels >= 1 && options.channels <= 4);
  assert(options.in_dtype == DType::u8 || options.in_dtype == DType::u16);
  assert(options.out_dtype == DType::u8 || options.out_dtype == DType::u16);
  auto simple = simplified(network);
  if (!simple) return propagate(simple);
  auto kind = inspect_simplified(*simple);
  if (!kind) return propagate(kind);
  if (auto status = check_resize(options, kind->factor); !status) return propagate(status);
  Graph graph = EndsBuilder(*simple, *kind, options).build();
  if (auto status = simplify(graph); !status) return propagate(status);
  if (auto status = verify_runnable(graph); !status) return propagate(status);
  return graph;
}

}  // namespace upres::graph
