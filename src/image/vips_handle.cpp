#include "image/vips_handle.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "base/display_name.h"

namespace upres::image {
namespace {

// Per thread, because GLib's handler gets no other hint of whose message it is.
thread_local std::vector<std::string>* collected_warnings = nullptr;

std::string joined_lines(std::string_view text) {
  const size_t last = text.find_last_not_of(" \n");
  std::string line(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
  for (size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at))
    line.replace(at, 1, "; ");
  return one_line(line);
}

void keep_message(const gchar* /*domain*/, GLogLevelFlags level, const gchar* message, gpointer /*data*/) {
  const bool is_serious = (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0;
  if (collected_warnings != nullptr && is_serious && message != nullptr) {
    collected_warnings->push_back(joined_lines(message));
  }
}

bool start() {
  constexpr int kAll = G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION;
  g_log_set_handler("VIPS", static_cast<GLogLevelFlags>(kAll), keep_message, nullptr);
  // vips_init() loads every plug-in module below this prefix, which takes longer than reading a picture and
  // brings decoders into the process that are never used. It sets the variable by itself otherwise.
  const bool has_home = g_getenv("VIPSHOME") != nullptr;
  if (!has_home) g_setenv("VIPSHOME", "/nonexistent", FALSE);
  const int status = vips_init("upres");
  if (!has_home) g_unsetenv("VIPSHOME");
  if (status != 0) return false;
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
  return true;
}

}  // namespace

Status start_vips() {
  static std::once_flag once;
  static bool is_running = false;
  std::call_once(once, [] { is_running = start(); });
  if (is_running) return {};
  return fail(ErrorCode::input, "libvips does not start; reinstall it");
}

std::string take_vips_error() {
  const std::unique_ptr<char, GFree> text(vips_error_buffer_copy());
  return joined_lines(text.get());
}

VipsWarnings::VipsWarnings() { collected_warnings = &texts_; }
VipsWarnings::~VipsWarnings() { collected_warnings = nullptr; }

}  // namespace upres::image
