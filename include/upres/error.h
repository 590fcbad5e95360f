// Errors and results, used by every library of the project. No exception crosses a library's edge.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace upres {

// What kind of thing went wrong; the command turns it into its exit code.
enum class ErrorCode {
  input,      // a picture or file: missing, damaged, too large, unsupported kind, cannot be written
  usage,      // a wrong option or argument
  device,     // no such device, a capability it lacks, a fault that nothing could take over
  model,      // not a model, an unsupported operator, a wrong tensor, not a picture network
  cancelled,  // the caller asked to stop
};

// What happened, to what, and what to do about it, in one line; `reasons` holds further lines, such as one
// per refused device.
struct Error {
  ErrorCode code = ErrorCode::input;
  std::string message;
  std::vector<std::string> reasons = {};

  // The same error with where it happened in front: "while planning node conv_7: ...".
  [[nodiscard]] Error in_context(std::string_view context) const;
  // The message and each reason on a line of its own, indented.
  [[nodiscard]] std::string text() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// `return fail(ErrorCode::model, "...")` in a function that returns any Result.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message,
                                  std::vector<std::string> reasons = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(reasons)});
}

// Passes the error of one result on as the error of another: `if (!x) return propagate(x);`
template <typename T>
tl::unexpected<Error> propagate(Result<T>& result) {
  return tl::unexpected<Error>(std::move(result.error()));
}
template <typename T>
tl::unexpected<Error> propagate(Result<T>& result, std::string_view context) {
  return tl::unexpected<Error>(result.error().in_context(context));
}

}  // namespace upres
