#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "devicedb/devicedb.h"

namespace upres::devicedb {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kShape = "8->8 3x3 fp32";

Record record(std::string device, std::string shape, uint32_t group_size_x) {
  return {std::move(device), "conv_packed", std::move(shape), {{"group_size_x", group_size_x}},
          "because",         true};
}

kernels::DeviceInfo nvidia() {
  kernels::DeviceInfo info;
  info.name = "NVIDIA H200";
  info.vendor_id = 0x10DE;
  return info;
}

uint32_t found(const Database& database) {
  const auto tuning = database.tuning(nvidia(), "conv_packed", kShape);
  return tuning.empty() ? 0 : tuning.front().value;
}

TEST(Records, WhatIsWrittenIsReadAgain) {
  const RecordFile file{
      "nvidia", "hopper", {record("NVIDIA H200", std::string(kShape), 16), record("", "", 8)}};
  const std::string text = write_records(file);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto read = read_records(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->vendor, "nvidia");
  EXPECT_EQ(read->architecture, "hopper");
  ASSERT_EQ(read->records.size(), 2U);
  EXPECT_EQ(read->records[0].device, "NVIDIA H200");
  EXPECT_EQ(read->records[0].shape, kShape);
  EXPECT_EQ(read->records[0].tuning.at(0).value, 16U);
  EXPECT_EQ(read->records[0].reason, "because");
  EXPECT_TRUE(read->records[0].measured);
  EXPECT_EQ(write_records(*read), text);
}

TEST(Records, EveryCutIsAnError) {
  const std::string text = write_records({"", "", {record("", "", 8)}});
  for (size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(read_records(text.substr(0, size))) << size;
}

TEST(Records, NameWhatIsWrong) {
  const std::string good = write_records({"", "", {record("", "", 8)}});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const auto read = read_records(text.replace(at, from.size(), to));
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(with("conv_packed", "conv_nowhere"), HasSubstr("kernel"));
  EXPECT_THAT(with("group_size_x", "group_size_w"), HasSubstr("no tunable of conv_packed"));
  EXPECT_THAT(with(":8}", ":7}"), HasSubstr("does not take"));
  EXPECT_THAT(with(":8}", ":-8}"), HasSubstr("whole number"));
  EXPECT_THAT(with(":8}", ":1e300}"), HasSubstr("whole number"));
  EXPECT_THAT(with("true", "1"), HasSubstr("measured"));
  EXPECT_THAT(with("\"tuning\"", R"("shape":"64x64","tuning")"),
              HasSubstr("\"entries[0].shape\" must be like"));
  EXPECT_EQ(with("\"tuning\"", R"("shape":"64->64 3x3 fp16","tuning")"), "");
}

// However near the lower one is.
TEST(Records, AnUpperLayerHoldsBeforeALowerOne) {
  const Database nearest(std::array{RecordFile{"", "", {record("NVIDIA H200", std::string(kShape), 8)}}});
  const Database farthest(std::array{RecordFile{"", "", {record("", "", 16)}}});
  const Database foreign(std::array{RecordFile{"amd", "", {record("", "", 64)}}});
  EXPECT_EQ(found(nearest), 8U);
  EXPECT_EQ(found(Database::layered(nearest, farthest)), 16U);
  EXPECT_EQ(found(Database::layered(farthest, nearest)), 8U);
  EXPECT_EQ(found(Database::layered(nearest, foreign)), 8U);
  EXPECT_EQ(found(Database::layered(Database::layered(farthest, nearest), farthest)), 16U);
  EXPECT_EQ(found(Database::layered(Database(), Database())), 0U);
}

}  // namespace
}  // namespace upres::devicedb
