#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <string>

#include "devicedb/devicedb.h"
#include "devicedb/embedded_files.h"

namespace upres::devicedb {
namespace {

using ::testing::HasSubstr;

kernels::DeviceInfo device(std::string name, uint32_t vendor_id) {
  kernels::DeviceInfo info;
  info.name = std::move(name);
  info.vendor_id = vendor_id;
  return info;
}

std::string entry(std::string_view kernel, int group_size_x, std::string_view more = "") {
  std::string text = R"({"kernel": ")";
  text.append(kernel).append(R"(", "tuning": {"group_size_x": )").append(std::to_string(group_size_x));
  return text.append(R"(}, "reason": "r", "measured": false)").append(more).append("}");
}

std::string file(std::string_view head, const std::string& entries) {
  std::string text = "{";
  return text.append(head).append(R"("entries": [)").append(entries).append("]}");
}

uint32_t group_size_x(const Database& database, const kernels::DeviceInfo& info,
                      std::string_view kernel = "clip") {
  const auto tuning = database.tuning(info, kernel);
  return tuning.empty() ? 0 : tuning.front().value;
}

Result<Database> parse(const std::vector<std::string>& texts) {
  std::vector<NamedText> files;
  for (const std::string& text : texts) files.push_back({"file.json", text});
  return Database::parse(files);
}

TEST(Database, EmbeddedFilesAreValidAndKnowEveryKernel) {
  const auto database = Database::parse(embedded_files());
  ASSERT_TRUE(database) << database.error().text();
  for (const kernels::Kernel* kernel : kernels::all_kernels()) {
    for (const auto& info :
         {device("nobody's", 0x1234), device("NVIDIA H200", 0x10DE), device("llvmpipe", 0x10005),
          device("Radeon (RADV NAVI31)", 0x1002), device("Radeon (RADV POLARIS10)", 0x1002),
          device("Mali-G610", 0x13B5), device("Adreno (TM) 730", 0x5143), device("Arc(tm) B580", 0x8086),
          device("Apple M2", 0x106B)}) {
      // Those that no first use changes are named where they are not the kernel's own.
      const auto tuning = Database::embedded().tuning(info, kernel->id());
      for (const kernels::Tunable& tunable : kernel->tunables()) {
        const bool is_known = std::ranges::count(tuning, tunable.name, &kernels::Tuning::name) == 1;
        EXPECT_TRUE(is_known || tunable.tuned_by != kernels::TunedBy::search)
            << kernel->id() << " " << tunable.name << " on " << info.name;
      }
    }
  }
}

TEST(Database, TheNearestEntryHolds) {
  const auto database =
      parse({file(R"("vendor": "nvidia", )", entry("clip", 128)),
             file(R"("vendor": "nvidia", "architecture": "hopper", )",
                  entry("clip", 64) + "," + entry("clip", 32, R"(, "device": "NVIDIA H100")")),
             file("", entry("clip", 32) + "," + entry("store", 64))});
  ASSERT_TRUE(database) << database.error().text();
  EXPECT_EQ(group_size_x(*database, device("NVIDIA H100", 0x10DE)), 32U);
  EXPECT_EQ(group_size_x(*database, device("NVIDIA H200", 0x10DE)), 64U);
  EXPECT_EQ(group_size_x(*database, device("Tesla T4", 0x10DE)), 128U);
  EXPECT_EQ(group_size_x(*database, device("Mali-G610", 0x13B5)), 32U);
  EXPECT_EQ(group_size_x(*database, device("NVIDIA H200", 0x10DE), "store"), 64U);
  EXPECT_TRUE(database->tuning(device("NVIDIA H200", 0x10DE), "encode").empty());
  EXPECT_TRUE(database->tuning(device("NVIDIA H200", 0x10DE), "no such kernel").empty());
}

TEST(Database, LaterFilesOverrideEarlierOnes) {
  const auto database = parse({file("", entry("clip", 32)), file("", entry("clip", 64))});
  ASSERT_TRUE(database);
  EXPECT_EQ(group_size_x(*database, device("any", 1)), 64U);
}

TEST(Database, AnEntryForTheShapeHoldsBeforeOneForAny) {
  const auto database = parse(
      {file("", entry("conv_naive", 8) + "," + entry("conv_naive", 64, R"(, "shape": "1->64 5x5 fp32")")),
       file(R"("vendor": "nvidia", )", entry("conv_naive", 32))});
  ASSERT_TRUE(database) << database.error().text();
  const auto of = [&](const kernels::DeviceInfo& info, std::string_view shape) {
    return database->tuning(info, "conv_naive", shape).front().value;
  };
  EXPECT_EQ(of(device("any", 1), "1->64 5x5 fp32"), 64U);
  EXPECT_EQ(of(device("any", 1), "1->64 5x5 fp16"), 8U);
  EXPECT_EQ(of(device("any", 1), ""), 8U);
  EXPECT_EQ(of(device("Tesla T4", 0x10DE), "1->64 5x5 fp32"), 32U);  // nearer, if for any shape
}

struct Bad {
  std::string text;
  std::string message;
};

TEST(Database, WrongFilesAreRefusedByKey) {
  const std::string good = entry("clip", 32);
  const std::vector<Bad> bad = {
      {"", "not valid JSON"},
      {"[]", "not a JSON object"},
      {"{}", "\"entries\" is missing"},
      {file(R"("vendr": "x", )", good), "\"vendr\" is unknown"},
      {file(R"("vendor": 3, )", good), "\"vendor\" must be a string"},
      {file(R"("vendor": "", )", good), "\"vendor\" must not be empty"},
      {file(R"("architecture": "hopper", )", good), "\"architecture\" needs a vendor"},
      {R"({"entries": {}})", "\"entries\" must be an array"},
      {file("", "3"), "\"entries[0]\" must be an object"},
      {file("", good + "," + good), "two entries for kernel clip"},
      {file("", entry("clop", 32)), "\"entries[0].kernel\" names no kernel"},
      {file("", entry("clip", 31)), "\"entries[0].tuning.group_size_x\" has a value that clip does not take"},
      {file("", entry("clip", -1)), "\"entries[0].tuning.group_size_x\" must be a whole number"},
      {file("", R"({"kernel": "clip", "tuning": {"size": 1}, "reason": "r", "measured": true})"),
       "\"entries[0].tuning.size\" is no tunable of clip"},
      {file("", R"({"kernel": "clip", "tuning": [], "reason": "r", "measured": true})"),
       "\"entries[0].tuning\" must be"},
      {file("", R"({"kernel": "clip", "tuning": {}, "reason": "", "measured": true})"),
       "\"entries[0].reason\" must say"},
      {file("", R"({"kernel": "clip", "tuning": {}, "measured": true})"), "\"entries[0].reason\" is missing"},
      {file("", R"({"kernel": "clip", "tuning": {}, "reason": "r", "measured": 1})"),
       "\"entries[0].measured\" must be"},
      {file("", R"({"kernel": "clip", "tuning": {}, "reason": "r", "measured": true, "device": 1})"),
       "\"entries[0].device\" must be a string"},
      {file("", entry("clip", 32, R"(, "kernel": "store")")), "\"kernel\" is given twice"},
      {file("", entry("clip", 32, R"(, "colour": 1)")), "\"entries[0].colour\" is unknown"},
  };
  for (const Bad& each : bad) {
    const auto database = parse({each.text});
    ASSERT_FALSE(database) << each.text;
    EXPECT_EQ(database.error().code, ErrorCode::device);
    EXPECT_THAT(database.error().message, HasSubstr(each.message)) << each.text;
    EXPECT_THAT(database.error().message, HasSubstr("file.json"));
    EXPECT_EQ(database.error().message.find('\n'), std::string::npos);
  }
}

TEST(Database, CutOffFilesAreRefused) {
  for (const NamedText& embedded : embedded_files()) {
    const size_t end = embedded.text.find_last_of('}');
    for (size_t length = 0; length <= end; length += 7) {
      const NamedText cut{embedded.name, embedded.text.substr(0, length)};
      EXPECT_FALSE(Database::parse({&cut, 1})) << length;
    }
  }
}

}  // namespace
}  // namespace upres::devicedb
