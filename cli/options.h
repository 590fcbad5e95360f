// Options that several subcommands share: the same name means the same everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "upscale/cache.h"
#include "upscale/precision.h"

namespace upres::cli {

// Where it computes and how: --device --precision --kernel --tile --threads --cache --no-cache.
struct ComputeOptions {
  std::string device = "auto";
  upscale::Precision precision = upscale::Precision::automatic;
  std::string kernel;
  std::optional<int> tile_px;
  int threads = 0;  // 0: as many as there are cores
  std::string cache;
  bool no_cache = false;
};

// --json --quiet --verbose
void add_console_options(CLI::App& app, ConsoleOptions& options);
// --quiet --verbose, for what is text by nature.
void add_text_options(CLI::App& app, ConsoleOptions& options);

// `precision` is what the subcommand uses when nothing is said.
void add_compute_options(CLI::App& app, ComputeOptions& options, upscale::Precision precision);

// An option -m MODEL.
void add_model_option(CLI::App& app, std::string& model, const std::string& meaning);

// The folder for measured results and pipelines: --cache, $UPRES_CACHE, $XDG_CACHE_HOME/upres,
// ~/.cache/upres; none with
// --no-cache or where no home is known.
upscale::Cache cache_of(const ComputeOptions& options);

// Arguments that are no options, such as file names; plain_values() gives them once the command line is
// parsed.
CLI::Option* add_plain_arguments(CLI::App& app, const std::string& name, const std::string& meaning);
std::vector<std::string> plain_values(const CLI::Option* plain_arguments);

// Marks names that CLI11 would take for a list ("[a,b]"), for a subcommand after the first argument or, after
// "--", for an option, and drops "--": names may hold anything. plain_values() undoes it.
std::vector<std::string> with_marked_names(std::vector<std::string> arguments,
                                           const std::vector<std::string>& subcommands = {});

// What parsing left over, in the order given, each with a blank in front.
std::string unexpected_arguments(const CLI::App& app);

// The first "--option=" with nothing behind it, for which CLI11 would take the next argument.
std::optional<std::string> option_without_value(const std::vector<std::string>& arguments);

// Refuses empty values.
CLI::Validator not_empty();

// Options that take no value; everything else that begins with a dash takes one.
bool is_flag(std::string_view argument);

// Puts the subcommand in front: `upres --json models` -> models --json. Where the first argument that is
// neither an option nor an option's value is no subcommand, `upscale` is meant. Calls with options alone
// (--help, --version) stay as they are unless they have others than these.
std::vector<std::string> with_subcommand(std::vector<std::string> arguments,
                                         const std::vector<std::string>& subcommands);

}  // namespace upres::cli
