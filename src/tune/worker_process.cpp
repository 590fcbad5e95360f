#include "tune/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "tune/worker.h"

extern char** environ;

namespace upres::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kInterval_ms = 50;

std::string reason(int error) { return std::generic_category().message(error); }

tl::unexpected<Error> cannot_start(const std::string& program, int error) {
  return fail(ErrorCode::input, "the worker " + program + " cannot be started: " + reason(error));
}

// Destroys what posix_spawn was told.
struct SpawnSettings {
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int set(int line) {
    // Signals as a program finds them that nobody prepared anything for.
    sigset_t all;
    ::sigfillset(&all);
    sigset_t none;
    ::sigemptyset(&none);
    const std::array errors = {
        ::posix_spawn_file_actions_adddup2(&files, line, STDIN_FILENO),
        ::posix_spawn_file_actions_adddup2(&files, line, STDOUT_FILENO),
        ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0),
        ::posix_spawnattr_setsigdefault(&attributes, &all),
        ::posix_spawnattr_setsigmask(&attributes, &none),
        ::posix_spawnattr_setpgroup(&attributes, 0),
        ::posix_spawnattr_setflags(&attributes,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)};
    const auto* failed = std::find_if(errors.begin(), errors.end(), [](int error) { return error != 0; });
    return failed == errors.end() ? 0 : *failed;
  }

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

std::vector<char*> arguments_of(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) {
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ") ended it";
  }
  return "it ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& command) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return cannot_start(command.front(), errno);
  SpawnSettings settings;
  pid_t id = -1;
  int error = settings.set(ends[1]);
  if (error == 0) {
    error = ::posix_spawn(&id, command.front().c_str(), &settings.files, &settings.attributes,
                          arguments_of(command).data(), environ);
  }
  ::close(ends[1]);
  if (error == 0) return WorkerProcess(id, ends[0]);
  ::close(ends[0]);
  return cannot_start(command.front(), error);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      line_(std::exchange(other.line_, -1)),
      pending_(std::move(other.pending_)) {}

WorkerProcess::~WorkerProcess() {
  end();
  if (line_ >= 0) ::close(line_);
}

bool WorkerProcess::is_running() const {
  siginfo_t info = {};
  return id_ >= 0 && ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

// Kills it, if it still runs, and gives how it ended.
int WorkerProcess::end() {
  if (id_ < 0) return 0;
  // It may be about to end by itself: then that is what is to be told.
  int status = 0;
  pid_t ended = ::waitpid(id_, &status, WNOHANG);
  if (ended == 0) {
    ::kill(id_, SIGKILL);
    do ended = ::waitpid(id_, &status, 0);
    while (ended < 0 && errno == EINTR);
  }
  id_ = -1;
  return status;
}

// Its end of the line is closed, so it is ending.
tl::unexpected<Error> WorkerProcess::has_ended() {
  constexpr timespec kInterval = {0, 10'000'000};
  siginfo_t info = {};
  for (int i = 0; i < 100 && id_ >= 0; ++i) {
    info.si_pid = 0;
    ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid != 0) break;
    ::nanosleep(&kInterval, nullptr);
  }
  return fail(ErrorCode::device, ending_text(end()));
}

Status WorkerProcess::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(line_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return has_ended();
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Result<std::string> WorkerProcess::ask(std::string_view line, double most_s,
                                       const std::function<bool()>& cancelled) {
  if (id_ < 0) return fail(ErrorCode::device, "it has ended");
  if (!line.empty()) {
    if (auto sent = send(std::string(line) + "\n"); !sent) return propagate(sent);
  }
  const auto end_time = Clock::now() + std::chrono::duration<double>(most_s);
  std::array<char, 4096> block;
  for (;;) {
    if (const size_t at = pending_.find('\n'); at != std::string::npos) {
      std::string answer = pending_.substr(0, at);
      pending_.erase(0, at + 1);
      return answer;
    }
    if (pending_.size() > kMostLineBytes || Clock::now() > end_time) {
      end();
      return fail(ErrorCode::device,
                  "it did not answer within " + std::to_string(static_cast<int>(most_s + 0.5)) + " s");
    }
    if (cancelled && cancelled()) {
      end();
      return fail(ErrorCode::cancelled, "stopped");
    }
    pollfd waiting{line_, POLLIN, 0};
    if (::poll(&waiting, 1, kInterval_ms) <= 0) continue;
    const ssize_t count = ::recv(line_, block.data(), block.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return has_ended();
    pending_.append(block.data(), static_cast<size_t>(count));
  }
}

}  // namespace upres::tune
