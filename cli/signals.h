// SIGINT, SIGTERM and SIGHUP: the work stops at the next tile and unwinds as after an error, so nothing half
// done is left.
#pragma once

#include <filesystem>

namespace upres::cli {

// Begins to note the signals instead of dying of them; SIGHUP stays ignored where it was. A file size limit
// becomes an error of writing.
void install_signal_handlers();

// The signal that came, 0 if none did.
int caught_signal();

// Whether one came: what the libraries ask as `cancelled`.
inline bool is_cancelled() { return caught_signal() != 0; }

// 128 + the signal: 130, 143 or 129.
int signal_exit_code();

// A temporary file that a second signal, which ends the process at once, is to remove. One at a time.
class SignalProtected {
 public:
  explicit SignalProtected(const std::filesystem::path& temporary);
  ~SignalProtected();
  SignalProtected(const SignalProtected&) = delete;
  SignalProtected& operator=(const SignalProtected&) = delete;
};

}  // namespace upres::cli
