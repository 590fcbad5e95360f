// A child process with which one talks in lines.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace upres::tune {

// Owns the child: destruction ends it. The child's standard input and output are the line, its standard error
// is thrown away, and it is in a process group of its own, so that an interrupt from the terminal reaches the
// parent alone. One thread at a time.
class WorkerProcess {
 public:
  // `command`: the program and its arguments. Errors: input, when it cannot be started.
  static Result<WorkerProcess> start(const std::vector<std::string>& command);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();

  // Sends a line (empty: nothing) and waits for the next one, at most so long; `cancelled` is asked several
  // times a second. Errors end the child: device ("signal 11 ended it", "it did not answer within 10 s"),
  // cancelled.
  Result<std::string> ask(std::string_view line, double most_s, const std::function<bool()>& cancelled);

  // Whether it runs; what ended while nobody asked anything is nobody's fault.
  [[nodiscard]] bool is_running() const;

 private:
  WorkerProcess(pid_t id, int line) : id_(id), line_(line) {}
  Status send(std::string_view text);
  tl::unexpected<Error> has_ended();
  int end();

  pid_t id_ = -1;
  int line_ = -1;
  std::string pending_;
};

}  // namespace upres::tune
