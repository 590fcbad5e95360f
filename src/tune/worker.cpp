#include "tune/worker.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include "tune/task_json.h"

namespace upres::tune {
namespace {

using devicedb::Json;
using devicedb::ObjectReader;

constexpr std::array<std::pair<ErrorCode, std::string_view>, 3> kCodes = {
    {{ErrorCode::device, "device"}, {ErrorCode::cancelled, "cancelled"}, {ErrorCode::input, "input"}}};

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string error_answer(const Error& error) {
  std::string_view code = "input";
  for (const auto& [value, text] : kCodes) {
    if (value == error.code) code = text;
  }
  return text_of({{"error", error.message}, {"code", code}});
}

// What both kinds of requests have.
struct Request {
  std::string kind;
  Task task;
  double left_s = 0;
};

Result<Request> read_request(const ObjectReader& reader) {
  Request request;
  auto kind = reader.string("do");
  if (!kind) return propagate(kind);
  const auto task_json = reader.object("task");
  if (!task_json) return tl::unexpected(task_json.error());
  auto task = task_from_json(**task_json);
  if (!task) return propagate(task);
  const auto left_s = reader.positive("left_s");
  if (!left_s) return tl::unexpected(left_s.error());
  return Request{std::move(*kind), std::move(*task), *left_s};
}

Result<Parameters> read_parameters(const ObjectReader& reader, std::string_view key, const Task& task) {
  const auto json = reader.object(key);
  if (!json) return tl::unexpected(json.error());
  return parameters_from_json(**json, *task.kernel);
}

Result<Json> answer_measure(Runner& runner, const ObjectReader& reader, const Request& request) {
  const auto parameters = read_parameters(reader, "parameters", request.task);
  if (!parameters) return tl::unexpected(parameters.error());
  MeasureLimits limits{0, request.left_s};
  if (const auto hopeless = reader.positive("hopeless_ms")) limits.hopeless_ms = *hopeless;
  const auto timing = runner.measure(request.task, *parameters, limits);
  if (!timing) return tl::unexpected(timing.error());
  return Json{{"time_ms", timing->time_ms}, {"compile_ms", timing->compile_ms}};
}

Result<Json> answer_duel(Runner& runner, const ObjectReader& reader, const Request& request) {
  const auto standard = read_parameters(reader, "standard", request.task);
  if (!standard) return tl::unexpected(standard.error());
  const auto best = read_parameters(reader, "best", request.task);
  if (!best) return tl::unexpected(best.error());
  const auto duel = runner.duel(request.task, *standard, *best, request.left_s);
  if (!duel) return tl::unexpected(duel.error());
  return Json{{"standard_ms", duel->standard_ms}, {"best_ms", duel->best_ms}};
}

Result<Json> answer_json(Runner& runner, std::string_view text) {
  const auto json = devicedb::parse_object(text, ErrorCode::input);
  if (!json) return tl::unexpected(json.error());
  const ObjectReader reader(*json, "", ErrorCode::input);
  const auto request = read_request(reader);
  if (!request) return tl::unexpected(request.error());
  if (request->kind == "measure") return answer_measure(runner, reader, *request);
  if (request->kind == "duel") return answer_duel(runner, reader, *request);
  return reader.complain("do", "is none of measure, duel");
}

Result<Json> read_answer(std::string_view text) {
  auto json = devicedb::parse_object(text, ErrorCode::input);
  if (!json) return json;
  const ObjectReader reader(*json, "", ErrorCode::input);
  if (!reader.has("error")) return json;
  auto message = reader.string("error");
  if (!message) return propagate(message);
  const auto code_text = reader.string("code");
  for (const auto& [code, name] : kCodes) {
    if (code_text && *code_text == name) return fail(code, std::move(*message));
  }
  return reader.complain("code", "is none of device, cancelled, input");
}

Result<std::vector<double>> read_times(const ObjectReader& reader, std::string_view key) {
  const auto list = reader.array(key);
  if (!list) return tl::unexpected(list.error());
  std::vector<double> times;
  for (const Json& item : **list) {
    const double time = item.is_number() ? item.get<double>() : 0;
    if (!(time > 0 && std::isfinite(time))) return reader.complain(key, "must hold numbers above 0");
    times.push_back(time);
  }
  if (times.empty()) return reader.complain(key, "must not be empty");
  return times;
}

Status write_line(int descriptor, std::string line) {
  line += '\n';
  for (size_t at = 0; at < line.size();) {
    const ssize_t count = ::write(descriptor, line.data() + at, line.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return fail(ErrorCode::input, "answering failed: " + std::generic_category().message(errno));
    at += static_cast<size_t>(count);
  }
  return {};
}

}  // namespace

std::string answer(Runner& runner, std::string_view request) {
  const auto json = answer_json(runner, request);
  return json ? text_of(*json) : error_answer(json.error());
}

Status serve(Runner& runner, int requests, int answers) {
  if (auto status = write_line(answers, R"({"ready": true})"); !status) return status;
  std::string pending;
  std::array<char, 4096> block;
  for (;;) {
    const ssize_t count = ::read(requests, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ErrorCode::input, "reading failed: " + std::generic_category().message(errno));
    if (count == 0) return {};
    pending.append(block.data(), static_cast<size_t>(count));
    for (size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      if (auto status = write_line(answers, answer(runner, pending.substr(0, end))); !status) return status;
      pending.erase(0, end + 1);
    }
    if (pending.size() > kMostLineBytes) return fail(ErrorCode::input, "a request is longer than 1 MiB");
  }
}

std::string measure_request(const Task& task, const Parameters& parameters, const MeasureLimits& limits) {
  return text_of({{"do", "measure"},
                  {"task", to_json(task)},
                  {"parameters", to_json(parameters)},
                  {"hopeless_ms", limits.hopeless_ms},
                  {"left_s", limits.left_s}});
}

std::string duel_request(const Task& task, const Parameters& standard, const Parameters& best,
                         double left_s) {
  return text_of({{"do", "duel"},
                  {"task", to_json(task)},
                  {"standard", to_json(standard)},
                  {"best", to_json(best)},
                  {"left_s", left_s}});
}

Result<Timing> read_timing(std::string_view answer) {
  const auto json = read_answer(answer);
  if (!json) return tl::unexpected(json.error());
  const ObjectReader reader(*json, "", ErrorCode::input);
  const auto time = reader.positive("time_ms");
  if (!time) return tl::unexpected(time.error());
  const auto compile = reader.positive("compile_ms");
  if (!compile) return tl::unexpected(compile.error());
  return Timing{*time, *compile};
}

Result<Duel> read_duel(std::string_view answer) {
  const auto json = read_answer(answer);
  if (!json) return tl::unexpected(json.error());
  const ObjectReader reader(*json, "", ErrorCode::input);
  auto standard = read_times(reader, "standard_ms");
  if (!standard) return propagate(standard);
  auto best = read_times(reader, "best_ms");
  if (!best) return propagate(best);
  return Duel{std::move(*standard), std::move(*best)};
}

bool is_ready(std::string_view line) {
  const auto json = read_answer(line);
  if (!json) return false;
  const auto ready = ObjectReader(*json, "", ErrorCode::input).boolean("ready");
  return ready && *ready;
}

}  // namespace upres::tune
