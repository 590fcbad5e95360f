#include "vkc/pipeline_cache_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using vkc::detail::PipelineCacheKey;
using vkc::detail::read_pipeline_cache;
using vkc::detail::write_pipeline_cache;
using Bytes = std::vector<std::byte>;

const PipelineCacheKey kKey = {0x10DE, 0x2335, 42, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}};

Bytes payload(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return bytes;
}

class PipelineCacheFile : public testing::Test {
 protected:
  PipelineCacheFile() {
    folder_ = fs::temp_directory_path() /
              ("vkc_cache_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  ~PipelineCacheFile() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file() const { return folder_ / vkc::detail::pipeline_cache_file_name(kKey); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(PipelineCacheFile, RoundTrip) {
  ASSERT_TRUE(write_pipeline_cache(folder_ / "made", kKey, payload(1000)));
  const auto read = read_pipeline_cache(folder_ / "made", kKey);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, payload(1000));
}

TEST_F(PipelineCacheFile, WritingLeavesOneFile) {
  for (std::size_t size : {10U, 0U, 5000U}) ASSERT_TRUE(write_pipeline_cache(folder_, kKey, payload(size)));
  EXPECT_EQ(files(), 1U);
  const auto read = read_pipeline_cache(folder_, kKey);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 5000U);
}

TEST_F(PipelineCacheFile, NoFileIsAnEmptyCache) {
  const auto read = read_pipeline_cache(folder_, kKey);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST_F(PipelineCacheFile, EveryCutAndEveryFlippedBitIsNoticed) {
  const Bytes good = vkc::detail::encode_pipeline_cache(kKey, payload(40));
  ASSERT_TRUE(decode_pipeline_cache(kKey, good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_pipeline_cache(kKey, std::span(good).first(size))) << size;
  }
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(decode_pipeline_cache(kKey, bad)) << bit;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_pipeline_cache(kKey, longer));
}

TEST_F(PipelineCacheFile, ForeignKeysAreRefused) {
  const Bytes file = vkc::detail::encode_pipeline_cache(kKey, payload(40));
  std::vector<PipelineCacheKey> others(6, kKey);
  others[0].vendor_id++;
  others[1].device_id++;
  others[2].driver_version++;
  others[3].device_uuid[15] = 1;
  others[4].driver_uuid[0] = 0;
  others[5].pipeline_cache_uuid[7] = 1;
  for (const PipelineCacheKey& other : others) {
    const auto decoded = decode_pipeline_cache(other, file);
    ASSERT_FALSE(decoded);
    EXPECT_THAT(decoded.error().message, HasSubstr("another device"));
  }
}

TEST_F(PipelineCacheFile, DamageIsReportedWithThePath) {
  fs::create_directories(folder_);
  std::ofstream(file()) << "rubbish";
  const auto read = read_pipeline_cache(folder_, kKey);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, vkc::ErrorCode::file);
  EXPECT_THAT(read.error().message, HasSubstr(file().string() + " is ignored: it is cut short"));
}

TEST_F(PipelineCacheFile, AFolderThatCannotBeIsAnError) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "x";
  const auto status = write_pipeline_cache(folder_ / "file" / "below", kKey, payload(1));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, vkc::ErrorCode::file);
  EXPECT_THAT(status.error().message, HasSubstr("cannot make the folder"));
  const auto read = read_pipeline_cache(folder_ / "file" / "below", kKey);
  EXPECT_FALSE(read);
}

TEST_F(PipelineCacheFile, AFolderInPlaceOfTheFileIsAnError) {
  fs::create_directories(file() / "x");
  EXPECT_FALSE(read_pipeline_cache(folder_, kKey));
  const auto status = write_pipeline_cache(folder_, kKey, payload(1));
  ASSERT_FALSE(status);
  EXPECT_EQ(files(), 1U);  // no temporary file is left
}

TEST_F(PipelineCacheFile, ManyWritersAtOnceLeaveAWholeFile) {
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round)
        EXPECT_TRUE(write_pipeline_cache(folder_, kKey, payload(1000 + i)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto read = read_pipeline_cache(folder_, kKey);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GE(read->size(), 1000U);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
