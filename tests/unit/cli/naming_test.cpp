#include "naming.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace upres::cli {
namespace {

namespace fs = std::filesystem;
using image::Format;

// A folder of its own as the working directory.
class NamingTest : public ::testing::Test {
 protected:
  NamingTest() : before_(fs::current_path()) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("upres-naming-" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "there");
    fs::create_directories(folder_ / "scans" / "below.png");
    fs::create_directories(folder_ / "empty");
    fs::create_directories(folder_ / "folder.png");
    for (const char* name :
         {"scans/b.PNG", "scans/a.jpg", "scans/notes.txt", "scans/.hidden.png", "scans/c.gif", "x.png"}) {
      std::ofstream(folder_ / name) << "not looked at";
    }
    fs::current_path(folder_);
  }
  ~NamingTest() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  fs::path before_;
  fs::path folder_;
};

struct Case {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
  std::optional<Format> format;
  std::string suffix;
  std::vector<std::pair<std::string, Format>> expected;  // empty: wrong usage
};

std::vector<std::pair<std::string, Format>> outputs_of(const NamedJobs& named) {
  std::vector<std::pair<std::string, Format>> outputs;
  for (const NamedJob& job : named.jobs) outputs.emplace_back(job.output.native(), job.format);
  return outputs;
}

const std::vector<Case>& rules() {
  static const std::vector<Case> cases = {
      // No -o: beside the input, its own format.
      {{"photo.jpg"}, {}, {}, "_x2", {{"photo_x2.jpg", Format::jpeg}}},
      {{"dir/photo.JPEG"}, {}, {}, "_x2.5", {{"dir/photo_x2.5.JPEG", Format::jpeg}}},
      {{"/a/b.c.png"}, {}, {}, "_1920x1080", {{"/a/b.c_1920x1080.png", Format::png}}},
      {{"a.tif", "b.webp"}, {}, {}, "_x4", {{"a_x4.tif", Format::tiff}, {"b_x4.webp", Format::webp}}},
      {{"photo.jpg"}, {}, Format::webp, "_x2", {{"photo_x2.webp", Format::webp}}},
      {{"photo.jpeg"}, {}, Format::jpeg, "_x2", {{"photo_x2.jpeg", Format::jpeg}}},
      {{"photo.tif"}, {}, Format::tiff, "_x2", {{"photo_x2.tif", Format::tiff}}},
      {{"photo"}, {}, {}, "_x2", {{"photo_x2.png", Format::png}}},
      {{"photo.bmp"}, {}, {}, "_x2", {{"photo_x2.png", Format::png}}},
      {{"a [1] 100%.png"}, {}, {}, "_x2", {{"a [1] 100%_x2.png", Format::png}}},
      {{"a\nb.png"}, {}, {}, "_x2", {{"a\nb_x2.png", Format::png}}},
      {{"\xff\xfe.png"}, {}, {}, "_x2", {{"\xff\xfe_x2.png", Format::png}}},
      {{".png"}, {}, {}, "_x2", {{".png_x2.png", Format::png}}},
      {{"./models"}, {}, {}, "_x2", {{"./models_x2.png", Format::png}}},
      // A folder: it exists, ends in a slash, or stands for several inputs without a picture's extension.
      {{"a.png"}, "there", {}, "_x2", {{"there/a.png", Format::png}}},
      {{"a.png"}, "there/", {}, "_x2", {{"there/a.png", Format::png}}},
      {{"a.png"}, "new/", {}, "_x2", {{"new/a.png", Format::png}}},
      {{"a.png"}, "new//", {}, "_x2", {{"new/a.png", Format::png}}},
      {{"a.png"}, "folder.png", {}, "_x2", {{"folder.png/a.png", Format::png}}},
      {{"a.png", "b.jpg"}, "out", {}, "_x2", {{"out/a.png", Format::png}, {"out/b.jpg", Format::jpeg}}},
      {{"a.png", "b.jpg"},
       "out.v2",
       {},
       "_x2",
       {{"out.v2/a.png", Format::png}, {"out.v2/b.jpg", Format::jpeg}}},
      {{"a.png", "b.jpg"},
       "out",
       Format::webp,
       "_x2",
       {{"out/a.webp", Format::webp}, {"out/b.webp", Format::webp}}},
      {{"a.JPG"}, "out/", Format::jpeg, "_x2", {{"out/a.JPG", Format::jpeg}}},
      {{"scans"}, "out", Format::webp, "_x2", {{"out/a.webp", Format::webp}, {"out/b.webp", Format::webp}}},
      {{"scans/"}, {}, {}, "_x2", {{"scans/a_x2.jpg", Format::jpeg}, {"scans/b_x2.PNG", Format::png}}},
      {{"scans", "x.png"},
       "out",
       {},
       "_x2",
       {{"out/a.jpg", Format::jpeg}, {"out/b.PNG", Format::png}, {"out/x.png", Format::png}}},
      // A file.
      {{"a.jpg"}, "big.png", {}, "_x2", {{"big.png", Format::png}}},
      {{"a.jpg"}, "big.TIFF", {}, "_x2", {{"big.TIFF", Format::tiff}}},
      {{"a.jpg"}, "big.png", Format::png, "_x2", {{"big.png", Format::png}}},
      {{"a.jpg"}, "big", Format::png, "_x2", {{"big", Format::png}}},
      {{"a.jpg"}, "big.data", Format::webp, "_x2", {{"big.data", Format::webp}}},
      {{"a.jpg"}, "big.png", Format::jpeg, "_x2", {}},
      {{"a.jpg"}, "big", {}, "_x2", {}},
      {{"a.jpg"}, "big.xyz", {}, "_x2", {}},
      {{"a.jpg"}, "big.gif", {}, "_x2", {}},
      {{"a.jpg"}, "big.bmp", Format::png, "_x2", {}},
      {{"a.jpg"}, "", {}, "_x2", {}},
      {{"a.png", "b.png"}, "big.png", {}, "_x2", {}},
      {{"a.png", "b.png"}, "big.gif", {}, "_x2", {}},
      {{"scans"}, "big.png", {}, "_x2", {}},
      {{"empty"}, "big.png", {}, "_x2", {}},
      // Pipes.
      {{"-"}, {}, {}, "_x2", {{"-", Format::png}}},
      {{"-"}, "-", Format::jpeg, "_x2", {{"-", Format::jpeg}}},
      {{"a.jpg"}, "-", {}, "_x2", {{"-", Format::png}}},
      {{"-"}, "big.webp", {}, "_x2", {{"big.webp", Format::webp}}},
      {{"-"}, "there", {}, "_x2", {}},
      {{"-", "a.png"}, {}, {}, "_x2", {}},
      {{"-", "a.png"}, "out", {}, "_x2", {}},
      {{"a.png", "b.png"}, "-", {}, "_x2", {}},
      {{"scans"}, "-", {}, "_x2", {}},
      // Several inputs for one file, and none.
      {{"a/x.png", "b/x.png"}, "out", {}, "_x2", {}},
      {{"a.png", "a.png"}, {}, {}, "_x2", {}},
      {{"a.png", "./a.png"}, {}, {}, "_x2", {}},
      {{"a.png", "there/../a.png"}, {}, {}, "_x2", {}},
      {{"a.png", "a.jpg"}, "out", Format::webp, "_x2", {}},
      {{"a.png", "a.jpg"}, "out", {}, "_x2", {{"out/a.png", Format::png}, {"out/a.jpg", Format::jpeg}}},
      {{}, {}, {}, "_x2", {}},
  };
  return cases;
}

