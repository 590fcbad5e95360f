#include "upscale/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/display_name.h"
#include "session/gpu/device_info.h"
#include "upscale/cpu_device.h"

namespace upres::upscale {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string without_hyphens(std::string text) {
  std::erase(text, '-');
  return text;
}

bool looks_like_uuid(std::string_view text) {
  return text.size() == 32 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// Smaller is better.
int rank(const DeviceEntry& entry) {
  constexpr std::string_view kOrder[] = {"discrete", "integrated", "virtual"};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), entry.info.kind) -
                          std::begin(kOrder));
}

using Candidates = std::vector<const DeviceEntry*>;

template <typename Predicate>
Candidates select(const DeviceList& devices, Predicate&& fits) {
  Candidates found;
  for (const DeviceEntry& entry : devices.entries) {
    if (fits(entry)) found.push_back(&entry);
  }
  return found;
}

Candidates real_gpus_best_first(const DeviceList& devices) {
  Candidates found = select(devices, [](const DeviceEntry& entry) { return entry.is_real_gpu(); });
  std::stable_sort(found.begin(), found.end(),
                   [](const DeviceEntry* a, const DeviceEntry* b) { return rank(*a) < rank(*b); });
  return found;
}

Candidates cpus(const DeviceList& devices) {
  return select(devices, [](const DeviceEntry& entry) { return entry.is_cpu(); });
}

// The N-th real GPU; nothing when `number` is none or there are fewer.
Candidates nth_real_gpu(const DeviceList& devices, std::string_view number) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  const Candidates gpus = select(devices, [](const DeviceEntry& entry) { return entry.is_real_gpu(); });
  if (error != std::errc{} || end != number.data() + number.size() || index >= gpus.size()) return {};
  return {gpus[index]};
}

// What the device itself is called: drivers add themselves in parentheses, "llvmpipe (LLVM 15.0.6, 256
// bits)".
std::string plain_name(const DeviceEntry& entry) {
  return lower(std::string_view(entry.info.name).substr(0, entry.info.name.find(" (")));
}

Candidates by_uuid_or_name(const DeviceList& devices, const std::string& wanted) {
  if (const std::string uuid = without_hyphens(wanted); looks_like_uuid(uuid)) {
    return select(devices, [&](const DeviceEntry& entry) { return entry.info.uuid == uuid; });
  }
  Candidates found = select(
      devices, [&](const DeviceEntry& entry) { return plain_name(entry).find(wanted) != std::string::npos; });
  std::stable_partition(found.begin(), found.end(),
                        [](const DeviceEntry* entry) { return entry->is_real_gpu(); });
  return found;
}

// A number is nobody's name, but part of many.
bool is_bare_number(std::string_view text) {
  return !looks_like_uuid(text) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// `wanted` in lower case.
Candidates candidates(const DeviceList& devices, const std::string& wanted) {
  if (is_bare_number(wanted)) return {};
  if (wanted == "cpu") return cpus(devices);
  if (wanted == "gpu") return real_gpus_best_first(devices);
  if (wanted.starts_with("gpu:")) return nth_real_gpu(devices, std::string_view(wanted).substr(4));
  if (wanted != "auto") return by_uuid_or_name(devices, wanted);
  Candidates found = real_gpus_best_first(devices);
  const Candidates last = cpus(devices);
  found.insert(found.end(), last.begin(), last.end());
  return found;
}

std::string why_none(std::string_view selector, bool is_found) {
  const std::string wanted = display_name(selector);
  if (is_found) return fmt::format("what matches \"{}\" cannot be used; there are:", wanted);
  if (selector.empty() || !is_bare_number(selector))
    return fmt::format("no device matches \"{}\"; there are:", wanted);
  return fmt::format(
      "device \"{0}\": a number alone is no name; say gpu:{0} for a GPU by its number (real GPUs, from 0), "
      "or part "
      "of a name; there are:",
      wanted);
}

std::vector<std::string> descriptions(const DeviceList& devices) {
  std::vector<std::string> lines;
  for (const DeviceEntry& entry : devices.entries) lines.push_back(describe(entry));
  if (!devices.no_vulkan.empty()) lines.push_back("no GPUs: " + devices.no_vulkan);
  return lines;
}

DeviceEntry gpu_entry(int index, const vkc::PhysicalDevice& physical) {
  return {index, session::device_info(physical), physical.refusals(), physical};
}

LogLevel level_of(vkc::Severity severity) {
  return severity == vkc::Severity::debug ? LogLevel::debug : LogLevel::info;
}

// Adds Vulkan's devices; gives why there are none.
std::string add_gpus(DeviceList& devices, const Log& log) {
  vkc::InstanceOptions options;
  options.application_name = "upres";
  options.log = [log](vkc::Severity severity, std::string_view text) {
    level_of(severity) == LogLevel::debug ? log.debug(text) : log.info(text);
  };
  const auto instance = vkc::Instance::create(options);
  if (!instance) return instance.error().message;
  const auto found = instance->physical_devices();
  if (!found) return found.error().message;
  for (const vkc::PhysicalDevice& physical : *found) {
    devices.entries.push_back(gpu_entry(static_cast<int>(devices.entries.size()), physical));
  }
  return found->empty() ? "Vulkan's drivers offer none" : "";
}

}  // namespace

bool DeviceEntry::is_real_gpu() const { return rank(*this) < 3; }

DeviceList list_devices(const Log& log) {
  DeviceList devices;
  devices.no_vulkan = add_gpus(devices, log);
  devices.entries.push_back(cpu_entry(static_cast<int>(devices.entries.size())));
  return devices;
}

std::string describe(const DeviceEntry& entry) {
  std::string text = std::to_string(entry.index) + ": " + entry.info.name + " (" + entry.info.kind;
  if (!entry.info.driver.empty()) text += ", " + entry.info.driver;
  text += ")";
  if (entry.info.kind == "software") text += ", used only when named";
  for (const std::string& refusal : entry.refusals) text += "; refused: " + refusal;
  return text;
}

Result<DeviceEntry> choose_device(const DeviceList& devices, std::string_view selector) {
  const Candidates found = candidates(devices, lower(selector));
  for (const DeviceEntry* entry : found) {
    if (entry->refusals.empty()) return *entry;
  }
  return fail(ErrorCode::device, why_none(selector, !found.empty()), descriptions(devices));
}

}  // namespace upres::upscale
