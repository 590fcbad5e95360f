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

// A copyable handle on a sink; an empty one swallows everything. The sink may be called from any thread. What
// it throws is caught and dropped with the message.
class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;

  Log() = default;
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  void debug(std::string_view text) const noexcept { write(LogLevel::debug, text); }
  void info(std::string_view text) const noexcept { write(LogLevel::info, text); }
  void warning(std::string_view text) const noexcept { write(LogLevel::warning, text); }

 private:
  // What the sink throws ends here: there is nobody to tell, and the work must not fail for a message.
  void write(LogLevel level, std::string_view text) const noexcept {
    if (!sink_) return;
    try {
      sink_(level, text);
    } catch (...) {
    }
  }
  Sink sink_;
};

}  // namespace upres
