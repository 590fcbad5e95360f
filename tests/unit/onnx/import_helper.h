// Importing models made in code.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "graph/passes/passes.h"
#include "graph/text.h"
#include "onnx/import.h"
#include "unit/graph/graph_builder.h"
#include "unit/onnx/model_builder.h"

namespace upres::onnx::testing {

using graph::testing::expect_failure;

inline Result<Model> import_bytes(const std::string& bytes) {
  return import_model(std::as_bytes(std::span(bytes)), "m.onnx");
}
inline Result<Model> import(const ModelBuilder& builder) { return import_bytes(builder.bytes()); }

// The graph's text, or the error's.
inline std::string text_of(const Result<Model>& model) {
  return model ? graph::to_text(model->graph) : model.error().message;
}
inline std::string simplified_text(Result<Model> model) {
  if (!model) return model.error().message;
  const auto status = graph::simplify(model->graph);
  return status ? graph::to_text(model->graph) : status.error().message;
}

// What the node called `name` does, as text.
inline std::string describe_node(const Result<Model>& model, const std::string& name) {
  if (!model) return model.error().message;
  for (const graph::Node& node : model->graph.nodes()) {
    if (node.name == name) return graph::describe(node.op);
  }
  return "no node " + name;
}

}  // namespace upres::onnx::testing
