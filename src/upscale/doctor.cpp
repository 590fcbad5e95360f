#include "upscale/doctor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "devicedb/devicedb.h"
#include "kernels/cases.h"
#include "kernels/kernel.h"

namespace upres::upscale {
namespace {

// Every device and operator is tried at the edges of groups of this size; GPUs at those of the groups that
// each kernel uses there, too.
constexpr kernels::GroupSize kGroup = {16, 16, 1};

// As choose_kernels does it where nothing forbids the database's or the kernel's own values.
kernels::GroupSize group_on(const Device& device, const kernels::Kernel& kernel) {
  const auto known = devicedb::Database::embedded().tuning(device.info(), kernel.id());
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

std::vector<kernels::KernelCase> cases_for(const Device& device) {
  std::vector<kernels::KernelCase> cases = kernels::kernel_cases(kGroup);
  if (device.is_cpu()) return cases;
  for (const kernels::Kernel* kernel : kernels::all_kernels())
    add_cases_of(*kernel, group_on(device, *kernel), cases);
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
  const auto known = std::find_if(checks.begin(), checks.end(),
                                  [&](const KernelCheck& check) { return check.kernel == kernel; });
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

// The devices on which a case is run: with each convolution kernel forced in turn, because a plan takes only
// the one that it likes best.
std::vector<Device> devices_for(const Device& device, const kernels::KernelCase& test) {
  const bool has_choice = std::holds_alternative<graph::Conv>(test.node().op) && !device.is_cpu();
  if (!has_choice || !device.options().kernel.empty()) return {device};
  std::vector<Device> devices;
  for (const kernels::Kernel* kernel : kernels::all_kernels())
    if (kernel->computes(test.graph, test.node())) devices.push_back(device.with_kernel(kernel->id()));
  return devices;
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

}  // namespace

Result<std::vector<KernelCheck>> check_kernels(const Device& device, Precision precision,
                                               const std::function<bool()>& cancelled) {
  std::vector<KernelCheck> checks;
  for (kernels::KernelCase& test : cases_for(device)) {
    if (cancelled && cancelled()) return fail(ErrorCode::cancelled, "stopped");
    if (precision == Precision::bf16) {
      // There NaN may reach the pixel to the left (session/cpu/cpu_session.h).
      if (test.with_specials && std::holds_alternative<graph::Conv>(test.node().op)) continue;
      kernels::allow_rounding(test, kernels::kBfloat16Bits);
    }
    for (const Device& each : devices_for(device, test))
      note_outcome(checks, run_case(each, precision, test), precision, test);
  }
  return checks;
}

}  // namespace upres::upscale
