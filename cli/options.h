// Options that several subcommands share: the same name means the same everywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "subcommand.h"
#include "upscale/cache.h"
#include "upscale/precision.h"

namespace upres::cli {

// Where it computes and how: --device --precision --kernel --tile --threads --cache --no-cache --no-tune.
struct ComputeOptions {
  std::string device = "auto";
  upscale::Precision precision = upscale::Precision::automatic;
  std::string kernel;
  std::optional<int> tile_px;
  int threads = 0;  // 0: as many as there are cores
  std::string cache;
  bool no_cache = false;
  bool no_tune = false;
};

// --json --quiet --verbose
void add_console_options(Subcommand& command, ConsoleOptions& options);
// --quiet --verbose, for what is text by nature.
void add_text_options(Subcommand& command, ConsoleOptions& options);

// `precision` is what the subcommand uses when nothing is said. One that tunes adds its own --kernel, which
// may be repeated, and knows no --no-tune.
enum class Tunes { no, yes };
void add_compute_options(Subcommand& command, ComputeOptions& options, upscale::Precision precision,
                         Tunes tunes = Tunes::no);

// An option -m MODEL.
void add_model_option(Subcommand& command, std::string& model, const std::string& meaning);

// The folder for measured results and pipelines: --cache, $UPRES_CACHE, $XDG_CACHE_HOME/upres,
// ~/.cache/upres; none with
// --no-cache or where no home is known.
upscale::Cache cache_of(const ComputeOptions& options);

// Marks names that CLI11 would take for a list ("[a,b]"), for a subcommand after the first argument or, after
// "--", for an option, and drops "--": names may hold anything. unmarked() undoes it.
std::vector<std::string> with_marked_names(std::vector<std::string> arguments,
                                           const std::vector<std::string>& subcommands = {});

std::string unmarked(const std::string& argument);

// The first "--option=" with nothing behind it, for which CLI11 would take the next argument.
std::optional<std::string> option_without_value(const std::vector<std::string>& arguments);

// Options that take no value; everything else that begins with a dash takes one.
bool is_flag(std::string_view argument);

// Puts the subcommand in front: `upres --json models` -> models --json. Where the first argument that is
// neither an option nor an option's value is no subcommand, `upscale` is meant. Calls with options alone
// (--help, --version) stay as they are unless they have others than these.
std::vector<std::string> with_subcommand(std::vector<std::string> arguments,
                                         const std::vector<std::string>& subcommands);

}  // namespace upres::cli
