// The subcommands, one file each.
#pragma once

#include "subcommand.h"

namespace upres::cli {

// Each adds its subcommand to `app`; when it is parsed, `action` is set.
void add_upscale(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_models(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_tune_worker(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);

}  // namespace upres::cli
