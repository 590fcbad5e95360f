#include "tune/known.h"

#include "devicedb/json.h"

namespace upres::tune {
namespace {

using devicedb::Json;
using devicedb::ObjectReader;

constexpr auto kCode = ErrorCode::device;
constexpr size_t kMostCandidates = 4000;
constexpr size_t kMostReasonBytes = 160;

template <typename Value>
void add_first(Json& object, const std::map<std::string, Value>& values, size_t& left) {
  for (auto it = values.begin(); it != values.end() && left > 0; ++it, --left) object[it->first] = it->second;
}

std::map<std::string, std::string> shortened(const std::map<std::string, std::string>& reasons) {
  auto result = reasons;
  for (auto& [parameters, reason] : result) reason.resize(std::min(reason.size(), kMostReasonBytes));
  return result;
}

Status read_times(const Json& json, std::map<std::string, double>& times) {
  const ObjectReader reader(json, "time_ms", kCode);
  for (const auto& item : json.items()) {
    const auto time = reader.positive(item.key());
    if (!time) return tl::unexpected(time.error());
    times[item.key()] = *time;
  }
  return {};
}

Status read_reasons(const Json& json, std::map<std::string, std::string>& reasons) {
  const ObjectReader reader(json, "rejected", kCode);
  for (const auto& item : json.items()) {
    auto reason = reader.string(item.key());
    if (!reason) return propagate(reason);
    reasons[item.key()] = std::move(*reason);
  }
  return {};
}

}  // namespace

std::string to_json(const Known& known) {
  size_t left = kMostCandidates;
  Json json = {{"time_ms", Json::object()}, {"rejected", Json::object()}};
  add_first(json["rejected"], shortened(known.rejected), left);
  add_first(json["time_ms"], known.time_ms, left);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Known> known_from_json(std::string_view text) {
  const auto json = devicedb::parse_object(text, kCode);
  if (!json) return tl::unexpected(json.error());
  const ObjectReader reader(*json, "", kCode);
  const auto times = reader.object("time_ms");
  if (!times) return tl::unexpected(times.error());
  const auto reasons = reader.object("rejected");
  if (!reasons) return tl::unexpected(reasons.error());
  Known known;
  if (auto status = read_times(**times, known.time_ms); !status) return propagate(status);
  if (auto status = read_reasons(**reasons, known.rejected); !status) return propagate(status);
  return known;
}

}  // namespace upres::tune
