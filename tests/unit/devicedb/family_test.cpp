#include <gtest/gtest.h>

#include "devicedb/devicedb.h"

namespace upres::devicedb {
namespace {

kernels::DeviceInfo device(std::string name, uint32_t vendor_id) {
  kernels::DeviceInfo info;
  info.name = std::move(name);
  info.vendor_id = vendor_id;
  return info;
}

struct Case {
  std::string_view name;
  uint32_t vendor_id;
  std::string_view vendor;
  std::string_view architecture;
};

TEST(Family, KnownDevices) {
  const Case cases[] = {
      {"NVIDIA H200", 0x10DE, "nvidia", "hopper"},
      {"NVIDIA GeForce RTX 4090", 0x10DE, "nvidia", "ada"},
      {"NVIDIA RTX 500 Ada Generation Laptop GPU", 0x10DE, "nvidia", "ada"},
      {"NVIDIA GeForce RTX 5090", 0x10DE, "nvidia", "blackwell"},
      {"NVIDIA GeForce RTX 3060", 0x10DE, "nvidia", "ampere"},
      {"NVIDIA A100-SXM4-80GB", 0x10DE, "nvidia", "ampere"},
      {"NVIDIA GeForce GTX 1080 Ti", 0x10DE, "nvidia", "pascal"},
      {"Tesla T4", 0x10DE, "nvidia", "turing"},
      {"AMD Radeon RX 7900 XTX (RADV NAVI31)", 0x1002, "amd", "rdna3"},
      {"AMD Radeon RX 6800 (RADV NAVI21)", 0x1002, "amd", "rdna2"},
      {"AMD Radeon RX 580 Series (RADV POLARIS10)", 0x1002, "amd", "gcn4"},
      {"AMD Radeon RX 5700 XT (RADV NAVI10)", 0x1002, "amd", "rdna1"},
      {"AMD Radeon Graphics (RADV GFX1201)", 0x1002, "amd", "rdna4"},
      {"AMD Radeon Vega 8 Graphics (RADV RAVEN)", 0x1002, "amd", "gcn5"},
      {"Null hardware (RADV NAVI31)", 0x1002, "amd", "rdna3"},
      {"AMD Radeon 780M Graphics", 0x1002, "amd", "rdna3"},
      {"AMD Radeon 890M (RADV STRIX1)", 0x1002, "amd", "rdna3"},
      {"AMD Custom GPU 0405 (RADV VANGOGH)", 0x1002, "amd", "rdna2"},
      {"Null hardware (RADV VEGA10)", 0x1002, "amd", "gcn5"},
      {"Intel(R) Arc(tm) B580 Graphics (BMG G21)", 0x8086, "intel", "xe2"},
      {"Intel(R) Arc(TM) 140V GPU (16GB)", 0x8086, "intel", "xe2"},
      {"Intel(R) Iris(R) Xe Graphics", 0x8086, "intel", "xe-lp"},
      {"Intel(R) Iris(R) Plus Graphics (ICL GT2)", 0x8086, "intel", "gen11"},
      {"Intel(R) Arc(tm) A770 Graphics (DG2)", 0x8086, "intel", "xe-hpg"},
      {"Intel(R) Xe Graphics (TGL GT2)", 0x8086, "intel", "xe-lp"},
      {"Intel(R) UHD Graphics 630 (CFL GT2)", 0x8086, "intel", "gen9"},
      {"Mali-G610 MC4", 0x13B5, "arm", "valhall"},
      {"Mali-G710", 0x13B5, "arm", "valhall"},
      {"Mali-G71", 0x13B5, "arm", "bifrost"},
      {"Mali-G52 r1 (Panfrost)", 0x13B5, "arm", "bifrost"},
      {"Immortalis-G720", 0x13B5, "arm", "gen5"},
      {"Adreno (TM) 630", 0x5143, "qualcomm", "a6xx"},
      {"Turnip Adreno (TM) 730", 0x5143, "qualcomm", "a7xx"},
      {"Qualcomm(R) Adreno(TM) X1-85 GPU", 0x5143, "qualcomm", "a7xx"},
      {"Apple M2 Pro", 0x106B, "apple", "m2"},
      {"V3D 7.1.7", 0x14E4, "broadcom", "v3d"},
      {"PowerVR Rogue GE8320", 0x1010, "imgtec", "rogue"},
      {"llvmpipe (LLVM 15.0.6, 256 bits)", 0x10005, "mesa", "llvmpipe"},
      {"SwiftShader Device (Subzero)", 0x1AE0, "google", "swiftshader"},
  };
  for (const Case& c : cases) {
    const Family family = family_of(device(std::string(c.name), c.vendor_id));
    EXPECT_EQ(family.vendor, c.vendor) << c.name;
    EXPECT_EQ(family.architecture, c.architecture) << c.name;
    // A description without a vendor id is known by the name, where the name tells the vendor.
    const Family by_name = family_of(device(std::string(c.name), 0));
    EXPECT_TRUE(by_name.vendor == c.vendor || by_name.vendor == "unknown")
        << c.name << ": " << by_name.vendor;
  }
}

TEST(Family, KnowsItsOwnNames) {
  EXPECT_TRUE(is_known({"nvidia", "hopper"}));
  EXPECT_FALSE(is_known({"amd", "hopper"}));
  EXPECT_FALSE(is_known({"nvidia", "default"}));
  EXPECT_FALSE(is_known({"nvidia", ""}));
  EXPECT_FALSE(is_known({"unknown", "unknown"}));
}

TEST(Family, UnknownDevices) {
  EXPECT_EQ(family_of(device("Something else", 0x1234)).vendor, "unknown");
  EXPECT_EQ(family_of(device("Something else", 0x1234)).architecture, "unknown");
  EXPECT_EQ(family_of(device("NVIDIA Next Thing", 0x10DE)).vendor, "nvidia");
  EXPECT_EQ(family_of(device("NVIDIA Next Thing", 0x10DE)).architecture, "unknown");
  EXPECT_EQ(family_of(device("", 0)).vendor, "unknown");
}

}  // namespace
}  // namespace upres::devicedb
