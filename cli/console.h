// What the command prints: results on standard output, messages on standard error, or one JSON object a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"

namespace upres::cli {

using Json = nlohmann::ordered_json;

struct ConsoleOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

// Thread rule: log() may be written to from any thread; the rest from one.
class Console {
 public:
  explicit Console(const ConsoleOptions& options);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  [[nodiscard]] bool json() const { return options_.json; }

  // With --json: the object as one line on standard output, with `event` as its first key. Bytes that are not
  // UTF-8 become U+FFFD.
  void event(std::string_view name, const Json& fields);

  // Without --json: what was asked for, on standard output, as it is.
  void print(std::string_view text);

  // A line on standard error: unless --quiet; with --verbose only; always.
  void note(std::string_view text);
  void detail(std::string_view text);
  void error(const Error& error);

  // Warnings are notes, infos details; the rest is dropped.
  [[nodiscard]] Log log();

  // Pixels done of all that is to be done: a bar on a terminal, `progress` events with --json; at most a few
  // a second, and always the last.
  void progress(int64_t done_px, int64_t total_px);

  // Some other work: how much of it is done, the time left and a few words, on a terminal only.
  void progress(double share, double left_s, std::string_view words);

 private:
  using Clock = std::chrono::steady_clock;
  void line(std::string_view text);
  void clear_bar();
  void draw_bar(double share, std::string_view words, double eta_s);

  ConsoleOptions options_;
  std::mutex mutex_;
  bool has_bar_ = false;
  bool bar_is_drawn_ = false;
  bool has_started_ = false;
  Clock::time_point started_ = {};
  Clock::time_point shown_ = {};
};

}  // namespace upres::cli
