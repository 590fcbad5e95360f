// The edge of the library: no exception crosses it.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/display_name.h"
#include "base/error.h"

namespace upres {

// What `run` returns (a Result), or what it threw as an error. The text about memory is short enough to need
// none.
template <typename F>
auto without_exceptions(F&& run) -> decltype(run()) {
  try {
    return std::forward<F>(run)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::input, "out of memory");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::input, one_line(exception.what()));
  } catch (...) {  // nothing below throws such things
    return fail(ErrorCode::usage,
                "a function or object of the caller threw something that is not a std::exception");
  }
}

}  // namespace upres
