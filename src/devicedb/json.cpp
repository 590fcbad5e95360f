#include "devicedb/json.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace upres::devicedb {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 20;
constexpr size_t kMaxQuoted = 64;

// Hostile keys and texts stay one short line.
std::string in_quotes(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kMaxQuoted)) result += c < ' ' || c > '~' ? '?' : c;
  return "\"" + result + (text.size() > kMaxQuoted ? "...\"" : "\"");
}

// Notes the keys of each open object, to find those given twice.
class KeyWatch {
 public:
  // Always true: keep what was read.
  bool see(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end && !open_.empty()) open_.pop_back();
    if (event == Event::key && !open_.empty() && doubled_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second) doubled_ = key.empty() ? "(empty)" : key;
    }
    return true;
  }
  [[nodiscard]] const std::string& doubled() const { return doubled_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string doubled_;
};

}  // namespace

Result<Json> parse_object(std::string_view text, ErrorCode code) {
  if (text.size() > kMaxTextBytes) return fail(code, "larger than 1 MiB, so no description of a device");
  KeyWatch keys;
  const auto watch = [&keys](int, Json::parse_event_t event, Json& parsed) {
    return keys.see(event, parsed);
  };
  Json json = Json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (json.is_discarded()) return fail(code, "not valid JSON");
  if (!json.is_object()) return fail(code, "not a JSON object");
  if (!keys.doubled().empty()) return fail(code, "key " + in_quotes(keys.doubled()) + " is given twice");
  return json;
}

tl::unexpected<Error> ObjectReader::complain(std::string_view key, std::string_view what) const {
  const std::string where = place_.empty() ? "" : place_ + ".";
  return fail(code_, "key " + in_quotes(where + std::string(key)) + " " + std::string(what));
}

Result<const Json*> ObjectReader::find(std::string_view key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) return complain(key, "is missing");
  return &*found;
}

Result<std::string> ObjectReader::string(std::string_view key) const {
  auto value = find(key);
  if (!value) return propagate(value);
  if (!(*value)->is_string()) return complain(key, "must be a string");
  return (*value)->get_ref<const std::string&>();
}

Result<bool> ObjectReader::boolean(std::string_view key) const {
  auto value = find(key);
  if (!value) return propagate(value);
  if (!(*value)->is_boolean()) return complain(key, "must be true or false");
  return (*value)->get<bool>();
}

Result<uint64_t> ObjectReader::number(std::string_view key, uint64_t min, uint64_t max) const {
  auto value = find(key);
  if (!value) return propagate(value);
  const bool whole = (*value)->is_number_unsigned();
  const auto number = whole ? (*value)->get<uint64_t>() : uint64_t{0};
  if (whole && number >= min && number <= max) return number;
  return complain(key, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

Result<double> ObjectReader::positive(std::string_view key) const {
  auto value = find(key);
  if (!value) return propagate(value);
  const double number = (*value)->is_number() ? (*value)->get<double>() : 0;
  if (number > 0 && std::isfinite(number)) return number;
  return complain(key, "must be a number above 0");
}

Result<const Json*> ObjectReader::object(std::string_view key) const {
  auto value = find(key);
  if (value && !(*value)->is_object()) return complain(key, "must be an object");
  return value;
}

Result<const Json*> ObjectReader::array(std::string_view key) const {
  auto value = find(key);
  if (value && !(*value)->is_array()) return complain(key, "must be an array");
  return value;
}

Status ObjectReader::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& item : object_.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      return complain(item.key(), "is unknown");
  }
  return {};
}

}  // namespace upres::devicedb
