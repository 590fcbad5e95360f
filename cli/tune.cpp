// upres tune: the fastest values of the tunables of every kernel on a device.
#include "upscale/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/display_name.h"
#include "base/pending_file.h"
#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "files.h"
#include "options.h"
#include "signals.h"
#include "tune/report.h"
#include "tune/worker_runner.h"
#include "upscale/model.h"
#include "upscale/scale.h"
#include "upscale/version.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres tune --device gpu                   every convolution of the default model at 1280x720
  upres tune -m my_x3.onnx --size 640x360   another model and size
  upres tune --kernel conv_rows --kernel conv_register --precision fp16 --budget 60
  upres tune --all --export mine.json       every kernel on usual shapes, into a file to send in
What is printed is the best that was found beside what the device database gives. It is kept in the cache and
used from then on; the same call again goes on where this one ended.
)";

constexpr int kBudget_s = 60;
constexpr int kBudgetOfAll_s = 900;

struct TuneCommand {
  ConsoleOptions console;
  ComputeOptions compute;
  std::string model;
  std::string size = "1280x720";
  std::vector<std::string> kernels;
  std::optional<int> budget_s;
  bool all = false;
  std::string export_file;
  bool overwrite = false;
};

// Before any work, which may take long: the file neither exists nor is the model, and has a folder.
Status check_export(const TuneCommand& command) {
  const std::string& name = command.export_file;
  if (name.empty()) return {};
  std::error_code ignored;
  if (auto folder = check_output_folder(name); !folder) return folder;
  if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) return {};
  if (!command.overwrite) return fail(ErrorCode::input, display_name(name) + " exists (--overwrite)");
  if (std::filesystem::equivalent(name, command.model, ignored))
    return fail(ErrorCode::input, display_name(name) + ": the output would be the model itself");
  return {};
}

// The types in which to tune for a model, or with --all.
Result<std::vector<DType>> dtypes_for(const TuneCommand& command, const upscale::Device& device,
                                      const graph::Graph& network) {
  const auto wanted = command.compute.precision;
  if (command.all && wanted == upscale::Precision::automatic) {
    const bool has_half = device.resolve(upscale::Precision::fp16, {}).has_value();
    return has_half ? std::vector{DType::f32, DType::f16} : std::vector{DType::f32};
  }
  const auto precision = device.resolve(wanted, network);
  if (!precision) return tl::unexpected(precision.error());
  return std::vector{*precision == upscale::Precision::fp16 ? DType::f16 : DType::f32};
}

Result<Extent> size_of(const TuneCommand& command) {
  const auto size = upscale::parse_size(command.size);
  if (size && std::max(size->width_px, size->height_px) <= tune::kMostSide_px) return *size;
  return fail(ErrorCode::usage,
              fmt::format("--size: '{}' is no size such as 1280x720, with sides of 1 to {} pixels",
                          display_name(command.size), tune::kMostSide_px));
}

// What there is to tune.
Result<std::vector<tune::Task>> tasks_of(const TuneCommand& command, const upscale::Device& device) {
  const auto size = size_of(command);
  if (!size) return tl::unexpected(size.error());
  const auto model =
      upscale::open_picture_model(command.model.empty() ? std::string("espcn_x2") : command.model);
  if (!model) return tl::unexpected(model.error());
  const graph::Graph& network = model->model.network;
  const auto dtypes = dtypes_for(command, device, network);
  if (!dtypes) return tl::unexpected(dtypes.error());
  std::vector<tune::Task> tasks;
  for (const DType dtype : *dtypes) {
    auto more = command.all ? tune::standard_tasks(*size, dtype, device.info(), command.kernels)
                            : tune::make_tasks(network, *size, dtype, device.info(), command.kernels);
    if (!more) return propagate(more);
    std::move(more->begin(), more->end(), std::back_inserter(tasks));
  }
  if (tasks.empty()) return fail(ErrorCode::usage, "none of these kernels computes this here");
  return tasks;
}

