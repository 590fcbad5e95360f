#include "graph/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/display_name.h"
#include "graph/names.h"

namespace upres::graph {
namespace {

// nullopt when all is well, else what is wrong with the node.
using Complaint = std::optional<std::string>;

bool planar_f32(const TensorType& type) { return type.dtype == DType::f32 && type.layout == Layout::planar; }

bool picture(const TensorType& type) {
  return (type.dtype == DType::u8 || type.dtype == DType::u16) && type.layout == Layout::interleaved &&
         type.channels >= 1 && type.channels <= 4;
}

int color_planes(NetworkColors colors) { return colors == NetworkColors::luma ? 1 : 3; }

// One overload an operator. Numbers of inputs and outputs, and ids, have been checked.
class CheckOperator {
 public:
  CheckOperator(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  Complaint operator()(const Conv& conv) const {
    if (auto wrong = channels("input", in(0), conv.in_channels)) return wrong;
    if (auto wrong = shuffled_channels("result", conv.out_channels, conv.shuffle)) return wrong;
    return check_window(conv);
  }

  Complaint operator()(const ConvPair& pair) const {
    if (auto wrong = channels("input", in(0), pair.first.in_channels)) return wrong;
    if (pair.first.shuffle != DepthToSpace{}) return "its first convolution shuffles";
    if (pair.first.out_channels != pair.second.in_channels) return "its convolutions do not fit together";
    if (auto wrong = shuffled_channels("result", pair.second.out_channels, pair.second.shuffle)) return wrong;
    if (auto wrong = check_window(pair.first)) return wrong;
    return check_window(pair.second);
  }

  Complaint operator()(const Clip& clip) const {
    if (std::isnan(clip.min) || std::isnan(clip.max) || clip.min > clip.max) return "its bounds are no range";
    return same_type();
  }

  Complaint operator()(const DepthToSpace& shuffle) const {
    if (shuffle.block < 1) return "the block is smaller than 1";
    const int64_t wanted = int64_t{shuffle.block} * shuffle.block * out(0).channels;
    if (auto wrong = channels("input", in(0), wanted)) return wrong;
    return channels("output", out(0), out(0).channels);
  }

  Complaint operator()(const Identity&) const { return same_type(); }

  Complaint operator()(const Reshape& reshape) const {
    if (reshape.shape.empty()) return "it has no shape";
    return both_planar();
  }

  Complaint operator()(const Transpose& transpose) const {
    std::vector<int> sorted = transpose.permutation;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != static_cast<int>(i)) return "its axes are no permutation";
    }
    return both_planar();
  }

  Complaint operator()(const Encode& encode) const {
    if (!picture(in(0))) return "its input is no picture of 1 to 4 channels of 8 or 16 bits";
    if (auto wrong = channels("planes", out(0), color_planes(encode.colors))) return wrong;
    const int side = side_channels(encode.colors, in(0).channels);
    if ((side > 0) != (node_.outputs.size() == 2))
      return fmt::format("{} side planes go around the network", side);
    return side > 0 ? channels("side planes", out(1), side) : std::nullopt;
  }

  Complaint operator()(const Decode& decode) const {
    if (decode.block < 1 || decode.factor < 1 || decode.factor % decode.block != 0) {
      return fmt::format("block {} does not divide factor {}", decode.block, decode.factor);
    }
    const int64_t features = int64_t{decode.block} * decode.block * color_planes(decode.colors);
    if (auto wrong = channels("features", in(0), features)) return wrong;
    if (!picture(out(0)) && !(planar_f32(out(0)) && out(0).channels >= 1 && out(0).channels <= 4)) {
      return "its output is no picture";
    }
    if (out(1) != TensorType{DType::u32, Layout::flat, 4}) return "its statistics are not 4 u32";
    const int side = side_channels(decode.colors, out(0).channels);
    if ((side > 0) != (node_.inputs.size() == 2))
      return fmt::format("{} side planes go around the network", side);
    return side > 0 ? channels("side planes", in(1), side) : std::nullopt;
  }

