// upres tune-worker: the process in which upres tune measures.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "signals.h"
#include "tune/export_check.h"
#include "tune/report.h"
#include "tune/worker.h"
#include "upscale/files.h"

namespace upres::cli {
namespace {

struct WorkerCommand {
  std::string device = "gpu";
  bool tunables = false;
  bool check = false;
};

// The answers' descriptor; whatever else the process prints to its standard output goes to standard error.
int take_standard_output() {
  const int answers = ::dup(STDOUT_FILENO);
  if (answers >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return answers;
}

constexpr uint64_t kMostExportBytes = 64 << 20;

// One object: `refused`, of the export as a whole, and `entries`, of each; a reason or null.
int check_export(Console& console) {
  const auto bytes = upscale::read_descriptor(STDIN_FILENO, "the export", kMostExportBytes, is_cancelled);
  if (!bytes) return report_failure(console, bytes.error());
  const auto checked = tune::check_export({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  Json told = {{"refused", checked ? Json(nullptr) : Json(checked.error().message)},
               {"entries", Json::array()}};
  if (checked) {
    for (const Status& entry : *checked)
      told["entries"].push_back(entry ? Json(nullptr) : Json(entry.error().message));
  }
  console.print(told.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  return kDone;
}

int run_worker(const WorkerCommand& command) {
  Console console({});
  if (command.tunables) {
    console.print(tune::describe_tunables().dump(1) + "\n");
    return kDone;
  }
  if (command.check) return check_export(console);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a parent that is killed cannot end a worker that hangs
  const int answers = take_standard_output();
  ComputeOptions options;
  options.device = command.device;
  options.no_cache = true;  // hundreds of pipelines that nobody will use again
  const auto device = open_device(options, console);
  if (!device) return report_failure(console, device.error());
  if (device->gpu() == nullptr)
    return report_failure(console, {ErrorCode::device, "the CPU has nothing to tune"});
  tune::LocalRunner runner(*device->gpu());
  const auto served = tune::serve(runner, STDIN_FILENO, answers);
  return served ? kDone : report_failure(console, served.error());
}

}  // namespace

void add_tune_worker(CLI::App& app, Action& action) {
  const auto options = std::make_shared<WorkerCommand>();
  Subcommand command(app, "tune-worker", "What upres tune starts to measure in", "");
  command.add_text({"--device", "D", "as everywhere"}, options->device);
  command.add_flag("--tunables", options->tunables,
                   "print every kernel's tunables and their values, and end");
  command.add_flag("--check", options->check, "judge the export on standard input, entry by entry, and end");
  command.hide();
  command.sets(action, [options] { return run_worker(*options); });
}

}  // namespace upres::cli
