#include "upscale/tunings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kKernel = "conv_packed";
constexpr std::string_view kShape = "8->8 3x3 fp32";

class TuningsTest : public ::testing::Test {
 protected:
  TuningsTest()
      : folder_(fs::path(::testing::TempDir()) /
                (std::string("upres-tunings-") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    info_.name = "nobody's GPU";
    info_.vendor_id = 0x1234;
  }
  ~TuningsTest() override { fs::remove_all(folder_); }

  Tunings open(std::string key = "device a") {
    lines_.clear();
    return {Cache(folder_), info_, std::move(key), Log([this](LogLevel level, std::string_view text) {
              if (level == LogLevel::warning) lines_.emplace_back(text);
            })};
  }

  void write_override(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_ / "devices");
    std::ofstream(folder_ / "devices" / name) << text;
  }

  static devicedb::Record record(uint32_t group_size_x, std::string_view shape = kShape) {
    return {"", std::string(kKernel), std::string(shape), {{"group_size_x", group_size_x}}, "r", true};
  }

  static std::string override_text(uint32_t group_size_x) {
    return devicedb::write_records({"", "", {record(group_size_x, "")}});
  }

  uint32_t found(const Tunings& tunings, std::string_view shape = kShape) const {
    const auto tuning = tunings.database()->tuning(info_, kKernel, shape);
    return tuning.empty() ? 0 : tuning.front().value;
  }

  fs::path only_record() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".upres") return entry.path();
    }
    return {};
  }

  fs::path folder_;
  kernels::DeviceInfo info_;
  std::vector<std::string> lines_;
};

TEST_F(TuningsTest, WithoutAnythingTheEmbeddedDatabaseHolds) {
  const auto expected = devicedb::Database::embedded().tuning(info_, kKernel, kShape);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(found(open()), expected.front().value);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(TuningsTest, TunedComesBeforeTheUsersFileAndThatBeforeTheEmbedded) {
  write_override("mine.json", override_text(8));
  Tunings tunings = open();
  EXPECT_EQ(found(tunings), 8U);
  EXPECT_TRUE(tunings.keep(record(64)));
  EXPECT_EQ(found(tunings), 64U);
  EXPECT_EQ(found(tunings, "9->9 3x3 fp32"), 8U);
  EXPECT_EQ(found(open()), 64U);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(TuningsTest, ALaterEntryTakesThePlaceOfAnEarlierOneOfItsShape) {
  Tunings tunings = open();
  EXPECT_TRUE(tunings.keep(record(64)));
  EXPECT_TRUE(tunings.keep(record(16, "9->9 3x3 fp32")));
  EXPECT_TRUE(tunings.keep(record(8)));
  EXPECT_EQ(found(open()), 8U);
  EXPECT_EQ(found(open(), "9->9 3x3 fp32"), 16U);
}

TEST_F(TuningsTest, WhatAnotherProcessAddedStays) {
  Tunings one = open();
  Tunings other = open();
  EXPECT_TRUE(one.keep(record(64)));
  EXPECT_TRUE(other.keep(record(16, "9->9 3x3 fp32")));
  EXPECT_EQ(found(open()), 64U);
  EXPECT_EQ(found(open(), "9->9 3x3 fp32"), 16U);
}

TEST_F(TuningsTest, AnotherDeviceOrDriverSeesNothingOfIt) {
  EXPECT_TRUE(open().keep(record(64)));
  EXPECT_NE(found(open("device b")), 64U);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(TuningsTest, ADamagedRecordIsLeftOutWithOneLineAndReplaced) {
  EXPECT_TRUE(open().keep(record(64)));
  const fs::path path = only_record();
  fs::resize_file(path, fs::file_size(path) / 2);
  Tunings tunings = open();
  EXPECT_NE(found(tunings), 64U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("is left out")));
  EXPECT_TRUE(tunings.keep(record(64)));
  EXPECT_EQ(found(open()), 64U);
  EXPECT_THAT(lines_, IsEmpty());
}

// A whole record with a right hash whose content no kernel of this version takes.
TEST_F(TuningsTest, ARecordOfIllegalValuesIsLeftOutWithOneLine) {
  ASSERT_TRUE(open().put_note(kKernel, "tuned", devicedb::write_records({"", "", {record(7)}})));
  EXPECT_NE(found(open()), 7U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("what was tuned for conv_packed is left out")));
  ASSERT_TRUE(open().put_note(kKernel, "tuned", "[1, 2"));
  (void)open();
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("not valid JSON")));
}

TEST_F(TuningsTest, BadFilesOfTheUserAreLeftOutEachWithOneLine) {
  write_override("a.json", "{");
  write_override("b.json", override_text(7));
  write_override("c.json", override_text(8));
  write_override("d.txt", "not looked at");
  fs::create_directories(folder_ / "devices" / "e.json");
  ASSERT_EQ(::mkfifo((folder_ / "devices" / "f.json").c_str(), 0600), 0);
  std::ofstream(folder_ / "devices" / "g.json") << std::string((1 << 20) + 1, ' ');
  EXPECT_EQ(found(open()), 8U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("a.json is left out: not valid JSON"),
                                  HasSubstr("b.json is left out: key"), HasSubstr("e.json is left out"),
                                  HasSubstr("f.json is left out"), HasSubstr("g.json is left out")));
}

TEST_F(TuningsTest, AFolderThatCannotBeWrittenKeepsItForThisProcess) {
  std::ofstream(folder_) << "a file where the folder should be";
  Tunings tunings = open();
  EXPECT_FALSE(tunings.keep(record(64)));
  EXPECT_EQ(found(tunings), 64U);
  Tunings without(Cache(), info_, "key");
  EXPECT_FALSE(without.keep(record(64)));
  EXPECT_EQ(found(without), 64U);
}

TEST_F(TuningsTest, ThreadsMayReadWhileOneKeeps) {
  Tunings tunings = open();
  std::thread reader([&] {
    for (int i = 0; i < 200; ++i) EXPECT_NE(found(tunings), 0U);
  });
  for (int i = 0; i < 20; ++i) tunings.keep(record(i % 2 == 0 ? 64 : 16));
  reader.join();
  EXPECT_EQ(found(tunings), 16U);
}

TEST(TuningKey, HoldsWhatCouldChangeAMeasurement) {
  kernels::DeviceInfo info;
  vkc::DeviceProperties properties;
  const std::string key = tuning_key(info, properties);
  kernels::DeviceInfo other = info;
  other.limits.memory_budget_bytes += 1;  // changes from run to run
  EXPECT_EQ(tuning_key(other, properties), key);
  other.limits.max_group_invocations += 1;
  EXPECT_NE(tuning_key(other, properties), key);
  other = info;
  other.uuid = "1";
  EXPECT_NE(tuning_key(other, properties), key);
  vkc::DeviceProperties newer = properties;
  newer.driver_version += 1;
  EXPECT_NE(tuning_key(info, newer), key);
  newer = properties;
  newer.driver_uuid[0] = std::remove_cvref_t<decltype(newer.driver_uuid[0])>(1);
  EXPECT_NE(tuning_key(info, newer), key);
}

}  // namespace
}  // namespace upres::upscale
