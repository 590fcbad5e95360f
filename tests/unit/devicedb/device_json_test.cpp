#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "devicedb/devicedb.h"

namespace upres::devicedb {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

kernels::DeviceInfo unusual_device() {
  kernels::DeviceInfo info;
  info.name = "A \"quoted\" device, \xc3\xa4";
  info.kind = "integrated";
  info.uuid = "00112233445566778899aabbccddeeff";
  info.driver = "drv 1.2";
  info.vendor_id = 0x10005;
  info.device_id = 0xffffffff;
  info.limits.max_storage_buffer_range_bytes = 0xffffffff;
  info.limits.max_buffer_bytes = ~uint64_t{0};
  info.limits.memory_bytes = 3;
  info.limits.memory_budget_bytes = 2;
  info.limits.min_storage_buffer_offset_alignment_bytes = 16;
  info.limits.max_group_size = {1, 2, 3};
  info.limits.max_group_count = {4, 5, ~uint32_t{0}};
  info.limits.fp16_storage = true;
  using kernels::MatrixNumber;
  info.limits.matrix_shapes = {
      {16, 8, 32}, {1, 65535, 4, MatrixNumber::bf16, MatrixNumber::u64, MatrixNumber::s8, MatrixNumber::f64}};
  info.limits.timestamps = true;
  info.limits.max_image_dimension_3d = 2048;
  info.limits.storage_image_fp32 = true;
  return info;
}

// Every member, as text.
std::string all_of(const kernels::DeviceInfo& info) { return device_info_to_json(info, 0, ""); }

TEST(DeviceJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(device_info_to_json(unusual_device(), 3, "no compute queue"));
  EXPECT_EQ(json["event"], "device");
  EXPECT_EQ(json["index"], 3);
  EXPECT_EQ(json["kind"], "gpu");
  EXPECT_EQ(json["type"], "integrated");
  EXPECT_EQ(json["refused"], "no compute queue");
  EXPECT_EQ(json["limits"]["max_group_size"], Json::parse("[1,2,3]"));
  EXPECT_EQ(json["limits"]["matrix_shapes"],
            Json::parse(R"(["16x8x32 f16,f16,f32->f32", "1x65535x4 bf16,u64,s8->f64"])"));
  EXPECT_EQ(json["limits"].size(), 20U);
  EXPECT_TRUE(Json::parse(device_info_to_json(unusual_device(), 0, ""))["refused"].is_null());
  EXPECT_EQ(device_info_to_json(unusual_device(), 0, "two\nlines").find('\n'), std::string::npos);
}

TEST(DeviceJson, RoundTrip) {
  const std::string text = all_of(unusual_device());
  const auto read = device_info_from_json(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(all_of(*read), text);
  EXPECT_EQ(read->limits.max_buffer_bytes, ~uint64_t{0});
  EXPECT_TRUE(read->limits.timestamps);
  EXPECT_EQ(read->limits.matrix_shapes, unusual_device().limits.matrix_shapes);
}

TEST(DeviceJson, NamesThatAreNotUtf8StillPrint) {
  kernels::DeviceInfo info = unusual_device();
  info.name = "bad \xff\xfe name";
  EXPECT_TRUE(device_info_from_json(all_of(info)));
}

TEST(DeviceJson, IdsAndOtherKeysAreOptional) {
  Json json = Json::parse(all_of(unusual_device()));
  for (const char* key : {"event", "index", "kind", "refused", "vendor_id", "device_id"}) json.erase(key);
  json["comment"] = "mine";
  const auto read = device_info_from_json(json.dump());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->vendor_id, 0U);
}

// As descriptions of older versions are.
TEST(DeviceJson, WithoutLimitsOfImagesThereAreNone) {
  Json json = Json::parse(all_of(unusual_device()));
  for (const char* key : {"max_image_dimension_3d", "storage_image_fp32", "storage_image_fp16"})
    json["limits"].erase(key);
  const auto read = device_info_from_json(json.dump());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->limits.max_image_dimension_3d, 256U);
  EXPECT_FALSE(read->limits.storage_image_fp32 || read->limits.storage_image_fp16);
}

TEST(DeviceJson, NoMemoryCountsAsNotTold) {
  kernels::DeviceInfo info = unusual_device();
  info.limits.memory_bytes = info.limits.memory_budget_bytes = 0;
  const auto read = device_info_from_json(device_info_to_json(info, 0, ""));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->limits.memory_bytes, kernels::DeviceLimits().memory_bytes);
  EXPECT_EQ(read->limits.memory_budget_bytes, kernels::DeviceLimits().memory_budget_bytes);
}

