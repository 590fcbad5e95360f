// upres models: the models inside the binary.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "upscale/model.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres models            the embedded models: name, factor, parameters, measured quality
  upres models --json     one object a line
)";

// "set5_psnr_luma_db 37.01, ..."
std::string quality_text(const Json& quality) {
  std::string text;
  for (const auto& [name, value] : quality.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value.dump());
  }
  return text.empty() ? "not measured" : text;
}

int run_models(const ConsoleOptions& options) {
  Console console(options);
  const auto models = upscale::list_embedded_models();
  if (!models) return report_failure(console, models.error());
  for (const upscale::EmbeddedModelInfo& model : *models) {
    const Json quality = Json::parse(model.quality);
    console.event("model", {{"name", model.name},
                            {"factor", model.factor},
                            {"parameters", model.parameters},
                            {"quality", quality}});
    console.print(fmt::format("{:<12} x{}  {} parameters  {}\n", model.name, model.factor, model.parameters,
                              quality_text(quality)));
  }
  if (models->empty()) console.note("this build has no embedded models; give one with -m FILE.onnx");
  return kDone;
}

}  // namespace

void add_models(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ConsoleOptions>();
  Subcommand command(app, "models", "List the embedded models with their measured quality", kExamples);
  add_console_options(command, *options);
  command.sets(action, [options] { return run_models(*options); });
}

}  // namespace upres::cli