// "0.1234 ms"
std::string time_text(const tune::Measured& measured) {
  return measured.time_ms > 0 ? fmt::format("{:.4g} ms", measured.time_ms) : "none";
}

class Tune {
 public:
  Tune(const TuneCommand& command, Console& console) : command_(command), console_(console) {}

  int run() {
    if (auto status = tune(); !status) return report_failure(console_, status.error());
    return is_cancelled() ? signal_exit_code() : kDone;
  }

 private:
  Status tune() {
    for (const std::string& kernel : command_.kernels) {
      if (auto checked = upscale::check_kernel(kernel, false); !checked)
        return propagate(checked, "--kernel");
    }
    if (auto checked = check_export(command_); !checked) return checked;
    if (const auto size = size_of(command_); !size) return tl::unexpected(size.error());
    const auto device = open_device(command_.compute, console_);
    if (!device) return tl::unexpected(device.error());
    if (device->gpu() == nullptr)
      return fail(ErrorCode::device, "the CPU device has nothing to tune; choose a GPU");
    const auto tasks = tasks_of(command_, *device);
    if (!tasks) return tl::unexpected(tasks.error());
    announce(console_, "tune", *device, command_.all ? "" : command_.model, std::nullopt);
    const bool is_kept = tell_if_kept(device->options().cache);
    device_ = tune::describe_device(device->info());
    tune::WorkerRunner runner(worker_options(*device));
    auto status = upscale::tune_tasks(*device->tunings(), device->info(), runner, *tasks, options());
    if (!status) return status;
    if (results_ < tasks->size()) {
      console_.note(fmt::format("{} of {} were not reached; {}", tasks->size() - results_, tasks->size(),
                                is_kept ? "the same call again goes on" : "give more time with --budget"));
    }
    device->options().cache.trim();
    return write_export(*device, *tasks);
  }

  // Before any work: what cannot be kept may not be worth the time.
  bool tell_if_kept(const upscale::Cache& cache) {
    if (command_.compute.no_cache) {
      console_.note("what is found is not kept for later runs (--no-cache)");
      return false;
    }
    const auto writable = cache.check_writable();
    if (!writable) console_.note("what is found cannot be kept for later runs: " + writable.error().message);
    return writable.has_value();
  }

  static tune::WorkerOptions worker_options(const upscale::Device& device) {
    tune::WorkerOptions options;
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    options.command = {error ? "upres" : self.native(), "tune-worker", "--device", device.info().uuid};
    options.cancelled = is_cancelled;
    return options;
  }

  upscale::TuneOptions options() {
    upscale::TuneOptions options;
    options.budget_s = command_.budget_s.value_or(command_.all ? kBudgetOfAll_s : kBudget_s);
    options.cancelled = is_cancelled;
    options.on_candidate = [this](const tune::Task& task, const tune::Candidate& candidate,
                                  const upscale::TuneProgress& progress) {
      show_candidate(task, candidate, progress);
    };
    options.on_result = [this](const tune::Task& task, const Result<tune::SearchResult>& result) {
      if (result) {
        show_result(task, *result);
      } else if (result.error().code != ErrorCode::cancelled) {
        console_.note(
            fmt::format("{} {}: {}", task.kernel->id(), tune::to_text(task), result.error().message));
      }
    };
    return options;
  }

  void event(std::string_view name, const Json& fields) {
    Json object = device_;
    object.update(fields);
    console_.event(name, object);
  }

  void show_candidate(const tune::Task& task, const tune::Candidate& candidate,
                      const upscale::TuneProgress& progress) {
    if (console_.json()) event("candidate", tune::describe_candidate(task, candidate));
    if (!candidate.time_ms)
      console_.detail(fmt::format("rejected {}: {}", tune::to_text(candidate.parameters), candidate.reason));
    console_.progress(progress.spent_s / progress.budget_s, progress.budget_s - progress.spent_s,
                      fmt::format("{}/{} {} {}: best {}, default {}", progress.task + 1, progress.tasks,
                                  task.kernel->id(), kernels::shape_text(task.node(), task.dtype),
                                  time_text(candidate.best), time_text(candidate.standard)));
  }

