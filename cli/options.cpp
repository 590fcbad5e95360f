#include "options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "upscale/threads.h"

namespace upres::cli {
namespace {

constexpr auto kFlags = std::to_array<std::string_view>(
    {"--json", "--quiet", "--verbose", "--overwrite", "--ladder", "--no-cache", "--no-tune", "--all",
     "--tunables", "--plan", "--help", "-h", "--version"});

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string precision_from_option(const std::string& text, upscale::Precision& precision) {
  const auto parsed = upscale::precision_from_text(text);
  if (!parsed) return "'" + text + "' is none of auto, fp32, fp16, bf16";
  precision = *parsed;
  return "";
}

// Comes before what would be misread; no sane name begins with it, and one that does is marked too.
constexpr char kMark = '\x01';

bool is_option(std::string_view argument) { return argument.size() > 1 && argument.front() == '-'; }

// Whether the option's value is the next argument: not in --option=value and -s3.
bool takes_next(std::string_view option) {
  if (is_flag(option)) return false;
  return option.starts_with("--") ? option.find('=') == std::string_view::npos : option.size() == 2;
}

// Indices of the arguments that are neither options nor options' values. After "--" everything is plain.
std::vector<size_t> plain_indices(const std::vector<std::string>& arguments) {
  std::vector<size_t> plain;
  bool all_plain = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (all_plain || !is_option(arguments[i])) {
      plain.push_back(i);
    } else if (arguments[i] == "--") {
      all_plain = true;
    } else if (takes_next(arguments[i])) {
      ++i;
    }
  }
  return plain;
}

bool only_help_or_version(const std::vector<std::string>& arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument == "--version";
  });
}

}  // namespace

void add_console_options(Subcommand& command, ConsoleOptions& options) {
  command.add_flag("--json", options.json, "one JSON object a line on standard output");
  add_text_options(command, options);
}

void add_text_options(Subcommand& command, ConsoleOptions& options) {
  command.add_flag("--quiet", options.quiet, "print errors only");
  command.add_flag("--verbose", options.verbose, "tell more: device, model, kernels, tiles, what is ignored");
}

void add_compute_options(Subcommand& command, ComputeOptions& options, upscale::Precision precision,
                         Tunes tunes) {
  options.precision = precision;
  command.add_text(
      {"--device", "D",
       "auto, cpu, gpu, gpu:N, a UUID, or part of a name: the first GPU of such a name, else the "
       "first device (see upres devices)",
       true},
      options.device);
  command.add_read(
      {"--precision", "P", "auto, fp32, fp16 or bf16 (" + std::string(upscale::name(precision)) + ")"},
      [&options](const std::string& text) { return precision_from_option(text, options.precision); });
  if (tunes == Tunes::no)
    command.add_text({"--kernel", "ID", "use this convolution kernel where it is legal"}, options.kernel);
  command.add_number({"--tile", "N", "tile edge in input pixels (from memory and limits)"},
                     {1, 1'000'000'000}, options.tile_px);
  command.add_number({"--threads", "N", "CPU threads of the process (cores)"}, {1, upscale::kMaxThreads},
                     options.threads);
  command.add_text({"--cache", "DIR", "folder for measured results and compiled pipelines"}, options.cache);
  command.add_flag("--no-cache", options.no_cache, "keep nothing between runs");
  command.exclude("--no-cache", "--cache");
  if (tunes == Tunes::no)
    command.add_flag("--no-tune", options.no_tune,
                     "do not tune for a device that is used for the first time");
}

void add_model_option(Subcommand& command, std::string& model, const std::string& meaning) {
  command.add_text({"-m,--model", "MODEL", meaning}, model);
}

upscale::Cache cache_of(const ComputeOptions& options) {
  if (options.no_cache) return {};
  if (!options.cache.empty()) return upscale::Cache(options.cache);
  if (const std::string folder = environment("UPRES_CACHE"); !folder.empty()) return upscale::Cache(folder);
  if (const std::filesystem::path base = environment("XDG_CACHE_HOME"); base.is_absolute()) {
    return upscale::Cache(base / "upres");
  }
  if (const std::filesystem::path home = environment("HOME"); !home.empty()) {
    return upscale::Cache(home / ".cache" / "upres");
  }
  return {};
}

std::string unmarked(const std::string& argument) {
  return argument.starts_with(kMark) ? argument.substr(1) : argument;
}

std::vector<std::string> with_marked_names(std::vector<std::string> arguments,
                                           const std::vector<std::string>& subcommands) {
  const std::vector<size_t> plain = plain_indices(arguments);
  for (const size_t i : plain) {
    const std::string& name = arguments[i];
    const bool is_like_subcommand =
        i > 0 && std::find(subcommands.begin(), subcommands.end(), name) != subcommands.end();
    if (name.starts_with('[') || name.starts_with(kMark) || is_option(name) || is_like_subcommand)
      arguments[i].insert(0, 1, kMark);
  }
  // Whatever comes after the first "--" is marked where it needs to be.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) arguments.erase(dashes);
  return arguments;
}

std::optional<std::string> option_without_value(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    if (!is_option(argument)) continue;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) return argument;
    if (takes_next(argument)) ++i;
  }
  return std::nullopt;
}

bool is_flag(std::string_view argument) {
  return std::find(kFlags.begin(), kFlags.end(), argument) != kFlags.end();
}

std::vector<std::string> with_subcommand(std::vector<std::string> arguments,
                                         const std::vector<std::string>& subcommands) {
  if (only_help_or_version(arguments)) return arguments;
  const std::vector<size_t> plain = plain_indices(arguments);
  const auto first =
      arguments.begin() + static_cast<std::ptrdiff_t>(plain.empty() ? arguments.size() : plain.front());
  const bool is_after_dashes = first != arguments.begin() && *(first - 1) == "--";
  const bool is_named = first != arguments.end() && !is_after_dashes &&
                        std::find(subcommands.begin(), subcommands.end(), *first) != subcommands.end();
  if (is_named) {
    std::rotate(arguments.begin(), first, first + 1);
  } else {
    arguments.insert(arguments.begin(), "upscale");
  }
  return arguments;
}

}  // namespace upres::cli