TEST_F(NamingTest, TheRulesOfTheContract) {
  for (const Case& rule : rules()) {
    const std::string shown =
        ::testing::PrintToString(rule.inputs) + " -o " + ::testing::PrintToString(rule.output);
    const auto named = name_outputs({rule.inputs, rule.output, rule.suffix, rule.format});
    if (rule.expected.empty()) {
      ASSERT_FALSE(named) << shown;
      EXPECT_EQ(named.error().code, ErrorCode::usage) << shown;
    } else {
      ASSERT_TRUE(named) << shown << ": " << named.error().message;
      EXPECT_EQ(outputs_of(*named), rule.expected) << shown;
    }
  }
}

TEST_F(NamingTest, AnEmptyFolderIsNothingToDo) {
  const auto named = name_outputs({{"empty"}, "out", "_x2", {}});
  ASSERT_TRUE(named);
  EXPECT_TRUE(named->jobs.empty());
}

TEST_F(NamingTest, WhatIsIgnoredIsLogged) {
  std::string infos;
  std::string warnings;
  const Log log([&](LogLevel level, std::string_view text) {
    (level == LogLevel::warning ? warnings : infos) += std::string(text) + "\n";
  });
  ASSERT_TRUE(name_outputs({{"scans"}, {}, "_x2", {}}, log));
  EXPECT_NE(infos.find("scans/notes.txt"), std::string::npos);
  EXPECT_NE(infos.find("scans/below.png"), std::string::npos);
  EXPECT_NE(warnings.find("scans/c.gif"), std::string::npos);
}

TEST_F(NamingTest, TheFolderToBeMade) {
  EXPECT_EQ(name_outputs({{"x.png"}, "new/", "_x2", {}})->output_folder, fs::path("new"));
  EXPECT_EQ(name_outputs({{"x.png"}, "/", "_x2", {}})->output_folder, fs::path("/"));
  EXPECT_FALSE(name_outputs({{"x.png"}, "y.png", "_x2", {}})->output_folder);
}

}  // namespace
}  // namespace upres::cli
