#include "upscale/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/display_name.h"
#include "embedded_models.h"
#include "graph/passes/passes.h"
#include "graph/verify.h"

namespace upres::upscale {
namespace {

const models::EmbeddedModel* find_embedded(std::string_view name) {
  for (const models::EmbeddedModel& model : models::all()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

std::string embedded_names() {
  std::string names;
  for (const models::EmbeddedModel& model : models::all()) names += fmt::format(" {}", model.name);
  return names.empty() ? " none" : names;
}

Result<onnx::Model> import_named(const std::string& name_or_path) {
  if (const models::EmbeddedModel* embedded = find_embedded(name_or_path)) {
    return onnx::import_model(embedded->onnx, embedded->name);
  }
  std::error_code error;
  if (std::filesystem::exists(name_or_path, error)) return onnx::import_file(name_or_path);
  return fail(ErrorCode::model,
              fmt::format("{}: no such file, nor an embedded model; embedded are:{}",
                          display_name(std::filesystem::path(name_or_path)), embedded_names()));
}

// Simplified and verified.
Result<Model> make_ready(onnx::Model imported, const std::filesystem::path& path) {
  Model model{path.filename().native(), std::move(imported.graph), std::move(imported.inputs),
              std::move(imported.outputs)};
  if (auto simplified = graph::simplify(model.network); !simplified)
    return propagate(simplified, display_name(path));
  if (auto verified = graph::verify_runnable(model.network); !verified)
    return propagate(verified, display_name(path));
  return model;
}

Result<PictureModel> as_picture_model(Model model, const std::filesystem::path& path) {
  auto kind = graph::inspect_picture_network(model.network);
  if (!kind) return propagate(kind, display_name(path));
  return PictureModel{std::move(model), *kind};
}

Result<PictureModel> make_picture_model(Result<onnx::Model> imported, const std::filesystem::path& path) {
  if (!imported) return propagate(imported);
  auto model = make_ready(std::move(*imported), path);
  if (!model) return propagate(model);
  return as_picture_model(std::move(*model), path);
}

Result<EmbeddedModelInfo> inspect_embedded(const models::EmbeddedModel& embedded) {
  const auto opened = open_picture_model(std::string(embedded.name));
  if (!opened) return tl::unexpected(opened.error());
  return EmbeddedModelInfo{opened->model.name, opened->kind.factor,
                           graph::parameter_count(opened->model.network), std::string(embedded.quality)};
}

}  // namespace

Result<Model> open_model(const std::string& name_or_path) {
  auto imported = import_named(name_or_path);
  if (!imported) return propagate(imported);
  return make_ready(std::move(*imported), std::filesystem::path(name_or_path));
}

Result<PictureModel> open_picture_model(const std::string& name_or_path) {
  auto model = open_model(name_or_path);
  if (!model) return propagate(model);
  return as_picture_model(std::move(*model), std::filesystem::path(name_or_path));
}

Result<PictureModel> read_picture_model(std::span<const std::byte> onnx, std::string_view label) {
  return make_picture_model(onnx::import_model(onnx, label), label);
}

Result<PictureModel> read_picture_model(const std::filesystem::path& path) {
  return make_picture_model(onnx::import_file(path), path);
}

Result<std::vector<EmbeddedModelInfo>> list_embedded_models() {
  std::vector<EmbeddedModelInfo> infos;
  for (const models::EmbeddedModel& embedded : models::all()) {
    auto info = inspect_embedded(embedded);
    if (!info) return propagate(info);
    infos.push_back(std::move(*info));
  }
  std::sort(infos.begin(), infos.end(), [](const EmbeddedModelInfo& a, const EmbeddedModelInfo& b) {
    return std::tie(a.factor, a.name) < std::tie(b.factor, b.name);
  });
  return infos;
}

Result<std::optional<EmbeddedModelInfo>> smallest_model_for(int factor) {
  auto infos = list_embedded_models();
  if (!infos) return propagate(infos);
  for (EmbeddedModelInfo& info : *infos) {
    if (info.factor >= factor) return std::optional(std::move(info));
  }
  return std::optional<EmbeddedModelInfo>();
}

}  // namespace upres::upscale
