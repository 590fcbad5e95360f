// upres doctor: every kernel on the device against its reference.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "options.h"
#include "signals.h"
#include "upscale/doctor.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres doctor                     the device that upscale would use
  upres doctor --device llvmpipe   another one
Exit code 3 if any kernel is wrong.
)";

struct DoctorOptions {
  ConsoleOptions console;
  ComputeOptions compute;
};

void print_check(Console& console, const upscale::Device& device, const upscale::KernelCheck& check) {
  console.event("check", {{"device", device.info().name},
                          {"kernel", check.kernel},
                          {"variant", check.variant},
                          {"ok", check.ok},
                          {"max_error", check.max_error},
                          {"limit", check.limit}});
  console.print(fmt::format("{:<34} {:<8} {:<6} {:>5} {:>12.3g} {:>12.3g}\n", check.kernel, check.variant,
                            check.ok ? "ok" : "WRONG", check.cases, check.max_error, check.limit));
  if (!check.ok) console.error({ErrorCode::device, check.kernel + ": " + check.first_wrong});
}

int run_doctor(const DoctorOptions& options) {
  Console console(options.console);
  const auto device = open_device(options.compute, console);
  if (!device) return report_failure(console, device.error());
  // No network to measure on: `auto` is fp32.
  const auto precision = options.compute.precision == upscale::Precision::automatic
                             ? Result<upscale::Precision>(upscale::Precision::fp32)
                             : device->resolve(options.compute.precision, {});
  if (!precision) return report_failure(console, precision.error());
  announce(console, "doctor", *device, "", *precision);
  console.print(fmt::format("{}\n{:<34} {:<8} {:<6} {:>5} {:>12} {:>12}\n", device->info().name, "kernel",
                            "variant", "", "cases", "max error", "limit"));
  const auto checks = upscale::check_kernels(*device, *precision, is_cancelled);
  if (!checks) return report_failure(console, checks.error());
  for (const upscale::KernelCheck& check : *checks) print_check(console, *device, check);
  device->options().cache.trim();
  const bool all_ok = std::all_of(checks->begin(), checks->end(), [](const auto& check) { return check.ok; });
  console.note(all_ok ? "all kernels are right"
                      : "a kernel is wrong: use --device cpu, and report this device and driver");
  return all_ok ? kDone : kDeviceFailed;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DoctorOptions>();
  Subcommand command(app, "doctor", "Check every kernel on the device against its reference", kExamples);
  add_compute_options(command, options->compute, upscale::Precision::fp32);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_doctor(*options); });
}

}  // namespace upres::cli
