// Where a library's messages go: a sink that the caller passes in. The libraries print nothing by themselves.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace upres {

enum class LogLevel {
  debug,    // for whoever works on upres
  info,     // what --verbose shows: device, model, kernel and tile in use
  warning,  // the work goes on, but the user should know
};

// A copyable handle on a sink; an empty one swallows everything. The sink may be called from any thread.
class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;

  Log() = default;
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  void debug(std::string_view text) const { write(LogLevel::debug, text); }
  void info(std::string_view text) const { write(LogLevel::info, text); }
  void warning(std::string_view text) const { write(LogLevel::warning, text); }

 private:
  void write(LogLevel level, std::string_view text) const {
    if (sink_) sink_(level, text);
  }
  Sink sink_;
};

}  // namespace upres
