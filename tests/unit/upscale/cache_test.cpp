#include "upscale/cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "upscale/files.h"

namespace upres::upscale {
namespace {

namespace fs = std::filesystem;

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() : folder_(fs::path(::testing::TempDir()) / ("upres-cache-" + test_name())) {
    fs::remove_all(folder_);
  }
  ~CacheTest() override { fs::remove_all(folder_); }

  static std::string test_name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }

  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }

  void write(const std::string& name, size_t size_bytes, int age_s) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name) << std::string(size_bytes, 'x');
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::seconds(age_s));
  }

  fs::path folder_;
};

TEST_F(CacheTest, KeepsValuesByKey) {
  const Cache cache(folder_ / "made" / "on the way");
  EXPECT_FALSE(cache.get("a"));
  EXPECT_TRUE(cache.put("a", "1"));
  EXPECT_TRUE(cache.put("b", "two words"));
  EXPECT_TRUE(cache.put("a", "3"));
  EXPECT_EQ(Cache(cache.folder()).get("a"), "3");
  EXPECT_EQ(cache.get("b"), "two words");
  EXPECT_FALSE(cache.get("c"));
}

TEST_F(CacheTest, DamageIsAMiss) {
  const Cache cache(folder_);
  ASSERT_TRUE(cache.put("key", "value"));
  const std::string whole = [this] {
    std::ifstream file(only_file());
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(only_file()) << damaged;
    EXPECT_FALSE(cache.get("key")) << i;
    std::ofstream(only_file()) << whole.substr(0, i);
    EXPECT_FALSE(cache.get("key")) << i;
  }
  ASSERT_TRUE(cache.put("key", "again"));
  EXPECT_EQ(cache.get("key"), "again");
}

TEST_F(CacheTest, AnotherKeysRecordIsAMiss) {
  const Cache cache(folder_);
  ASSERT_TRUE(cache.put("key", "value"));
  const fs::path record = only_file();
  ASSERT_TRUE(cache.put("other", "value 2"));
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path() != record) fs::copy_file(entry.path(), record, fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(cache.get("key"));
}

TEST_F(CacheTest, WithoutAFolderNothingHappens) {
  const Cache none;
  EXPECT_FALSE(none.put("a", "1"));
  EXPECT_FALSE(none.get("a"));
  none.trim();
  const Cache impossible("/proc/upres/cache");
  EXPECT_FALSE(impossible.put("a", "1"));
  EXPECT_FALSE(impossible.get("a"));
  impossible.trim();
}

TEST_F(CacheTest, TrimRemovesTheOldestOfOurs) {
  write("old.upres", 100, 300);
  write("middle.pipelines", 100, 200);
  write("new.upres", 100, 100);
  write("somebody.else", 1000, 400);
  const Cache cache(folder_);
  cache.trim(300);
  EXPECT_TRUE(fs::exists(folder_ / "old.upres"));
  cache.trim(299);
  EXPECT_FALSE(fs::exists(folder_ / "old.upres"));
  EXPECT_TRUE(fs::exists(folder_ / "middle.pipelines"));
  cache.trim(100);
  EXPECT_FALSE(fs::exists(folder_ / "middle.pipelines"));
  EXPECT_TRUE(fs::exists(folder_ / "new.upres"));
  EXPECT_TRUE(fs::exists(folder_ / "somebody.else"));
}

TEST_F(CacheTest, FilesAreWrittenWhole) {
  fs::create_directories(folder_);
  const fs::path path = folder_ / std::string(255, 'n');
  const std::string text = "content";
  ASSERT_TRUE(write_file(path, std::as_bytes(std::span(text))));
  ASSERT_TRUE(write_file(path, std::as_bytes(std::span(text))));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  const auto read = read_file(path, 7);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), text.size());
  EXPECT_FALSE(read_file(path, 6));
  EXPECT_FALSE(read_file(folder_, 100));
  EXPECT_FALSE(write_file(folder_ / "missing" / "x", {}));
  EXPECT_FALSE(write_file(folder_, {}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace upres::upscale
