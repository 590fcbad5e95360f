#include "session/gpu/vkc_error.h"

#include <string>

namespace upres::session {

tl::unexpected<Error> device_error(const vkc::Error& error, std::string_view doing) {
  return fail(ErrorCode::device, "while " + std::string(doing) + ": " + error.message, error.reasons);
}

}  // namespace upres::session
