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
  action.sa_handler = on_signal;  // without SA_RESTART: whoever waits for input is to notice
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  // nohup has it ignored, and means that.
  struct sigaction before = {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    ::sigaction(SIGHUP, &action, nullptr);
  // Writing beyond the limit on file sizes is then an error (EFBIG) that is told and cleaned up after.
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &action, nullptr);
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
