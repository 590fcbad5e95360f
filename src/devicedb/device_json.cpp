#include <algorithm>
#include <array>
#include <bit>

#include "devicedb/devicedb.h"
#include "devicedb/json.h"
#include "devicedb/matrix_text.h"

namespace upres::devicedb {
namespace {

constexpr auto kCode = ErrorCode::usage;

// Calls visit(name, member) for every limit. The structured binding counts them: a new member does not
// compile until it is listed here.
template <typename Limits, typename Visit>
void for_each_limit(Limits& limits, const Visit& visit) {
  auto& [max_storage_buffer_range_bytes, max_buffer_bytes, memory_bytes, memory_budget_bytes,
         min_storage_buffer_offset_alignment_bytes, max_shared_memory_bytes, max_push_constant_bytes,
         max_group_invocations, max_group_size, max_group_count, subgroup_size, min_subgroup_size,
         max_subgroup_size, fp16_storage, fp16_arithmetic, matrix_shapes, timestamps, max_image_dimension_3d,
         storage_image_fp32, storage_image_fp16] = limits;
  visit("max_storage_buffer_range_bytes", max_storage_buffer_range_bytes);
  visit("max_buffer_bytes", max_buffer_bytes);
  visit("memory_bytes", memory_bytes);
  visit("memory_budget_bytes", memory_budget_bytes);
  visit("min_storage_buffer_offset_alignment_bytes", min_storage_buffer_offset_alignment_bytes);
  visit("max_shared_memory_bytes", max_shared_memory_bytes);
  visit("max_push_constant_bytes", max_push_constant_bytes);
  visit("max_group_invocations", max_group_invocations);
  visit("max_group_size", max_group_size);
  visit("max_group_count", max_group_count);
  visit("subgroup_size", subgroup_size);
  visit("min_subgroup_size", min_subgroup_size);
  visit("max_subgroup_size", max_subgroup_size);
  visit("fp16_storage", fp16_storage);
  visit("fp16_arithmetic", fp16_arithmetic);
  visit("matrix_shapes", matrix_shapes);
  visit("timestamps", timestamps);
  visit("max_image_dimension_3d", max_image_dimension_3d);
  visit("storage_image_fp32", storage_image_fp32);
  visit("storage_image_fp16", storage_image_fp16);
}

// Limits that older descriptions lack: such a device has no images, and of 3-D ones the least that Vulkan
// promises.
constexpr std::array<std::string_view, 3> kOptionalLimits = {"max_image_dimension_3d", "storage_image_fp32",
                                                             "storage_image_fp16"};

// Reads one limit after the other and keeps the first error.
class LimitReader {
 public:
  explicit LimitReader(const Json& json) : reader_(json, "limits", kCode) {}

  void operator()(std::string_view key, bool& value) { take(reader_.boolean(key), value); }
  void operator()(std::string_view key, uint64_t& value) {
    take(reader_.number(key, 0, std::numeric_limits<uint64_t>::max()), value);
  }
  void operator()(std::string_view key, uint32_t& value) {
    take(reader_.number(key, 0, std::numeric_limits<uint32_t>::max()), value);
  }
  void operator()(std::string_view key, std::array<uint32_t, 3>& values) {
    auto list = reader_.array(key);
    if (!list) return keep(list.error());
    if ((*list)->size() != values.size())
      return keep(reader_.complain(key, "must have three numbers").value());
    for (size_t i = 0; i < values.size(); ++i) {
      const Json& item = (**list)[i];
      const bool fits =
          item.is_number_unsigned() && item.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
      if (!fits) return keep(reader_.complain(key, "must have three whole numbers below 2^32").value());
      values[i] = item.get<uint32_t>();
    }
  }

  void operator()(std::string_view key, std::vector<kernels::MatrixShape>& shapes) {
    auto list = reader_.array(key);
    if (!list) return keep(list.error());
    if ((*list)->size() > kMaxMatrixShapes)
      return keep(reader_.complain(key, "must have at most 1024 shapes").value());
    shapes.clear();
    for (const Json& item : **list) {
      const auto shape = item.is_string() ? matrix_shape_of(item.get_ref<const std::string&>())
                                          : std::optional<kernels::MatrixShape>();
      if (!shape)
        return keep(reader_.complain(key, "must have shapes like \"16x16x16 f16,f16,f32->f32\"").value());
      shapes.push_back(*shape);
    }
  }

