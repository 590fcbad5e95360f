#include "session/cpu/program.h"

#include <algorithm>
#include <optional>

#include "session/cpu/narrow.h"
#include "session/cpu/steps.h"
#include "session/cpu/winograd.h"

namespace upres::session::cpu {
namespace {

// Inputs with more channels than this are rounded to bf16 once: three parts of each would cost more than they
// bring.
constexpr int kMaxSplitChannels = 8;

// Makes steps in the order of the nodes, each with a conversion before it where no place has the form that it
// reads.
class ProgramBuilder {
 public:
  ProgramBuilder(const graph::Graph& graph, bool bf16)
      : graph_(graph), bf16_(bf16), native_(graph.values().size()) {}

  Result<Program> build() {
    add_inputs();
    for (const graph::Node& node : graph_.nodes()) {
      if (auto status = add_node(node); !status) return propagate(status);
    }
    add_copies();
    return std::move(program_);
  }

 private:
  // Where the value's producer put it.
  [[nodiscard]] size_t native(graph::ValueId value) const { return *native_[value]; }

  void add_inputs() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const graph::ValueId id = graph_.inputs()[i];
      native_[id] = add_place(id, user_form(id), Place::Kind::job_input, i);
    }
  }

  // How the caller holds the value.
  [[nodiscard]] Port user_form(graph::ValueId id) const {
    const TensorType& type = graph_.value(id).type;
    return {element_of(type.dtype), type.layout == Layout::planar ? Order::planar : Order::channels_last};
  }

  size_t add_place(graph::ValueId id, const Port& form, Place::Kind kind, size_t index) {
    const TensorType& type = graph_.value(id).type;
    program_.places.push_back({.kind = kind,
                               .index = index,
                               .value = id,
                               .channels = type.channels,
                               .form = form,
                               .flat = type.layout == Layout::flat});
    return program_.places.size() - 1;
  }

  // Which output of the graph the value is, first of several.
  [[nodiscard]] std::optional<size_t> output_index(graph::ValueId id) const {
    const auto found = std::ranges::find(graph_.outputs(), id);
    if (found == graph_.outputs().end()) return std::nullopt;
    return static_cast<size_t>(found - graph_.outputs().begin());
  }

  [[nodiscard]] const graph::Node* producer(graph::ValueId id) const {
    for (const graph::Node& node : graph_.nodes()) {
      if (std::ranges::count(node.outputs, id) > 0) return &node;
    }
    return nullptr;
  }
  [[nodiscard]] bool by_winograd(const graph::Node& node) const {
    const auto* conv = std::get_if<graph::Conv>(&node.op);
    return conv != nullptr && winograd_suits(*conv, bf16_);
  }

  // Whether all that read the value are convolutions that read bf16.
  [[nodiscard]] bool wanted_as_bf16(graph::ValueId id) const {
    if (!bf16_ || output_index(id)) return false;
    return std::ranges::all_of(graph_.nodes(), [&](const graph::Node& node) {
      const bool direct = std::holds_alternative<graph::Conv>(node.op) && !by_winograd(node);
      return std::ranges::count(node.inputs, id) == 0 || direct;
    });
  }

  // A convolution that nothing but convolutions that read bf16 read writes that; one that reads anything else
  // splits it into parts, or reads f32 where it feeds Winograd transforms, which round for themselves.
  [[nodiscard]] ConvForm form_of(const graph::Node& node) const {
    const auto& conv = std::get<graph::Conv>(node.op);
    ConvForm form = {
        .method = ConvForm::Method::direct, .bf16 = bf16_, .in = Element::f32, .out = Element::f32};
    if (wanted_as_bf16(node.outputs[0])) form.out = Element::bf16;
    if (by_winograd(node)) {
      form.method = ConvForm::Method::winograd;
      return form;
    }
    const graph::Node* source = producer(node.inputs[0]);
    const bool from_conv = source != nullptr && std::holds_alternative<graph::Conv>(source->op);
    if (bf16_ && !from_conv && conv.in_channels <= kMaxSplitChannels) {
      form.in = form.out == Element::f32 ? Element::f32 : Element::bf16_split;
    } else if (bf16_) {
      form.in = Element::bf16;
    }
    const bool bf16_in = form.in == Element::bf16;
    if (form.out == Element::f32 && form.in != Element::bf16_split && narrow_suits(conv, bf16_in)) {
      form.method = ConvForm::Method::narrow;
      form.bf16 = bf16_in;
    }
    return form;
  }

