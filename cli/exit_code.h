// Exit codes of the command.
#pragma once

#include "base/error.h"

namespace upres::cli {

inline constexpr int kDone = 0;
inline constexpr int kInputFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kDeviceFailed = 3;
inline constexpr int kModelFailed = 4;

// For a cancelled call see signals.h.
constexpr int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::input:
      return kInputFailed;
    case ErrorCode::usage:
      return kWrongUsage;
    case ErrorCode::device:
      return kDeviceFailed;
    case ErrorCode::model:
      return kModelFailed;
    case ErrorCode::cancelled:
      return kInputFailed;
  }
  return kInputFailed;
}

}  // namespace upres::cli
