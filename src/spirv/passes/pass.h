// What every pass over a module reports.
#pragma once

#include <string>
#include <utility>

namespace spirv {

enum class PassStatus { failed, unchanged, changed };

struct PassOutcome {
  PassStatus status = PassStatus::unchanged;
  std::string message = {};  // why it failed; empty otherwise

  static PassOutcome failed(std::string why) { return {PassStatus::failed, std::move(why)}; }
};

}  // namespace spirv
