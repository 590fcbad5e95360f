// upres tune: the fastest values of the tunables of every kernel on a device.
#include "tune/search.h"

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "signals.h"
#include "upscale/model.h"
#include "upscale/scale.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres tune                                every convolution of the default model at 1280x720
  upres tune -m my_x3.onnx --size 640x360   another model and size
  upres tune --kernel conv_rows --precision fp16 --budget 60
What is printed is the best that was found beside what was used so far.
)";

struct TuneCommand {
  ConsoleOptions console;
  ComputeOptions compute;
  std::string model = "espcn_x2";
  std::string size = "1280x720";
  int budget_s = 60;
};

Json tuning_object(const std::vector<kernels::Tuning>& tuning) {
  Json object = Json::object();
  for (const kernels::Tuning& tuned : tuning) object[tuned.name] = tuned.value;
  return object;
}

double gflops_of(const tune::Task& task, double time_ms) {
  return static_cast<double>(task.flops()) / time_ms / 1e6;
}

Json measured_object(const tune::Task& task, const tune::Measured& measured) {
  return {{"parameters", tuning_object(measured.tuning)},
          {"time_ms", measured.time_ms},
          {"gflops", gflops_of(task, measured.time_ms)}};
}

void print_result(Console& console, const upscale::Device& device, const tune::Task& task,
                  const tune::SearchResult& result) {
  const devicedb::Family family = devicedb::family_of(device.info());
  Json rejected = Json::array();
  for (const tune::Rejected& each : result.rejected)
    rejected.push_back({{"parameters", tuning_object(each.tuning)}, {"reason", each.reason}});
  console.event("best", {{"device", device.info().name},
                         {"vendor", family.vendor},
                         {"architecture", family.architecture},
                         {"driver", device.info().driver},
                         {"compute_units", nullptr},
                         {"clock_mhz", nullptr},
                         {"kernel", task.kernel->id()},
                         {"shape", tune::to_text(task)},
                         {"precision", task.dtype == DType::f16 ? "fp16" : "fp32"},
                         {"lowered", false},
                         {"best", measured_object(task, result.best)},
                         {"default", measured_object(task, result.standard)},
                         {"rejected", rejected}});
  console.print(fmt::format("{:<14} {:<28} {:>9.4f} ms {:>9.0f} GFLOP/s  {}\n", task.kernel->id(),
                            tune::to_text(task), result.best.time_ms, gflops_of(task, result.best.time_ms),
                            tune::to_text(result.best.tuning)));
  console.print(fmt::format("{:<14} {:<28} {:>9.4f} ms {:>9.0f} GFLOP/s  {}; {} of {} tried, {} rejected\n",
                            "", "  so far", result.standard.time_ms, gflops_of(task, result.standard.time_ms),
                            tune::to_text(result.standard.tuning), result.tried, result.legal,
                            result.rejected.size()));
  for (const tune::Rejected& each : result.rejected)
    console.detail(fmt::format("rejected {}: {}", tune::to_text(each.tuning), each.reason));
}

int tune_all(Console& console, const upscale::Device& device, const std::vector<tune::Task>& tasks,
             int budget_s) {
  tune::SearchOptions options;
  options.budget_s = static_cast<double>(budget_s) / static_cast<double>(tasks.size());
  options.cancelled = is_cancelled;
  const auto database = devicedb::Database::embedded();
  for (const tune::Task& task : tasks) {
    const auto result = tune::search(*device.gpu(), device.info(), database, task, options);
    if (!result) {
      console.print(
          fmt::format("{} {}: {}\n", task.kernel->id(), tune::to_text(task), result.error().message));
      continue;
    }
    print_result(console, device, task, *result);
    if (is_cancelled()) break;
  }
  return kDone;
}

int run_tune(const TuneCommand& command) {
  Console console(command.console);
  const auto size = upscale::parse_size(command.size);
  if (!size) return report_failure(console, size.error().in_context("--size"));
  const auto model = upscale::open_picture_model(command.model);
  if (!model) return report_failure(console, model.error());
  ComputeOptions compute = command.compute;
  compute.kernel.clear();  // here it says what to tune
  const auto device = open_device(compute, console);
  if (!device) return report_failure(console, device.error());
  if (device->gpu() == nullptr)
    return report_failure(console,
                          {ErrorCode::device, "the CPU device has nothing to tune; choose a GPU", {}});
  const auto precision = device->resolve(command.compute.precision, model->model.network);
  if (!precision) return report_failure(console, precision.error());
  const DType dtype = *precision == upscale::Precision::fp16 ? DType::f16 : DType::f32;
  std::vector<std::string> only;
  if (!command.compute.kernel.empty()) only.push_back(command.compute.kernel);
  const auto tasks = tune::make_tasks(model->model.network, *size, dtype, device->info(), only);
  if (!tasks) return report_failure(console, tasks.error());
  if (tasks->empty())
    return report_failure(console,
                          {ErrorCode::usage, "no kernel of that name computes this network here", {}});
  return tune_all(console, *device, *tasks, command.budget_s);
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TuneCommand>();
  Subcommand command(app, "tune", "Find the fastest kernel parameters for the device", kExamples);
  add_model_option(command, options->model, "an ONNX file or an embedded model");
  command.add_text({"--size", "WxH", "size of the input picture", true}, options->size);
  command.add_number({"--budget", "SECONDS", "time to spend, in all", true}, {1, 86'400}, options->budget_s);
  add_compute_options(command, options->compute, upscale::Precision::automatic);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_tune(*options); });
}

}  // namespace upres::cli