  Complaint operator()(const Resample& resample) const {
    if (resample.in_total_px < 1 || resample.out_total_px < 1)
      return "the size of the whole picture is missing";
    if (auto wrong = both_planar()) return wrong;
    return same_type();
  }

  Complaint operator()(const Store&) const {
    if (!picture(out(0))) return "its output is no picture of 1 to 4 channels of 8 or 16 bits";
    return channels("input", in(0), out(0).channels);
  }

 private:
  const TensorType& in(size_t index) const { return graph_.value(node_.inputs[index]).type; }
  const TensorType& out(size_t index) const { return graph_.value(node_.outputs[index]).type; }

  static Complaint channels(std::string_view what, const TensorType& type, int64_t wanted) {
    if (!planar_f32(type)) return fmt::format("its {} must be planar f32", what);
    if (type.channels == wanted && wanted >= 1) return std::nullopt;
    return fmt::format("{} of {} channels where {} are needed", what, type.channels, wanted);
  }

  Complaint same_type() const {
    if (in(0) == out(0)) return std::nullopt;
    return "input and output differ in type";
  }

  Complaint both_planar() const {
    if (planar_f32(in(0)) && planar_f32(out(0))) return std::nullopt;
    return "input and output must be planar f32";
  }

  // out(0) after a pixel shuffle of what has `given` channels.
  Complaint shuffled_channels(std::string_view what, int given, const DepthToSpace& shuffle) const {
    if (shuffle.block == 1) return channels("output", out(0), given);
    if (shuffle.block < 1) return "the block is smaller than 1";
    const int64_t wanted = int64_t{shuffle.block} * shuffle.block * out(0).channels;
    if (given != wanted) return fmt::format("{} of {} channels where {} are needed", what, given, wanted);
    return channels("output", out(0), out(0).channels);
  }

  static Complaint check_window(const Conv& conv) {
    if (conv.kernel_height < 1 || conv.kernel_width < 1) return "the kernel has no size";
    if (conv.in_channels < 1 || conv.out_channels < 1) return "it has no channels";
    const Padding& pad = conv.padding;
    if (std::min({pad.top, pad.left, pad.bottom, pad.right}) < 0) return "padding is negative";
    return check_weights(conv);
  }

  static Complaint check_weights(const Conv& conv) {
    if (!conv.weights || !conv.biases) return "weights or biases are missing";
    if (conv.biases->size() != static_cast<size_t>(conv.out_channels)) {
      return fmt::format("{} biases for {} channels", conv.biases->size(), conv.out_channels);
    }
    // Divided instead of multiplied, so that no product can overflow.
    const size_t per_output = conv.weights->size() / static_cast<size_t>(conv.out_channels);
    const size_t per_input = per_output / static_cast<size_t>(conv.in_channels);
    const size_t per_row = per_input / static_cast<size_t>(conv.kernel_height);
    const auto width = static_cast<size_t>(conv.kernel_width);
    const bool exact = conv.weights->size() % static_cast<size_t>(conv.out_channels) == 0 &&
                       per_output % static_cast<size_t>(conv.in_channels) == 0 &&
                       per_input % static_cast<size_t>(conv.kernel_height) == 0;
    if (exact && per_row == width) return std::nullopt;
    return fmt::format("{} weights do not make {}", conv.weights->size(),
                       fmt::format("{}x{}x{}x{}", conv.out_channels, conv.in_channels, conv.kernel_height,
                                   conv.kernel_width));
  }