  Status add_node(const graph::Node& node) {
    const ConvForm form = std::holds_alternative<graph::Conv>(node.op) ? form_of(node) : ConvForm{};
    auto step = make_step(graph_, node, form);
    if (!step) return propagate(step);
    ProgramStep ready = {
        .label = node.name, .step = std::move(*step), .node = &node, .inputs = {}, .outputs = {}};
    const std::vector<Port> inputs = ready.step->inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool reads_callers_memory = std::holds_alternative<graph::Encode>(node.op);
      ready.inputs.push_back(place_for(node.inputs[i], inputs[i], reads_callers_memory));
    }
    const std::vector<Port> outputs = ready.step->outputs();
    for (size_t i = 0; i < outputs.size(); ++i)
      ready.outputs.push_back(add_result(node.outputs[i], outputs[i]));
    program_.steps.push_back(std::move(ready));
    for (const graph::ValueId id : node.outputs) deliver(id);
    return {};
  }

  // A place that holds the value in this form, converting where there is none. The caller's tensors have no
  // slack behind their rows and rows of any stride, so only Encode reads them as they are.
  size_t place_for(graph::ValueId id, const Port& form, bool reads_callers_memory) {
    for (size_t p = 0; p < program_.places.size(); ++p) {
      const Place& place = program_.places[p];
      const bool same_order = place.form.order == form.order || place.channels == 1;
      const bool readable = place.kind == Place::Kind::buffer || reads_callers_memory;
      if (place.value == id && place.form.element == form.element && same_order && readable) return p;
    }
    const size_t place = add_place(id, form, Place::Kind::buffer, 0);
    add_conversion(native(id), place);
    return place;
  }

  // The producer's place for a value: the caller's tensor if it has that form and nobody else reads the
  // value.
  size_t add_result(graph::ValueId id, const Port& form) {
    const std::optional<size_t> output = output_index(id);
    const bool same_order = form.order == user_form(id).order || graph_.value(id).type.channels == 1;
    const bool fits = output && form.element == user_form(id).element && same_order;
    // A convolution writes dense rows; the caller's may have any stride.
    const graph::Node* source = producer(id);
    const bool strided = source == nullptr || !std::holds_alternative<graph::Conv>(source->op);
    const bool read = std::ranges::any_of(
        graph_.nodes(), [id](const graph::Node& node) { return std::ranges::count(node.inputs, id) > 0; });
    const size_t place = fits && strided && !read
                             ? add_place(id, user_form(id), Place::Kind::job_output, *output)
                             : add_place(id, form, Place::Kind::buffer, 0);
    native_[id] = place;
    return place;
  }

  // Brings a finished value to the caller's tensor, unless it is there.
  void deliver(graph::ValueId id) {
    const std::optional<size_t> output = output_index(id);
    if (!output || program_.places[native(id)].kind == Place::Kind::job_output) return;
    const size_t place = add_place(id, user_form(id), Place::Kind::job_output, *output);
    add_conversion(native(id), place);
  }

  void add_conversion(size_t from, size_t to) {
    const Place& source = program_.places[from];
    const Place& target = program_.places[to];
    program_.steps.push_back({.label = "copy of " + graph_.value(source.value).name,
                              .step = make_conversion(source.form, target.form),
                              .node = nullptr,
                              .inputs = {from},
                              .outputs = {to}});
  }

  void add_copies() {
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const graph::ValueId id = graph_.outputs()[i];
      const auto input = std::ranges::find(graph_.inputs(), id);
      const size_t first = *output_index(id);
      if (input != graph_.inputs().end()) {
        program_.copies.push_back({i, true, static_cast<size_t>(input - graph_.inputs().begin())});
      } else if (first != i) {
        program_.copies.push_back({i, false, first});
      }
    }
  }

  const graph::Graph& graph_;
  const bool bf16_;
  std::vector<std::optional<size_t>> native_;  // [value]: place
  Program program_;
};

}  // namespace

Result<std::unique_ptr<Step>> make_step(const graph::Graph& graph, const graph::Node& node,
                                        const ConvForm& form) {
  const graph::Operator& op = node.op;
  const auto* conv = std::get_if<graph::Conv>(&op);
  if (conv != nullptr && conv->shuffle.block == 1) return make_conv_step(graph, node, form);
  if (std::holds_alternative<graph::Clip>(op) || std::holds_alternative<graph::Identity>(op))
    return make_clip_step(node);
  if (std::holds_alternative<graph::DepthToSpace>(op)) return make_shuffle_step(graph, node);
  if (std::holds_alternative<graph::Encode>(op)) return make_encode_step(graph, node);
  if (std::holds_alternative<graph::Decode>(op)) return make_decode_step(graph, node);
  if (std::holds_alternative<graph::Resample>(op)) return make_resample_step(node);
  if (std::holds_alternative<graph::Store>(op)) return make_store_step(graph, node);
  return fail(ErrorCode::model, "node " + node.name + ": operator " + std::string(graph::operator_name(op)) +
                                    " cannot run; it must be fused into another one first");
}

Result<Program> make_program(const graph::Graph& graph, bool bf16) {
  return ProgramBuilder(graph, bf16).build();
}

}  // namespace upres::session::cpu
