// Reading JSON that may be anything: sizes, types and ranges are checked, every complaint names its key.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.h"

namespace upres::devicedb {

using Json = nlohmann::ordered_json;

// The text as one JSON object. Errors (of `code`): longer than 1 MiB, not JSON, no object, a key given twice.
Result<Json> parse_object(std::string_view text, ErrorCode code);

// A view of one JSON object, whose place ("limits") is part of every message.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string place, ErrorCode code)
      : object_(object), place_(std::move(place)), code_(code) {}

  // Errors name the key that is missing, of another type, or out of range.
  [[nodiscard]] Result<std::string> string(std::string_view key) const;
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] Result<uint64_t> number(std::string_view key, uint64_t min, uint64_t max) const;
  [[nodiscard]] Result<double> positive(std::string_view key) const;  // finite and above 0
  [[nodiscard]] Result<const Json*> object(std::string_view key) const;
  [[nodiscard]] Result<const Json*> array(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }
  // Refuses keys that are not in the list.
  [[nodiscard]] Status only(std::initializer_list<std::string_view> keys) const;
  // An error about this key: "limits.subgroup_size: must be ...".
  [[nodiscard]] tl::unexpected<Error> complain(std::string_view key, std::string_view what) const;

 private:
  [[nodiscard]] Result<const Json*> find(std::string_view key) const;

  const Json& object_;
  std::string place_;
  ErrorCode code_;
};

}  // namespace upres::devicedb
