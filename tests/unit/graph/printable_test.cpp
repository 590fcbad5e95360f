#include "graph/printable.h"

#include <gtest/gtest.h>

namespace upres::graph {
namespace {

TEST(Printable, LeavesOrdinaryNamesAlone) {
  EXPECT_EQ(printable("/conv1/Conv_output_0"), "/conv1/Conv_output_0");
  EXPECT_EQ(printable("Größe 超解像 🙂"), "Größe 超解像 🙂");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable(std::string_view("a\0b\x1b[31m\x7f\r\n", 10)), "a\\x00b\\x1b[31m\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "CSI as one character";
  EXPECT_EQ(printable("\\x41"), "\\x5cx41") << "an escape cannot be forged";
}

TEST(Printable, EscapesMalformedUtf8) {
  EXPECT_EQ(printable("\x80"), "\\x80") << "continuation alone";
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong, two bytes";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong, three bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("\xff"), "\\xff");
}

TEST(Printable, CutsLongNames) {
  EXPECT_EQ(printable(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(printable(std::string(81, 'a')), std::string(80, 'a') + "...");
  EXPECT_EQ(printable("ab\n", 4), "ab...") << "an escape is not cut in the middle";
  EXPECT_EQ(printable("aé", 2), "a...") << "nor is a character";
}

}  // namespace
}  // namespace upres::graph
