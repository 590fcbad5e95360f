// Models: embedded ones by name, others from ONNX files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/picture.h"
#include "onnx/import.h"

namespace upres::upscale {

struct Model {
  std::string name;      // embedded name, or the file's name without folder
  graph::Graph network;  // simplified and verified
  std::vector<onnx::Port> inputs;
  std::vector<onnx::Port> outputs;
};

// A model that enlarges pictures.
struct PictureModel {
  Model model;
  graph::PictureNetwork kind;
};

// The embedded model of that name, or else the ONNX file of that path (`./NAME` for a file called like an
// embedded model). Errors: model, beginning with the name; a name that is neither lists the embedded ones.
Result<Model> open_model(const std::string& name_or_path);

// The picture model in the bytes of an ONNX file; `label` names it, also in messages. Errors: model.
Result<PictureModel> read_picture_model(std::span<const std::byte> onnx, std::string_view label);
// The same from a file.
Result<PictureModel> read_picture_model(const std::filesystem::path& path);

// open_model, for a network that enlarges pictures. Errors: model, also saying why it is no such network.
Result<PictureModel> open_picture_model(const std::string& name_or_path);

// What `models` lists.
struct EmbeddedModelInfo {
  std::string name;
  int factor = 0;
  uint64_t parameters = 0;
  std::string quality;  // measured quality as a JSON object
};

// By factor, then name. Errors: model.
Result<std::vector<EmbeddedModelInfo>> list_embedded_models();

// The embedded model with the smallest factor that is at least `factor`; nothing when there is none.
Result<std::optional<EmbeddedModelInfo>> smallest_model_for(int factor);

}  // namespace upres::upscale
