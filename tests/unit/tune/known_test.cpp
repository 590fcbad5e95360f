#include "tune/known.h"

#include <gtest/gtest.h>

namespace upres::tune {
namespace {

TEST(Known, WhatIsWrittenIsReadAgain) {
  const Known known{{{"group_size_x=32", 1.25}, {"group_size_x=16", 0.5}},
                    {{"group_size_x=8", "it \"hangs\"\n"}}};
  const std::string text = to_json(known);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto read = known_from_json(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->time_ms, known.time_ms);
  EXPECT_EQ(read->rejected, known.rejected);
  for (size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(known_from_json(text.substr(0, size)));
}

TEST(Known, BadTextsAreErrors) {
  for (const char* text :
       {"", "[]", "{}", R"({"time_ms": {}})", R"({"time_ms": [], "rejected": {}})",
        R"({"time_ms": {"a": 0}, "rejected": {}})", R"({"time_ms": {"a": -1}, "rejected": {}})",
        R"({"time_ms": {"a": "1"}, "rejected": {}})", R"({"time_ms": {"a": 1e999}, "rejected": {}})",
        R"({"time_ms": {"a": null}, "rejected": {}})", R"({"time_ms": {}, "rejected": {"a": 1}})"}) {
    EXPECT_FALSE(known_from_json(text)) << text;
  }
}

// A record of the cache holds 1 MiB.
TEST(Known, StaysBelowWhatTheCacheHolds) {
  Known known;
  for (int i = 0; i < 20'000; ++i)
    known.rejected["group_size_x=32 group_size_y=4 number=" + std::to_string(i)] = std::string(1000, 'x');
  const std::string text = to_json(known);
  EXPECT_LT(text.size(), 1U << 20U);
  EXPECT_TRUE(known_from_json(text));
}

}  // namespace
}  // namespace upres::tune
