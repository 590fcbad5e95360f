#include "base/error.h"

namespace upres {

Error Error::in_context(std::string_view context) const {
  return Error{code, std::string(context) + ": " + message, reasons};
}

std::string Error::text() const {
  std::string result = message;
  for (const std::string& reason : reasons) result += "\n  " + reason;
  return result;
}

}  // namespace upres
