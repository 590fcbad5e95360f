// Devices, models, options, and what an Upscaler tells about itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_models.h"
#include "support/files.h"
#include "unit/api/samples.h"

namespace upres::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(Devices, TheCpuIsAlwaysThere) {
  const auto devices = list_devices();
  ASSERT_TRUE(devices);
  ASSERT_FALSE(devices->empty());
  EXPECT_EQ(devices->back().kind, "cpu");
  EXPECT_FALSE(devices->back().name.empty());
  EXPECT_THAT(devices->back().refusals, SizeIs(0));
  const Device cpu = Device::open("cpu").value();
  EXPECT_TRUE(cpu.is_cpu());
  EXPECT_EQ(cpu.description().name, devices->back().name);
}

TEST(Devices, WhatIsNotThereIsNamed) {
  const auto missing = Device::open("no such device");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::device);
  EXPECT_FALSE(missing.error().reasons.empty());
  EXPECT_EQ(Device::open("cpu", {.kernel = "conv_magic"}).error().code, ErrorCode::usage);
  for (const int threads : {-1, 4097, 2'000'000'000}) {
    const auto refused = Device::open("cpu", {.threads = threads});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
    EXPECT_NE(refused.error().message.find("threads " + std::to_string(threads)), std::string::npos);
  }
}

TEST(Models, EmbeddedFromMemoryAndFromFile) {
  EXPECT_THAT(embedded_models().value(), Contains("espcn_x2"));
  const Model embedded = Model::embedded("espcn_x3").value();
  EXPECT_EQ(embedded.name(), "espcn_x3");
  EXPECT_EQ(embedded.factor(), 3);
  EXPECT_GT(embedded.parameter_count(), 1000U);
  const auto unknown = Model::embedded("nothing");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::model);
  EXPECT_THAT(unknown.error().message, HasSubstr("espcn_x2"));
  const auto& bytes = models::all().front();
  const auto from_memory = Model::from_memory(bytes.onnx, "mine.onnx");
  ASSERT_TRUE(from_memory) << from_memory.error().text();
  EXPECT_EQ(from_memory->name(), "mine.onnx");
  EXPECT_EQ(from_memory->parameter_count(), Model::embedded(bytes.name)->parameter_count());
}

TEST(Models, HostileBytesAreRefused) {
  const auto& whole = models::all().front().onnx;
  for (const size_t length : {size_t{0}, size_t{1}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    const auto refused = Model::from_memory(whole.first(length), "cut\nshort.onnx");
    ASSERT_FALSE(refused) << length;
    EXPECT_EQ(refused.error().code, ErrorCode::model);
    EXPECT_THAT(refused.error().message, HasSubstr("cut\\nshort.onnx"));
  }
  const auto missing = Model::from_file("no/such.onnx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::model);
  EXPECT_EQ(Upscaler::open("./espcn_x2", "cpu").error().code, ErrorCode::model);
}

template <typename T>
void expect_usage(const Result<T>& result, const std::string& begin) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::usage);
  EXPECT_THAT(result.error().message, StartsWith(begin));
}

TEST(Names, EmptyOnesAreMistakes) {
  expect_usage(Model::embedded(""), "the model's name is empty");
  expect_usage(Model::from_file(""), "the model's file name is empty");
  expect_usage(Model::from_memory(models::all().front().onnx, ""), "the model's label is empty");
  expect_usage(Upscaler::open("", "cpu"), "the model's name is empty");
  expect_usage(Device::open(""), "the device's name is empty");
  expect_usage(Upscaler::open("espcn_x2", ""), "the device's name is empty");
}

// The system would end them there and take another file.
TEST(Names, NulInPathsIsRefused) {
  using namespace std::string_literals;
  TemporaryFolder folder;
  store(folder / "a", models::all().front().onnx);
  const std::filesystem::path nul = (folder / "a").native() + "\0b"s;
  expect_usage(Model::from_file(nul), "the model's file name " + (folder / "a").native() + "\\x00b");
  expect_usage(Upscaler::open(nul.native(), "cpu"), "the model's file name");
  expect_usage(Device::open("cpu", {.cache_folder = nul}), "the cache folder");
  const auto neither = Upscaler::open("espcn_x9", "cpu");
  ASSERT_FALSE(neither);
  EXPECT_EQ(neither.error().message,
            "espcn_x9: no such file, nor an embedded model; embedded are: espcn_x2 espcn_x3 espcn_x4");
  EXPECT_TRUE(Model::from_file(folder / "a"));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(Options, OutOfRangeAreNamed) {
  const Device device = Device::open("cpu").value();
  const Model model = Model::embedded("espcn_x2").value();
  const auto error = [&](const UpscalerOptions& options) {
    const auto created = Upscaler::create(device, model, options);
    EXPECT_FALSE(created);
    return created ? "" : created.error().message;
  };
  EXPECT_THAT(error({.tile_px = -1}), HasSubstr("tile_px"));
  EXPECT_THAT(error({.pictures_in_flight = 0}), HasSubstr("pictures_in_flight"));
  EXPECT_THAT(error({.pictures_in_flight = 65}), HasSubstr("pictures_in_flight"));
  EXPECT_THAT(error({.precision = Precision::fp16}), HasSubstr("fp16"));
  const auto unknown = Upscaler::create(device, model, {.precision = static_cast<Precision>(77)});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::usage);
  EXPECT_THAT(unknown.error().message, HasSubstr("77"));
  Upscaler tiny = Upscaler::create(device, model, {.tile_px = 2}).value();
  EXPECT_EQ(tiny.upscale(picture({50, 50, 1, DType::u8}).view()).error().code, ErrorCode::usage);
}

TEST(Upscalers, TellWhatTheyAre) {
  Upscaler enlarger = Upscaler::open("espcn_x2", "cpu").value();
  EXPECT_EQ(enlarger.model().name(), "espcn_x2");
  EXPECT_TRUE(enlarger.device().is_cpu());
  EXPECT_NE(enlarger.precision(), Precision::automatic);
  EXPECT_EQ(enlarger.memory_use().host_bytes, 0U);
  ASSERT_TRUE(enlarger.upscale(picture({50, 50, 1, DType::u8}).view()));
  EXPECT_GT(enlarger.memory_use().host_bytes, 10000U);
  EXPECT_EQ(enlarger.memory_use().device_bytes, 0U);
  EXPECT_EQ(library_version().front(), '0');
}

TEST(Upscalers, MovedFromOnesAnswerWithAnError) {
  Upscaler enlarger = upscaler();
  Upscaler owner = std::move(enlarger);
  const Image source = picture({8, 8, 1, DType::u8});
  EXPECT_EQ(enlarger.upscale(source.view()).error().code,
            ErrorCode::usage);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(enlarger.submit(source.view()).error().code, ErrorCode::usage);
  EXPECT_TRUE(owner.upscale(source.view()));
}

// The log is the only channel, and it is the caller's.
TEST(Upscalers, TalkToTheirLogOnly) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Upscaler enlarger = upscaler();
  EXPECT_TRUE(enlarger.upscale(picture({8, 8, 1, DType::u8}).view()));
  EXPECT_FALSE(enlarger.upscale({}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace upres::test
