#include "signals.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>

namespace upres::cli {
namespace {

// Signal handlers can reach nothing but statics.
std::atomic<int> caught{0};
std::atomic<bool> is_protected{false};
char protected_path[PATH_MAX];

extern "C" void on_signal(int signal) {
  int none = 0;
  if (caught.compare_exchange_strong(none, signal)) return;
  if (is_protected) ::unlink(protected_path);
  ::_exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

int caught_signal() { return caught; }

int signal_exit_code() { return 128 + caught; }

SignalProtected::SignalProtected(const std::filesystem::path& temporary) {
  const std::string& text = temporary.native();
  if (text.size() >= sizeof protected_path) return;
  std::memcpy(protected_path, text.c_str(), text.size() + 1);
  is_protected = true;
}

SignalProtected::~SignalProtected() { is_protected = false; }

}  // namespace upres::cli
