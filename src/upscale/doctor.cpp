#include "upscale/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "devicedb/devicedb.h"
#include "kernels/cases.h"
#include "kernels/kernel.h"
#include "plan/plan.h"
#include "tune/trial.h"

namespace upres::upscale {
namespace {

// Every device and operator is tried at the edges of groups of this size; GPUs at those of the groups that
// each kernel uses there, too.
constexpr kernels::GroupSize kGroup = {16, 16, 1};

// As choose_kernels does it where nothing forbids the database's or the kernel's own values.
kernels::GroupSize group_on(const Device& device, const devicedb::Database& database,
                            const kernels::Kernel& kernel) {
  const auto known = database.tuning(device.info(), kernel.id());
  return kernels::group_size_of(kernels::complete_tuning(kernel, known));
}

// Adds the cases for groups of this kernel that are not there yet.
void add_cases_of(const kernels::Kernel& kernel, const kernels::GroupSize& group,
                  std::vector<kernels::KernelCase>& cases) {
  for (kernels::KernelCase& test : kernels::kernel_cases(group)) {
    const bool is_known = std::ranges::find(cases, test.line, &kernels::KernelCase::line) != cases.end();
    if (!is_known && kernel.computes(test.graph, test.node())) cases.push_back(std::move(test));
  }
}

std::vector<kernels::KernelCase> cases_for(const Device& device, const devicedb::Database& database) {
  std::vector<kernels::KernelCase> cases = kernels::kernel_cases(kGroup);
  if (device.is_cpu()) {
    std::erase_if(cases, [](const auto& test) { return kernels::only_plans_make(test.node().op); });
    return cases;
  }
  for (const kernels::Kernel* kernel : kernels::all_kernels())
    add_cases_of(*kernel, group_on(device, database, *kernel), cases);
  return cases;
}

struct Outcome {
  std::string kernel;
  kernels::Comparison comparison;
};

// The kernel that ran; on the CPU, whose library has many implementations, the operator.
std::string kernel_name(const Device& device, const session::JobReport& report,
                        const kernels::KernelCase& test) {
  const bool is_told = !device.is_cpu() && !report.steps.empty() && !report.steps.front().kernel.empty();
  return is_told ? report.steps.front().kernel : std::string(graph::operator_name(test.node().op));
}

Result<Outcome> run_case(const Device& device, Precision precision, const kernels::KernelCase& test) {
  const auto inputs = kernels::case_inputs(test);
  const auto expected = kernels::case_expected(test, inputs);
  if (!expected) return tl::unexpected(expected.error());
  std::vector<Tensor> actual;
  for (const Tensor& tensor : *expected) actual.emplace_back(tensor.type, tensor.extent);
  session::Job job;
  for (const Tensor& input : inputs) job.inputs.push_back(input.view());
  for (Tensor& output : actual) job.outputs.push_back(output.view());
  job.window = test.window;
  auto session = device.make_session(test.graph, precision);
  if (!session) return propagate(session);
  const auto report = (*session)->run(job);
  if (!report) return tl::unexpected(report.error());
  return Outcome{kernel_name(device, *report, test), kernels::compare_outputs(test, *expected, actual)};
}

KernelCheck& check_of(std::vector<KernelCheck>& checks, const std::string& kernel, Precision precision) {
  const auto known = std::find_if(checks.begin(), checks.end(), [&](const KernelCheck& check) {
    return check.kernel == kernel && check.variant == name(precision);
  });
  if (known != checks.end()) return *known;
  KernelCheck check;
  check.kernel = kernel;
  check.variant = name(precision);
  checks.push_back(std::move(check));
  return checks.back();
}

void note_wrong(KernelCheck& check, const kernels::KernelCase& test, const std::string& why) {
  check.ok = false;
  if (check.first_wrong.empty()) check.first_wrong = test.line + ": " + why;
}

double limit_of(const kernels::Tolerance& tolerance) {
  return std::max(tolerance.absolute, static_cast<double>(tolerance.levels));
}

void note_outcome(std::vector<KernelCheck>& checks, const Result<Outcome>& outcome, Precision precision,
                  const kernels::KernelCase& test) {
  const std::string kernel = outcome ? outcome->kernel : std::string(graph::operator_name(test.node().op));
  KernelCheck& check = check_of(checks, kernel, precision);
  ++check.cases;
  if (!outcome) {
    note_wrong(check, test, outcome.error().message);
    return;
  }
  if (outcome->comparison.largest_difference >= check.max_error) {
    check.max_error = outcome->comparison.largest_difference;
    check.limit = limit_of(test.tolerance);
  }
  if (!outcome->comparison.ok()) note_wrong(check, test, outcome->comparison.mismatch);
}

// Storages besides the one that a kernel likes best are tried in every so many cases: each means another
// module.
constexpr size_t kOtherStorages = 7;

// Compiled kernels: many cases differ in sizes and weights only.
using Trials = std::map<std::string, tune::Trial>;

Result<const tune::Trial*> trial_for(Trials& trials, const Device& device, const tune::Task& task,
                                     std::span<const kernels::Tuning> tuning) {
  const auto complete = kernels::complete_tuning(*task.kernel, tuning);
  const auto choice = task.kernel->choose(task.graph, task.node(), task.selection(complete));
  const kernels::GroupSize& group = choice.group_size;
  const std::string key = fmt::format("{} {} {} {} {}", kernels::module_name(choice),
                                      plan::constants_text(choice), group.x, group.y, group.z);
  if (const auto known = trials.find(key); known != trials.end()) return &known->second;
  auto trial = tune::Trial::create(*device.gpu(), task, complete);
  if (!trial) return propagate(trial);
  return &trials.emplace(key, std::move(*trial)).first->second;
}

Result<Outcome> run_trial(Trials& trials, const Device& device, const kernels::Kernel& kernel,
                          const kernels::Selection& selection, const tune::Reference& reference) {
  const kernels::KernelCase& test = reference.test;
  const tune::Task task{&kernel,         test.graph,      test.extents.front(),
                        selection.dtype, selection.input, selection.output};
  const auto trial = trial_for(trials, device, task, selection.tuning);
  if (!trial) return tl::unexpected(trial.error());
  auto comparison = (*trial)->compare(reference);
  if (!comparison) return propagate(comparison);
  return Outcome{kernels::module_name((*trial)->choice()), std::move(*comparison)};
}

// The database's values, or the kernel's own where those are not legal; empty: neither are.
std::optional<std::vector<kernels::Tuning>> legal_tuning(const Device& device,
                                                         const devicedb::Database& database,
                                                         const kernels::Kernel& kernel,
                                                         const kernels::KernelCase& test,
                                                         kernels::Selection selection) {
  const auto known =
      database.tuning(device.info(), kernel.id(), kernels::shape_text(test.node(), selection.dtype));
  for (const auto& tuning : {known, std::vector<kernels::Tuning>()}) {
    selection.tuning = tuning;
    if (kernel.legal(test.graph, test.node(), device.info(), selection)) return tuning;
  }
  return std::nullopt;
}

// What the convolutions of a device are checked with.
struct ConvolutionChecker {
  const Device& device;
  const devicedb::Database& database;
  std::vector<KernelCheck>& checks;
  Trials trials = {};
  size_t cases = 0;