  void show_result(const tune::Task& task, const tune::SearchResult& result) {
    Json fields = tune::describe_result(task, result);
    event("best", fields);
    ++results_;
    if (result.is_decided) decided_[tune::exact_text(task)] = std::move(fields);
    const auto line = [&](std::string_view kernel, const std::string& what, const tune::Measured& measured) {
      if (measured.time_ms == 0)
        return fmt::format("{:<14} {:<28} does not work  {}", kernel, what,
                           tune::to_text(measured.parameters));
      return fmt::format("{:<14} {:<28} {:>9.4f} ms {:>9.0f} GFLOP/s  {}", kernel, what, measured.time_ms,
                         tune::gflops(task, measured.time_ms), tune::to_text(measured.parameters));
    };
    console_.print(line(task.kernel->id(), tune::to_text(task), result.best) + "\n");
    console_.print(line("", "  default", result.standard) +
                   fmt::format("; {} of {} tried now, {} before, {} rejected{}\n", result.tried, result.legal,
                               result.known, result.rejected.size(),
                               result.is_decided ? "" : "; a faster one is not compared yet: not kept"));
  }

  // What holds for a task now: kept by this call or an earlier one; without a cache there is only this one.
  [[nodiscard]] std::optional<Json> entry_of(const upscale::Tunings& tunings, const tune::Task& task) const {
    if (const auto kept = upscale::kept_result(tunings, task)) {
      Json entry = Json::parse(*kept, nullptr, false);
      if (entry.is_object()) return entry;
    }
    const auto now = decided_.find(tune::exact_text(task));
    return now == decided_.end() ? std::nullopt : std::optional(now->second);
  }

  // A call that was stopped writes what there is.
  Status write_export(const upscale::Device& device, std::span<const tune::Task> tasks) const {
    if (command_.export_file.empty()) return {};
    std::vector<Json> entries;
    for (const tune::Task& task : tasks) {
      if (auto entry = entry_of(*device.tunings(), task)) entries.push_back(std::move(*entry));
    }
    const std::string text = tune::describe_export(device.info(), upscale::kVersion, entries)
                                 .dump(1, ' ', false, Json::error_handler_t::replace) +
                             "\n";
    auto file =
        PendingFile::create(command_.export_file, command_.overwrite ? IfExists::replace : IfExists::fail);
    if (!file) return propagate(file);
    if (auto appended = file->append(std::as_bytes(std::span(text))); !appended) return appended;
    return file->commit();
  }

  const TuneCommand& command_;
  Console& console_;
  Json device_;
  size_t results_ = 0;
  std::map<std::string, Json> decided_;  // by exact_text
};

int run_tune(const TuneCommand& command) {
  Console console(command.console);
  return Tune(command, console).run();
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TuneCommand>();
  Subcommand command(app, "tune", "Find the fastest kernel parameters for the device", kExamples);
  add_model_option(command, options->model, "an ONNX file or an embedded model (espcn_x2)");
  command.add_text({"--size", "WxH", "size of the input picture", true}, options->size);
  command.add_list({"--kernel", "ID", "tune this kernel only; may be repeated"}, options->kernels);
  command.add_number({"--budget", "SECONDS", "time to spend, in all (60; with --all 900)"}, {1, 86'400},
                     options->budget_s);
  command.add_flag("--all", options->all, "every kernel on the shapes of usual networks");
  command.add_text({"--export", "FILE", "write what this and earlier calls found, to be sent in"},
                   options->export_file);
  command.add_flag("--overwrite", options->overwrite, "replace FILE if it exists");
  command.exclude("--all", "--model");
  add_compute_options(command, options->compute, upscale::Precision::automatic, Tunes::yes);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_tune(*options); });
}

}  // namespace upres::cli
