#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/display_name.h"

namespace upres::cli {
namespace {

constexpr double kBarInterval_s = 0.1;
constexpr double kEventInterval_s = 0.5;
constexpr size_t kBarWidth = 30;

void write_to(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Console::Console(const ConsoleOptions& options)
    : options_(options), has_bar_(!options.json && !options.quiet && ::isatty(STDERR_FILENO) == 1) {}

Console::~Console() { clear_bar(); }

void Console::event(std::string_view name, const Json& fields) {
  if (!options_.json) return;
  Json object = {{"event", name}};
  object.update(fields);
  write_to(stdout, object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Console::print(std::string_view text) {
  if (options_.json) return;
  const std::lock_guard lock(mutex_);
  clear_bar();
  write_to(stdout, text);
}

void Console::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  write_to(stderr, one_line(text) + "\n");
}

void Console::note(std::string_view text) {
  if (!options_.quiet) line(text);
}

void Console::detail(std::string_view text) {
  if (options_.verbose && !options_.quiet) line(text);
}

void Console::error(const Error& error) {
  line(error.message);
  for (const std::string& reason : error.reasons) line("  " + reason);
}

Log Console::log() {
  return Log([this](LogLevel level, std::string_view text) {
    if (level == LogLevel::warning) note(text);
    if (level == LogLevel::info) detail(text);
  });
}

void Console::progress(int64_t done_px, int64_t total_px) {
  if (!has_bar_ && !options_.json) return;
  const auto now = Clock::now();
  if (!has_started_) {
    has_started_ = true;
    started_ = now;
  }
  const double interval_s = options_.json ? kEventInterval_s : kBarInterval_s;
  if (done_px < total_px && seconds(now - shown_) < interval_s) return;
  shown_ = now;
  const double elapsed_s = seconds(now - started_);
  const double rate = elapsed_s > 0 ? static_cast<double>(done_px) / elapsed_s : 0;
  const double eta_s = rate > 0 ? static_cast<double>(total_px - done_px) / rate : 0;
  event("progress",
        {{"done", done_px}, {"total", total_px}, {"megapixels_per_s", rate / 1e6}, {"eta_s", eta_s}});
  if (has_bar_)
    draw_bar(static_cast<double>(done_px) / static_cast<double>(std::max<int64_t>(1, total_px)),
             fmt::format("{:.1f} Mpx/s", rate / 1e6), eta_s);
}

void Console::progress(double share, double left_s, std::string_view words) {
  const auto now = Clock::now();
  if (!has_bar_ || (share < 1 && seconds(now - shown_) < kBarInterval_s)) return;
  shown_ = now;
  draw_bar(share, words, left_s);
}

void Console::draw_bar(double share, std::string_view words, double eta_s) {
  const std::lock_guard lock(mutex_);
  share = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<size_t>(share * static_cast<double>(kBarWidth));
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  write_to(stderr, fmt::format("\r[{}] {:3.0f} %  {}  {:.0f} s left \x1b[K", bar, share * 100, words,
                               std::max(0.0, eta_s)));
  bar_is_drawn_ = true;
}

void Console::clear_bar() {
  if (!bar_is_drawn_) return;
  write_to(stderr, "\r\x1b[K");
  bar_is_drawn_ = false;
}

}  // namespace upres::cli
