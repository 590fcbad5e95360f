// upres devices: every device, and each one refused, with why.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "console.h"
#include "devicedb/devicedb.h"
#include "exit_code.h"
#include "options.h"
#include "upscale/cpu_device.h"
#include "upscale/devices.h"
#include "upscale/memory.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres devices                      every device with its limits, and why others are refused
  upres devices --json > here.json   one object a line; a GPU's line is what --device-info reads
)";

std::string joined_refusals(const upscale::DeviceEntry& entry) {
  std::string text;
  for (const std::string& refusal : entry.refusals) text += (text.empty() ? "" : "; ") + refusal;
  return text;
}

Json gpu_object(const upscale::DeviceEntry& entry) {
  return Json::parse(devicedb::device_info_to_json(entry.info, entry.index, joined_refusals(entry)));
}

Json cpu_object(const upscale::DeviceEntry& entry) {
  const auto memory_bytes = upscale::available_memory_bytes();
  const std::string refused = joined_refusals(entry);
  return {{"index", entry.index},
          {"kind", "cpu"},
          {"name", entry.info.name},
          {"uuid", nullptr},
          {"type", "cpu"},
          {"driver", entry.info.driver},
          {"limits",
           {{"free_memory_bytes", memory_bytes ? Json(*memory_bytes) : Json(nullptr)},
            {"bf16", upscale::cpu_has_bf16()}}},
          {"refused", refused.empty() ? Json(nullptr) : Json(refused)}};
}

std::string limits_text(const Json& limits) {
  std::string text;
  for (const auto& [name, value] : limits.items()) text += fmt::format("      {} {}\n", name, value.dump());
  return text;
}

void print_entry(Console& console, const upscale::DeviceEntry& entry) {
  const Json object = entry.is_cpu() ? cpu_object(entry) : gpu_object(entry);
  console.event("device", object);
  console.print(upscale::describe(entry) + "\n");
  if (!entry.info.uuid.empty()) console.print("      uuid " + entry.info.uuid + "\n");
  console.print(limits_text(object["limits"]));
}

int run_devices(const ConsoleOptions& options) {
  Console console(options);
  const upscale::DeviceList devices = upscale::list_devices(console.log());
  for (const upscale::DeviceEntry& entry : devices.entries) print_entry(console, entry);
  if (!devices.no_vulkan.empty()) console.note("no GPUs: " + devices.no_vulkan);
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ConsoleOptions>();
  Subcommand command(app, "devices", "List every device with its limits, and why others are refused",
                     kExamples);
  add_console_options(command, *options);
  command.sets(action, [options] { return run_devices(*options); });
}

}  // namespace upres::cli