  // Whether the description need not have this limit, and does not.
  [[nodiscard]] bool is_left_out(std::string_view key) const {
    return !reader_.has(key) && std::ranges::count(kOptionalLimits, key) > 0;
  }

  // What a plan divides by or counts with must make sense.
  Status check(const kernels::DeviceLimits& limits) const {
    if (!status_) return status_;
    if (!std::has_single_bit(limits.min_storage_buffer_offset_alignment_bytes)) {
      return reader_.complain("min_storage_buffer_offset_alignment_bytes", "must be a power of two");
    }
    return {};
  }

 private:
  template <typename From, typename To>
  void take(const Result<From>& from, To& to) {
    if (from) {
      to = static_cast<To>(*from);
    } else {
      keep(from.error());
    }
  }
  void keep(const Error& error) {
    if (status_) status_ = tl::unexpected<Error>(error);
  }

  ObjectReader reader_;
  Status status_;
};

template <typename Value>
Json limit_json(const Value& value) {
  return Json(value);
}
Json limit_json(const std::vector<kernels::MatrixShape>& shapes) {
  Json json = Json::array();
  for (const kernels::MatrixShape& shape : shapes) json.push_back(to_text(shape));
  return json;
}

struct JsonTexts {
  std::string name, type, uuid, driver;
};

Result<JsonTexts> read_texts(const ObjectReader& reader) {
  JsonTexts texts;
  for (const auto& [key, text] : {std::pair{"name", &texts.name}, std::pair{"type", &texts.type},
                                  std::pair{"uuid", &texts.uuid}, std::pair{"driver", &texts.driver}}) {
    auto value = reader.string(key);
    if (!value) return propagate(value);
    *text = std::move(*value);
  }
  return texts;
}

// Vendor and device ids are told beside what the contract asks for; a description without them is known by
// its name.
Result<uint32_t> read_id(const ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return 0U;
  auto value = reader.number(key, 0, std::numeric_limits<uint32_t>::max());
  if (!value) return propagate(value);
  return static_cast<uint32_t>(*value);
}

}  // namespace

Result<kernels::DeviceInfo> device_info_from_json(std::string_view text) {
  auto json = parse_object(text, kCode);
  if (!json) return propagate(json, "device description");
  const ObjectReader reader(*json, "", kCode);
  auto texts = read_texts(reader);
  if (!texts) return propagate(texts, "device description");
  auto vendor = read_id(reader, "vendor_id");
  if (!vendor) return propagate(vendor, "device description");
  auto device = read_id(reader, "device_id");
  if (!device) return propagate(device, "device description");
  auto limits_json = reader.object("limits");
  if (!limits_json) return propagate(limits_json, "device description");
  kernels::DeviceInfo info{texts->name, texts->type, texts->uuid, texts->driver, *vendor, *device, {}};
  LimitReader limits(**limits_json);
  for_each_limit(info.limits, [&](std::string_view key, auto& value) {
    if (!limits.is_left_out(key)) limits(key, value);
  });
  if (auto status = limits.check(info.limits); !status) return propagate(status, "device description");
  // Drivers without hardware have no memory; a plan then takes as much as it would ask of an unknown device.
  if (info.limits.memory_bytes == 0) {
    info.limits.memory_bytes = kernels::DeviceLimits().memory_bytes;
    info.limits.memory_budget_bytes = kernels::DeviceLimits().memory_budget_bytes;
  }
  return info;
}

std::string device_info_to_json(const kernels::DeviceInfo& device, int index, std::string_view refused) {
  Json limits;
  for_each_limit(device.limits, [&](std::string_view key, const auto& value) {
    limits[std::string(key)] = limit_json(value);
  });
  Json json;
  json["event"] = "device";
  json["index"] = index;
  json["kind"] = "gpu";
  json["name"] = device.name;
  json["uuid"] = device.uuid;
  json["type"] = device.kind;
  json["driver"] = device.driver;
  json["vendor_id"] = device.vendor_id;
  json["device_id"] = device.device_id;
  json["limits"] = std::move(limits);
  json["refused"] = refused.empty() ? Json() : Json(std::string(refused));
  // A driver's name need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace upres::devicedb