  const Graph& graph_;
  const Node& node_;
};

struct Arity {
  size_t min_inputs = 1;
  size_t max_inputs = 1;
  size_t min_outputs = 1;
  size_t max_outputs = 1;
};

Arity arity(const Operator& op) {
  if (std::holds_alternative<Encode>(op)) return {1, 1, 1, 2};
  if (std::holds_alternative<Decode>(op)) return {1, 2, 2, 2};
  return {};
}

// Walks a graph once, remembering which values exist so far.
class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), produced_(graph.values().size(), false) {}

  Status run() {
    if (auto status = check_values(); !status) return status;
    if (auto status = check_inputs(); !status) return status;
    for (const Node& node : graph_.nodes()) {
      if (auto status = check_node(node); !status) return status;
    }
    return check_outputs();
  }

 private:
  bool known(ValueId id) const { return id < produced_.size(); }
  std::string name_of(ValueId id) const { return display_name(graph_.value(id).name); }

  Status check_values() {
    std::unordered_set<std::string_view> names;
    for (const Value& value : graph_.values()) {
      if (value.name.empty()) return fail(ErrorCode::model, "a tensor has no name");
      if (value.type.channels < 1) {
        return fail(ErrorCode::model, fmt::format("tensor {}: has no channels", display_name(value.name)));
      }
      if (!names.insert(value.name).second) {
        return fail(ErrorCode::model, fmt::format("tensor {}: two have this name", display_name(value.name)));
      }
    }
    return {};
  }

  Status check_inputs() {
    for (const ValueId id : graph_.inputs()) {
      if (!known(id)) return fail(ErrorCode::model, "the graph has an unknown input");
      if (produced_[id]) return fail(ErrorCode::model, fmt::format("input {}: listed twice", name_of(id)));
      produced_[id] = true;
    }
    return {};
  }

  Status check_outputs() const {
    if (graph_.outputs().empty()) return fail(ErrorCode::model, "the graph has no output");
    for (const ValueId id : graph_.outputs()) {
      if (!known(id)) return fail(ErrorCode::model, "the graph has an unknown output");
      if (!produced_[id])
        return fail(ErrorCode::model, fmt::format("output {}: no node makes it", name_of(id)));
    }
    return {};
  }

  Status check_node(const Node& node) {
    if (node.name.empty()) return fail(ErrorCode::model, "a node has no name");
    if (!node_names_.insert(node.name).second) return refuse(node, "two nodes have this name");
    if (auto status = check_ids(node); !status) return status;
    if (const Complaint wrong = std::visit(CheckOperator(graph_, node), node.op)) return refuse(node, *wrong);
    return {};
  }

  Status check_ids(const Node& node) {
    const Arity allowed = arity(node.op);
    if (node.inputs.size() < allowed.min_inputs || node.inputs.size() > allowed.max_inputs ||
        node.outputs.size() < allowed.min_outputs || node.outputs.size() > allowed.max_outputs) {
      return refuse(node, fmt::format("{} inputs and {} outputs", node.inputs.size(), node.outputs.size()));
    }
    for (const ValueId id : node.inputs) {
      if (!known(id)) return refuse(node, "it reads an unknown tensor");
      if (!produced_[id]) return refuse(node, fmt::format("reads {} before it is made", name_of(id)));
    }
    for (const ValueId id : node.outputs) {
      if (!known(id)) return refuse(node, "it writes an unknown tensor");
      if (produced_[id]) return refuse(node, fmt::format("makes {} a second time", name_of(id)));
      produced_[id] = true;
    }
    return {};
  }

  static Status refuse(const Node& node, std::string_view what) {
    return fail(ErrorCode::model, fmt::format("{}: {}", node_label(node), what));
  }

  const Graph& graph_;
  std::vector<bool> produced_;
  std::unordered_set<std::string_view> node_names_;
};

bool is_rearrangement(const Operator& op) {
  return std::holds_alternative<Reshape>(op) || std::holds_alternative<Transpose>(op);
}

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

Status verify_runnable(const Graph& graph) {
  if (auto status = verify(graph); !status) return status;
  for (const Node& node : graph.nodes()) {
    if (!is_rearrangement(node.op)) continue;
    return fail(ErrorCode::model,
                fmt::format("{}: {} runs only as part of a Reshape-Transpose-Reshape pixel shuffle",
                            node_label(node), operator_name(node.op)));
  }
  return {};
}

}  // namespace upres::graph
