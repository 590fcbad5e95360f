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
#include "tune/report.h"
#include "tune/worker.h"

namespace upres::cli {
namespace {

struct WorkerCommand {
  std::string device = "gpu";
  bool tunables = false;
};

// The answers' descriptor; whatever else the process prints to its standard output goes to standard error.
int take_standard_output() {
  const int answers = ::dup(STDOUT_FILENO);
  if (answers >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return answers;
}

int run_worker(const WorkerCommand& command) {
  Console console({});
  if (command.tunables) {
    console.print(tune::describe_tunables().dump(1) + "\n");
    return kDone;
  }
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
  command.hide();
  command.sets(action, [options] { return run_worker(*options); });
}

}  // namespace upres::cli