TEST(DeviceJson, EveryMissingOrWrongKeyIsNamed) {
  const Json good = Json::parse(all_of(unusual_device()));
  for (const char* key : {"name", "uuid", "type", "driver", "limits"}) {
    Json json = good;
    json.erase(key);
    const auto missing = device_info_from_json(json.dump());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::usage);
    EXPECT_THAT(missing.error().message, HasSubstr("\"" + std::string(key) + "\" is missing"));
    json[key] = 7;
    const auto wrong = device_info_from_json(json.dump());
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("\"" + std::string(key) + "\" must be"));
  }
  for (const auto& item : good["limits"].items()) {
    Json json = good;
    json["limits"].erase(item.key());
    const auto missing = device_info_from_json(json.dump());
    const bool is_optional = item.key().find("image") != std::string::npos;
    ASSERT_EQ(missing.has_value(), is_optional) << item.key();
    if (!missing) {
      EXPECT_THAT(missing.error().message, HasSubstr("\"limits." + item.key() + "\" is missing"));
    }
    for (const Json& value :
         {Json("text"), Json(-1), Json(1.5), Json(nullptr), Json::array({1, 2}), Json::array({1, 2, -3})}) {
      json["limits"][item.key()] = value;
      const auto wrong = device_info_from_json(json.dump());
      ASSERT_FALSE(wrong) << item.key() << " " << value;
      EXPECT_THAT(wrong.error().message, HasSubstr("\"limits." + item.key() + "\" must"));
    }
  }
}

TEST(DeviceJson, LimitsThatNoPlanCanUse) {
  Json json = Json::parse(all_of(unusual_device()));
  for (const int alignment : {0, 3, 48}) {
    json["limits"]["min_storage_buffer_offset_alignment_bytes"] = alignment;
    const auto read = device_info_from_json(json.dump());
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message,
                HasSubstr("min_storage_buffer_offset_alignment_bytes\" must be a power of two"));
  }
  json["limits"]["subgroup_size"] = uint64_t{1} << 32;
  EXPECT_FALSE(device_info_from_json(json.dump()));
}

TEST(DeviceJson, MatrixShapesThatAreNone) {
  const Json good = Json::parse(all_of(unusual_device()));
  for (const char* text :
       {"", "x", "16x16x16", "16x16x16 ", "16x16x16 f16,f16,f32", "16x16x16 f16,f16,f32->",
        "16x16x16 f16,f16,f32->f32 ", " 16x16x16 f16,f16,f32->f32", "16x16 f16,f16,f32->f32",
        "0x16x16 f16,f16,f32->f32", "65536x16x16 f16,f16,f32->f32", "016x16x16 f16,f16,f32->f32",
        "-1x16x16 f16,f16,f32->f32", "99999999999999999999x16x16 f16,f16,f32->f32",
        "16x16x16 f17,f16,f32->f32", "16x16x16 ,f16,f32->f32", "16x16x16 F16,f16,f32->f32"}) {
    Json json = good;
    json["limits"]["matrix_shapes"] = Json::array({text});
    const auto read = device_info_from_json(json.dump());
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("\"limits.matrix_shapes\" must have shapes like"));
  }
  Json json = good;
  json["limits"]["matrix_shapes"] = std::vector<std::string>(1024, "1x1x1 f16,f16,f32->f32");
  EXPECT_TRUE(device_info_from_json(json.dump()));
  json["limits"]["matrix_shapes"].push_back("1x1x1 f16,f16,f32->f32");
  EXPECT_FALSE(device_info_from_json(json.dump()));
}

TEST(DeviceJson, HostileTexts) {
  const std::string good = all_of(unusual_device());
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(device_info_from_json(std::string_view(good).substr(0, length)));
  }
  EXPECT_FALSE(device_info_from_json(std::string(200000, '[')));
  EXPECT_FALSE(
      device_info_from_json("{\"limits\":" + std::string(200000, '[') + std::string(200000, ']') + "}"));
  EXPECT_FALSE(device_info_from_json(std::string(2 << 20, ' ') + good));
  EXPECT_FALSE(device_info_from_json("null"));
  EXPECT_FALSE(device_info_from_json("\xff\xfe{}"));
  const auto twice = device_info_from_json("{\"name\": \"a\", " + good.substr(1));
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("\"name\" is given twice"));
}

}  // namespace
}  // namespace upres::devicedb
