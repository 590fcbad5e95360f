#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test_device.h"

namespace {

namespace fs = std::filesystem;
namespace kernels = vkc_test_kernels;
using testing::HasSubstr;
using testing::IsEmpty;

class CacheTest : public vkc_test::DeviceTest {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vkc_device_cache_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    DeviceTest::SetUp();
  }
  void TearDown() override {
    DeviceTest::TearDown();
    fs::remove_all(folder_);
  }

  vkc::Device open() {
    auto opened = vkc::Device::open(physical_device(), {.pipeline_cache_folder = folder_});
    EXPECT_TRUE(opened) << opened.error().text();
    return std::move(opened.value());
  }
  static void use(const vkc::Device& device) {
    const auto made = vkc::Kernel::create(device, kernels::add_one, {}, vkc::KernelGroupSize{8});
    ASSERT_TRUE(made) << made.error().message;
    const auto values = vkc::Buffer::create(device, 32);
    ASSERT_TRUE(values && vkc::upload(device, *values, std::vector<std::uint32_t>(8, 4)));
    auto commands = vkc::Commands::create(device);
    ASSERT_TRUE(commands && made->dispatch(*commands, {}, {{"values", *values}}));
    run(*commands);
    EXPECT_EQ(vkc::download<std::uint32_t>(device, *values).value(), std::vector<std::uint32_t>(8, 5));
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    if (!fs::exists(folder_)) return result;
    for (const auto& entry : fs::directory_iterator(folder_)) result.push_back(entry.path());
    return result;
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_P(CacheTest, IsWrittenAtTheEndAndReadAgain) {
  {
    const vkc::Device device = open();
    use(device);
    EXPECT_THAT(files(), IsEmpty());
  }
  ASSERT_EQ(files().size(), 1U);
  const std::string first = content(files()[0]);
  EXPECT_GT(first.size(), 92U);
  EXPECT_THAT(files()[0].filename().string(), HasSubstr(vkc::to_text(device().properties().uuid)));
  use(open());
  EXPECT_THAT(messages().at_least(vkc::Severity::info), IsEmpty());
  ASSERT_EQ(files().size(), 1U);
}

TEST_P(CacheTest, IsSavedOnRequestOnceAPipelineIsNew) {
  const vkc::Device device = open();
  ASSERT_TRUE(device.save_pipeline_cache());
  EXPECT_THAT(files(), IsEmpty());
  use(device);
  ASSERT_TRUE(device.save_pipeline_cache());
  ASSERT_EQ(files().size(), 1U);
  fs::remove(files()[0]);
  ASSERT_TRUE(device.save_pipeline_cache());
  EXPECT_THAT(files(), IsEmpty());
}

TEST_P(CacheTest, DamageCostsNothingButTime) {
  use(open());
  ASSERT_EQ(files().size(), 1U);
  const fs::path path = files()[0];
  const std::string good = content(path);
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  for (const std::string& bad :
       {flipped, good.substr(0, good.size() / 2), std::string("rubbish"), std::string()}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    messages().clear();
    use(open());
    EXPECT_THAT(messages().at_least(vkc::Severity::info),
                testing::Contains(HasSubstr(path.string() + " is ignored")));
    messages().clear();
    use(open());  // it was replaced
    EXPECT_THAT(messages().at_least(vkc::Severity::info), IsEmpty());
  }
}

TEST_P(CacheTest, AFolderThatCannotBeWrittenIsReported) {
  std::ofstream(folder_) << "a file, not a folder";
  expect_messages();
  {
    const vkc::Device device = open();
    use(device);
    const auto status = device.save_pipeline_cache();
    EXPECT_THAT(vkc_test::error_of(status, vkc::ErrorCode::file), HasSubstr(folder_.string()));
    use(device);
    messages().clear();
  }
  EXPECT_THAT(messages().at_least(vkc::Severity::warning),
              testing::Contains(HasSubstr("cannot make the folder")));
}

TEST_P(CacheTest, NothingIsWrittenWithoutAFolder) {
  use(device());
  EXPECT_TRUE(device().save_pipeline_cache());
  EXPECT_THAT(files(), IsEmpty());
}

VKC_DEVICE_TESTS(CacheTest);

}  // namespace
