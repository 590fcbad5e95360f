#include "base/display_name.h"

#include <gtest/gtest.h>

namespace upres {
namespace {

TEST(DisplayName, LeavesOrdinaryNamesAlone) {
  EXPECT_EQ(display_name("/conv1/Conv_output_0"), "/conv1/Conv_output_0");
  EXPECT_EQ(display_name("Größe 超解像 🙂"), "Größe 超解像 🙂");
  EXPECT_EQ(display_name(""), "");
}

TEST(DisplayName, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(display_name(std::string_view("a\0b\x1b[31m\x7f\r\n", 10)), "a\\x00b\\x1b[31m\\x7f\\r");
  EXPECT_EQ(display_name("\xc2\x9b"), "\\xc2\\x9b") << "CSI as one character";
  EXPECT_EQ(display_name("\\x41"), "\\\\x41") << "an escape cannot be forged";
}

TEST(DisplayName, EscapesMalformedUtf8) {
  EXPECT_EQ(display_name("\x80"), "\\x80") << "continuation alone";
  EXPECT_EQ(display_name("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(display_name("\xc0\xaf"), "\\xc0\\xaf") << "overlong, two bytes";
  EXPECT_EQ(display_name("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong, three bytes";
  EXPECT_EQ(display_name("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(display_name("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(display_name("\xff"), "\\xff");
}

TEST(DisplayName, CutsLongNames) {
  EXPECT_EQ(display_name(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(display_name(std::string(81, 'a')), std::string(80, 'a') + "...");
  EXPECT_EQ(display_name("ab\x01", 4), "ab...") << "an escape is not cut in the middle";
  EXPECT_EQ(display_name("aé", 2), "a...") << "nor is a character";
}

TEST(DisplayName, KeepsFileNamesWhole) {
  const std::string longest(4000, 'a');
  EXPECT_EQ(display_name(std::filesystem::path(longest + "\n\t")), longest + "\\n\\t");
  EXPECT_EQ(display_name(longest, kWholeName), longest);
}

TEST(OneLine, KeepsTheEscapesOfNames) {
  EXPECT_EQ(one_line("cannot read a\\nb.png:\ntwo\xff lines"), "cannot read a\\nb.png:\\ntwo\\xff lines");
}

}  // namespace
}  // namespace upres
