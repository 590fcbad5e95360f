#include "base/pending_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/files.h"
#include "support/full_disk.h"

namespace upres::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

Status put(const fs::path& path, std::string_view text, IfExists if_exists) {
  Result<PendingFile> file = PendingFile::create(path, if_exists);
  if (!file) return propagate(file);
  if (Status status = file->append(bytes_of(text)); !status) return status;
  return file->commit();
}

TEST(PendingFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    PendingFile file = PendingFile::create(folder / "a.png", IfExists::fail).value();
    EXPECT_TRUE(file.append(bytes_of("hello ")));
    EXPECT_TRUE(file.append(bytes_of("world")));
    EXPECT_FALSE(fs::exists(folder / "a.png"));
    EXPECT_TRUE(fs::exists(file.temporary_path()));
    EXPECT_EQ(file.temporary_path().parent_path(), folder.path());
    EXPECT_LT(file.temporary_path().filename().native().size(), 32U);
    EXPECT_TRUE(file.commit());
  }
  EXPECT_EQ(load(folder / "a.png"), bytes_of("hello world"));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(PendingFile, LeavesNothingWhenDropped) {
  const TemporaryFolder folder;
  {
    PendingFile file = PendingFile::create(folder / "a.png", IfExists::fail).value();
    EXPECT_TRUE(file.append(bytes_of("hello")));
    PendingFile moved = std::move(file);
    PendingFile other = PendingFile::create(folder / "b.png", IfExists::fail).value();
    EXPECT_EQ(folder.file_count(), 2U);
    moved = std::move(other);
    EXPECT_EQ(folder.file_count(), 1U);
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(PendingFile, ExistingFilesAreKeptUnlessAskedFor) {
  const TemporaryFolder folder;
  store(folder / "a.png", bytes_of("old"));
  const Status refused = put(folder / "a.png", "new", IfExists::fail);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a.png exists; "));
  EXPECT_EQ(load(folder / "a.png"), bytes_of("old"));
  EXPECT_EQ(folder.file_count(), 1U);
  EXPECT_TRUE(put(folder / "a.png", "new", IfExists::replace));
  EXPECT_EQ(load(folder / "a.png"), bytes_of("new"));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(PendingFile, AFileMadeInBetweenIsKept) {
  const TemporaryFolder folder;
  PendingFile file = PendingFile::create(folder / "a.png", IfExists::fail).value();
  store(folder / "a.png", bytes_of("theirs"));
  const Status refused = file.commit();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("exists"));
  EXPECT_EQ(load(folder / "a.png"), bytes_of("theirs"));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(PendingFile, ImpossibleTargets) {
  const TemporaryFolder folder;
  store(folder / "file", bytes_of("x"));
  fs::create_directory(folder / "sub");
  const auto error = [](const fs::path& target, IfExists if_exists = IfExists::replace) {
    const auto file = PendingFile::create(target, if_exists);
    EXPECT_FALSE(file) << target;
    return file ? "" : file.error().message;
  };
  EXPECT_THAT(error(folder / "missing" / "a.png"), HasSubstr("there is no folder"));
  EXPECT_THAT(error(folder / "file" / "a.png"), HasSubstr("is not a folder"));
  EXPECT_THAT(error(folder / "sub"), HasSubstr("it is a folder"));
  EXPECT_THAT(error(folder / "sub" / ""), HasSubstr("names a folder"));
  EXPECT_THAT(error("/proc/a.png"), HasSubstr("no file can be made in folder /proc"));
  EXPECT_THAT(error("/dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(error("/dev/null", IfExists::fail), HasSubstr("exists"));
  EXPECT_THAT(error(""), HasSubstr("without a name"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(PendingFile, TooLongNamesFailAtTheEndWithoutTrace) {
  const TemporaryFolder folder;
  const Status refused = put(folder / std::string(256, 'x'), "new", IfExists::fail);
  ASSERT_FALSE(refused);
  EXPECT_EQ(folder.file_count(), 0U);
  EXPECT_TRUE(put(folder / std::string(255, 'x'), "new", IfExists::fail));
}

TEST(PendingFile, UmaskRules) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022U, 0077U, 0002U}) {
    const mode_t before = umask(mask);
    EXPECT_TRUE(put(folder / "a.png", "new", IfExists::replace));
    umask(before);
    struct stat info = {};
    ASSERT_EQ(stat((folder / "a.png").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0666U & ~mask);
  }
}

TEST(PendingFile, SymbolicLinksAreFollowed) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  store(folder / "real" / "a.png", bytes_of("old"));
  fs::create_symlink("real/a.png", folder / "link.png");
  EXPECT_FALSE(put(folder / "link.png", "new", IfExists::fail));
  EXPECT_TRUE(put(folder / "link.png", "new", IfExists::replace));
  EXPECT_TRUE(fs::is_symlink(folder / "link.png"));
  EXPECT_EQ(load(folder / "real" / "a.png"), bytes_of("new"));
  fs::create_symlink("nowhere", folder / "dangling.png");
  EXPECT_FALSE(put(folder / "dangling.png", "new", IfExists::fail));
  EXPECT_TRUE(put(folder / "dangling.png", "new", IfExists::replace));
  EXPECT_EQ(load(folder / "dangling.png"), bytes_of("new"));
}

TEST(PendingFile, RelativeNames) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(put("a.png", "new", IfExists::fail));
  EXPECT_FALSE(put("a.png", "new", IfExists::fail));
  fs::current_path(before);
  EXPECT_EQ(load(folder / "a.png"), bytes_of("new"));
}

TEST(PendingFile, AFullDiskIsAnErrorWithoutTrace) {
  const TemporaryFolder folder;
  const Status direct = [&] {
    const FullDisk full(1000);
    return put(folder / "a.png", std::string(5000, 'x'), IfExists::fail);
  }();
  ASSERT_FALSE(direct);
  EXPECT_THAT(direct.error().message, HasSubstr("cannot write "));
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace upres::test
