#include <algorithm>

#include "graph/graph.h"
#include "upscale/api/handles.h"
#include "upscale/api/no_exceptions.h"
#include "upscale/api/request.h"

namespace upres {
namespace {

Result<Model> as_handle(Result<upscale::PictureModel> model) {
  if (!model) return propagate(model);
  const uint64_t parameters = graph::parameter_count(model->model.network);
  return Model(std::make_shared<const Model::Impl>(Model::Impl{std::move(*model), parameters}));
}

Result<Model> open_embedded(std::string_view name) {
  if (auto checked = check_name(name, "the model's name"); !checked) return propagate(checked);
  const auto names = embedded_models();
  if (!names) return tl::unexpected(names.error());
  if (std::ranges::find(*names, name) != names->end())
    return as_handle(upscale::open_picture_model(std::string(name)));
  std::string known;
  for (const std::string& each : *names) known += " " + each;
  return fail(ErrorCode::model, "there is no embedded model " + display_name(name) + "; there are:" + known);
}

}  // namespace

Result<Model> Model::embedded(std::string_view name) {
  return without_exceptions([&] { return open_embedded(name); });
}

Result<Model> Model::from_file(const std::filesystem::path& path) {
  return without_exceptions([&]() -> Result<Model> {
    if (auto checked = check_path(path, "the model's file name"); !checked) return propagate(checked);
    return as_handle(upscale::read_picture_model(path));
  });
}

Result<Model> Model::from_memory(std::span<const std::byte> onnx, std::string_view label) {
  return without_exceptions([&]() -> Result<Model> {
    if (auto checked = check_name(label, "the model's label"); !checked) return propagate(checked);
    return as_handle(upscale::read_picture_model(onnx, label));
  });
}

const std::string& Model::name() const { return impl_->model.model.name; }
int Model::factor() const { return impl_->model.kind.factor; }
uint64_t Model::parameter_count() const { return impl_->parameter_count; }

Result<std::vector<std::string>> embedded_models() {
  return without_exceptions([]() -> Result<std::vector<std::string>> {
    const auto infos = upscale::list_embedded_models();
    if (!infos) return tl::unexpected(infos.error());
    std::vector<std::string> names;
    for (const upscale::EmbeddedModelInfo& info : *infos) names.push_back(info.name);
    return names;
  });
}

}  // namespace upres