  // With each kernel that the device can run, in each type that it has. As a graph of one node a convolution
  // would only show the kernel that a plan likes best, between values that lie plainly.
  void check(const kernels::KernelCase& test) {
    tune::Reference plain{test, kernels::case_inputs(test), {}};
    if (auto expected = kernels::case_expected(test, plain.inputs)) plain.expected = std::move(*expected);
    tune::Reference rounded = plain;
    kernels::allow_rounding(rounded.test, kernels::kHalfBits);
    const bool all_storages = cases++ % kOtherStorages == 0;
    const std::string& forced = device.options().kernel;
    for (const kernels::Kernel* kernel : kernels::all_kernels()) {
      if (!kernel->computes(test.graph, test.node()) || (!forced.empty() && forced != kernel->id())) continue;
      check_kernel(*kernel, plain, rounded, all_storages);
    }
  }

 private:
  void check_kernel(const kernels::Kernel& kernel, const tune::Reference& plain,
                    const tune::Reference& rounded, bool all_storages) {
    const kernels::KernelCase& test = plain.test;
    DType last = DType::u8;
    for (kernels::Selection selection : kernels::all_selections(kernel, test.graph, test.node())) {
      const bool is_first = std::exchange(last, selection.dtype) != selection.dtype;
      if (!is_first && !all_storages) continue;
      const auto tuning = legal_tuning(device, database, kernel, test, selection);
      if (!tuning) continue;
      selection.tuning = *tuning;
      const bool is_half = selection.dtype == DType::f16;
      const tune::Reference& reference = is_half ? rounded : plain;
      note_outcome(checks, run_trial(trials, device, kernel, selection, reference),
                   is_half ? Precision::fp16 : Precision::fp32, reference.test);
    }
  }
};

}  // namespace

Result<std::vector<KernelCheck>> check_kernels(const Device& device, Precision precision,
                                               const std::function<bool()>& cancelled) {
  std::vector<KernelCheck> checks;
  const auto database =
      device.is_cpu() ? std::make_shared<const devicedb::Database>() : device.tunings()->database();
  ConvolutionChecker convolutions{device, *database, checks};
  for (kernels::KernelCase& test : cases_for(device, *database)) {
    if (cancelled && cancelled()) return fail(ErrorCode::cancelled, "stopped");
    if (!graph::convolutions(test.node().op).empty() && !device.is_cpu()) {
      convolutions.check(test);
      continue;
    }
    if (precision == Precision::bf16) {
      // There NaN may reach the pixel to the left (session/cpu/cpu_session.h).
      if (test.with_specials && std::holds_alternative<graph::Conv>(test.node().op)) continue;
      kernels::allow_rounding(test, kernels::kBfloat16Bits);
    }
    note_outcome(checks, run_case(device, precision, test), precision, test);
  }
  return checks;
}

}  // namespace upres::upscale
