#include "session/session.h"

namespace upres::session {

Result<JobReport> Session::run(const Job& job) {
  auto ticket = submit(job);
  if (!ticket) return propagate(ticket);
  return wait(*ticket);
}

}  // namespace upres::session
