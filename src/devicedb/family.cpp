#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "devicedb/devicedb.h"

namespace upres::devicedb {
namespace {

struct Vendor {
  uint32_t id = 0;
  std::string_view name;
  std::string_view mark;  // in the names of its devices, for descriptions without an id
};

// PCI vendor ids, and those that Khronos gives to vendors without one.
constexpr std::array<Vendor, 10> kVendors = {{{0x10DE, "nvidia", "nvidia"},
                                              {0x1002, "amd", "amd"},
                                              {0x8086, "intel", "intel"},
                                              {0x13B5, "arm", "mali"},
                                              {0x5143, "qualcomm", "adreno"},
                                              {0x106B, "apple", "apple"},
                                              {0x14E4, "broadcom", "v3d"},
                                              {0x1010, "imgtec", "powervr"},
                                              {0x10005, "mesa", "llvmpipe"},
                                              {0x1AE0, "google", "swiftshader"}}};

struct Architecture {
  std::string_view vendor;
  std::string_view name;
  std::string_view marks;  // parts of device names in lower case, separated by |
};

// Devices do not tell their architecture, but their names do. The first row of the vendor with a matching
// mark counts, so that "g710" is looked for before "g71".
constexpr auto kArchitectures = std::to_array<Architecture>({
    {"nvidia", "ada", " ada|rtx 40|l40| l4"},
    {"nvidia", "blackwell", "gb200|b200|b100|rtx 50|rtx pro"},
    {"nvidia", "hopper", "h200|h100|h800|h20"},
    {"nvidia", "ampere", "rtx 30|rtx a|a100|a800|a30|a40|a10|a16| a2"},
    {"nvidia", "turing", "rtx 20|quadro rtx|titan rtx|gtx 16|t1000|t600| t4"},
    {"nvidia", "volta", "v100|titan v"},
    {"nvidia", "pascal", "gtx 10|p100|p40| p4"},
    {"nvidia", "maxwell", "gtx 9|m40|m60"},
    {"amd", "rdna4", "gfx12|navi4|rx 90|r9700"},
    {"amd", "rdna3", "gfx11|navi3|rx 7|phoenix|strix|740m|760m|780m|840m|860m|880m|890m|8060s"},
    {"amd", "rdna2", "gfx103|navi2|rx 6|rembrandt|vangogh|raphael|610m|660m|680m"},
    {"amd", "rdna1", "gfx101|navi1|rx 57|rx 56|rx 55|rx 53"},
    {"amd", "cdna", "gfx94|gfx90a|gfx908|mi300|mi200|mi100"},
    {"amd", "gcn5", "gfx9|vega|raven|renoir"},
    {"amd", "gcn4", "polaris|rx 5|rx 4"},
    {"intel", "xe2", "b580|b570|bmg|lnl|ptl|130v|140v"},
    {"intel", "xe-hpg", "dg2|arc|mtl"},
    {"intel", "gen11", "icl|ehl|jsl|iris(r) plus"},
    {"intel", "xe-lp", "xe|tgl|adl|rpl|uhd graphics 7"},
    {"intel", "gen9", "hd graphics"},
    {"arm", "gen5", "g620|g625|g720|g725|g925"},
    {"arm", "valhall", "g57|g68|g77|g78|g310|g510|g610|g615|g710|g715"},
    {"arm", "bifrost", "g31|g51|g52|g71|g72|g76"},
    {"arm", "midgard", "mali-t"},
    {"qualcomm", "a8xx", "(tm) 8|adreno 8"},
    {"qualcomm", "a7xx", "(tm) 7|adreno 7|x1-45|x1-85"},
    {"qualcomm", "a6xx", "(tm) 6|adreno 6"},
    {"qualcomm", "a5xx", "(tm) 5|adreno 5"},
    {"apple", "m5", "m5"},
    {"apple", "m4", "m4"},
    {"apple", "m3", "m3"},
    {"apple", "m2", "m2"},
    {"apple", "m1", "m1"},
    {"broadcom", "v3d", "v3d"},
    {"imgtec", "rogue", "rogue"},
    {"mesa", "llvmpipe", "llvmpipe"},
    {"google", "swiftshader", "swiftshader"},
});

constexpr std::string_view kUnknown = "unknown";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool has_any_mark(std::string_view name, std::string_view marks) {
  while (!marks.empty()) {
    const size_t end = std::min(marks.find('|'), marks.size());
    if (contains(name, marks.substr(0, end))) return true;
    marks.remove_prefix(std::min(end + 1, marks.size()));
  }
  return false;
}

std::string_view vendor_of(const kernels::DeviceInfo& device, std::string_view name) {
  for (const Vendor& vendor : kVendors) {
    if (device.vendor_id == 0 ? contains(name, vendor.mark) : device.vendor_id == vendor.id)
      return vendor.name;
  }
  return kUnknown;
}

std::string_view architecture_of(std::string_view vendor, std::string_view name) {
  for (const Architecture& row : kArchitectures) {
    if (row.vendor == vendor && has_any_mark(name, row.marks)) return row.name;
  }
  return kUnknown;
}

}  // namespace

Family family_of(const kernels::DeviceInfo& device) {
  const std::string name = lower(device.name);
  const std::string_view vendor = vendor_of(device, name);
  return {std::string(vendor), std::string(architecture_of(vendor, name))};
}

bool is_known(const Family& family) {
  return std::ranges::any_of(kArchitectures, [&](const Architecture& row) {
    return row.vendor == family.vendor && row.name == family.architecture;
  });
}

}  // namespace upres::devicedb
