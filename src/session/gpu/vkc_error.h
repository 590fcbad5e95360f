// vkc's errors as errors of upres.
#pragma once

#include <vkc/error.h>

#include <string_view>

#include "base/error.h"

namespace upres::session {

// "while <doing what>: <vkc's message>", code device, vkc's reasons.
tl::unexpected<Error> device_error(const vkc::Error& error, std::string_view doing);

}  // namespace upres::session
