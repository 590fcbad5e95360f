#include "tune/report.h"

#include <string>

#include "devicedb/devicedb.h"
#include "tune/task_json.h"

namespace upres::tune {
namespace {

Json measured_json(const Task& task, const Measured& measured) {
  const bool is_known = measured.time_ms > 0;
  return {{"parameters", is_known ? to_json(measured.parameters) : Json(nullptr)},
          {"time_ms", is_known ? Json(measured.time_ms) : Json(nullptr)},
          {"gflops", is_known ? Json(gflops(task, measured.time_ms)) : Json(nullptr)}};
}

Json rejected_json(const Parameters& parameters, const std::string& reason) {
  return {{"parameters", to_json(parameters)}, {"reason", reason}};
}

Json describe_task(const Task& task) {
  return {{"kernel", task.kernel->id()},
          {"shape", kernels::shape_text(task.node(), task.dtype)},
          {"width", task.extent.width_px},
          {"height", task.extent.height_px},
          {"precision", task.dtype == DType::f16 ? "fp16" : "fp32"},
          {"lowered", false}};
}

}  // namespace

double gflops(const Task& task, double time_ms) { return static_cast<double>(task.flops()) / time_ms / 1e6; }

Json describe_device(const kernels::DeviceInfo& info) {
  const devicedb::Family family = devicedb::family_of(info);
  const Json device = Json::parse(devicedb::device_info_to_json(info, 0, ""));
  return {{"device", info.name},       {"vendor", family.vendor},  {"architecture", family.architecture},
          {"driver", info.driver},     {"compute_units", nullptr}, {"clock_mhz", nullptr},
          {"limits", device["limits"]}};
}

Json describe_result(const Task& task, const SearchResult& result) {
  Json json = describe_task(task);
  json["best"] = measured_json(task, result.best);
  json["default"] = measured_json(task, result.standard);
  json["rejected"] = Json::array();
  for (const Rejected& each : result.rejected)
    json["rejected"].push_back(rejected_json(each.parameters, each.reason));
  return json;
}

Json describe_candidate(const Task& task, const Candidate& candidate) {
  Json json = describe_task(task);
  json["best"] = measured_json(task, candidate.best);
  json["default"] = measured_json(task, candidate.standard);
  json["rejected"] = Json::array();
  if (!candidate.time_ms) json["rejected"].push_back(rejected_json(candidate.parameters, candidate.reason));
  json["parameters"] = to_json(candidate.parameters);
  json["time_ms"] = candidate.time_ms ? Json(*candidate.time_ms) : Json(nullptr);
  json["reason"] = candidate.time_ms ? Json(nullptr) : Json(candidate.reason);
  return json;
}

Json describe_export(const kernels::DeviceInfo& info, std::string_view version,
                     const std::vector<Json>& entries) {
  Json json = {{"format", kExportFormat}, {"version", version}};
  json.update(describe_device(info));
  json["entries"] = entries;
  return json;
}

Json describe_tunables() {
  Json json = Json::object();
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    Json& tunables = json[std::string(kernel->id())] = Json::object();
    for (const kernels::Tunable& tunable : kernel->tunables())
      tunables[std::string(tunable.name)] =
          std::vector<uint32_t>(tunable.values.begin(), tunable.values.end());
  }
  return json;
}

}  // namespace upres::tune
