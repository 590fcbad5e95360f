#include "app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "base/display_name.h"
#include "commands.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "signals.h"
#include "version.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres photo.jpg                  photo_x2.jpg beside it
  upres photo.jpg -s 3 -o big.png  three times the size
  upres upscale --help             everything about the main job
)";

using Add = void (*)(CLI::App&, Action&);

constexpr Add kSubcommands[] = {
#ifdef UPRES_WITH_PICTURES
    add_upscale, add_compare,
#endif
    add_devices, add_doctor,  add_models, add_inspect, add_run, add_bench, add_tune, add_tune_worker};

int wrong_usage(const std::string& message) {
  std::fputs(("upres: " + one_line(message) + "\n").c_str(), stderr);
  return kWrongUsage;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// Parses and runs. Errors of CLI11 leave by exception.
int parse_and_run(CLI::App& app, std::vector<std::string> arguments, Action& action) {
  const std::vector<std::string> names = subcommand_names(app);
  if (const auto option = option_without_value(arguments)) return wrong_usage(*option + " needs a value");
  arguments = with_marked_names(with_subcommand(std::move(arguments), names), names);
  const bool is_built = arguments.empty() || arguments.front() != "upscale" ||
                        std::find(names.begin(), names.end(), "upscale") != names.end();
  if (!is_built)
    return wrong_usage("this build reads no picture files (UPRES_PICTURES=OFF); see upres --help");
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last one first
  app.parse(std::move(arguments));
  return action ? action() : wrong_usage("no inputs; see upres --help");
}

// What parsing left over, in the order given, each with a blank in front.
std::string unexpected_arguments(const CLI::App& app) {
  std::string text;
  for (const std::string& argument : app.remaining(true)) text += " " + unmarked(argument);
  return text;
}

std::string without_subcommand_help(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

int run_app(const std::vector<std::string>& arguments) {
  CLI::App app("Enlarges pictures with convolutional networks, on any Vulkan GPU or on the CPU.", "upres");
  app.footer(std::string(kExamples));
  app.set_version_flag("--version", version_text());
  Action action;
  for (const Add add : kSubcommands) add(app, action);
  try {
    return parse_and_run(app, arguments, action);
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {
    return wrong_usage("not expected here:" + unexpected_arguments(app) + "; see upres --help");
  } catch (const CLI::ParseError& error) {
    return wrong_usage(without_subcommand_help(error.what()) + "; see upres --help");
  }
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  install_signal_handlers();
  try {
    return run_app(arguments);
  } catch (const std::bad_alloc&) {
    std::fputs("upres: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    std::fputs(("upres: " + one_line(error.what()) + "\n").c_str(), stderr);
  }
  return kInputFailed;
}

}  // namespace upres::cli
