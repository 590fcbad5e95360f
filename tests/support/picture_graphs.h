// The networks that travel in the binary, as plans are made of them.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "embedded_models.h"
#include "graph/passes/passes.h"
#include "graph/picture.h"
#include "onnx/import.h"

namespace upres::testing {

struct NamedGraph {
  std::string name;  // "espcn_x2"
  graph::Graph graph;
};

// From pixels to pixels. Errors: model.
inline Result<NamedGraph> picture_graph(const models::EmbeddedModel& model,
                                        const graph::PictureOptions& options = {}) {
  auto imported = onnx::import_model(model.onnx, model.name);
  if (!imported) return propagate(imported);
  if (auto status = graph::simplify(imported->graph); !status) return propagate(status);
  auto graph = graph::attach_picture_ends(imported->graph, options);
  if (!graph) return propagate(graph);
  return NamedGraph{std::string(model.name), std::move(*graph)};
}

// All of them. Errors: model.
inline Result<std::vector<NamedGraph>> picture_graphs() {
  std::vector<NamedGraph> graphs;
  for (const models::EmbeddedModel& model : models::all()) {
    auto graph = picture_graph(model);
    if (!graph) return propagate(graph);
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

}  // namespace upres::testing
