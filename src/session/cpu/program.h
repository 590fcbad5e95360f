// A graph made ready for the CPU: places where values lie, and the steps between them in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "session/cpu/step.h"

namespace upres::session::cpu {

// One form of a value: its samples in one order and element type. A value has another place for each form
// that is wanted.
struct Place {
  enum class Kind { job_input, job_output, buffer };
  Kind kind = Kind::buffer;
  size_t index = 0;  // of the job's input or output
  graph::ValueId value = 0;
  int channels = 1;
  Port form;
  bool flat = false;  // a few numbers, written when all rows are done
};

struct ProgramStep {
  std::string label;  // the node's name, or "copy of VALUE"
  std::unique_ptr<Step> step;
  const graph::Node* node = nullptr;  // null for conversions
  std::vector<size_t> inputs;         // places
  std::vector<size_t> outputs;
};

// An output that is one of the inputs, or another output again.
struct OutputCopy {
  size_t output = 0;
  bool from_input = false;
  size_t from = 0;  // index of the input or output
};

struct Program {
  std::vector<Place> places;
  std::vector<ProgramStep> steps;
  std::vector<OutputCopy> copies;
};

// With `bf16`, tensors between convolutions are bf16; a convolution that reads anything else reads it as
// three bf16 parts (bf16_split), which keeps the first layer at single precision. The graph must outlive the
// program. Errors: as make_step.
Result<Program> make_program(const graph::Graph& graph, bool bf16);

}  // namespace upres::session::cpu
