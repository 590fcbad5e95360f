#include <array>
#include <string>

#include "graph/passes/passes.h"
#include "graph/verify.h"

namespace upres::graph {
namespace {

struct Pass {
  std::string_view name;
  PassStatus (*run)(Graph&);
};

constexpr std::array kPasses = {
    Pass{"remove_identities", remove_identities},
    Pass{"fuse_pixel_shuffle", fuse_pixel_shuffle},
    Pass{"fuse_relu", fuse_relu},
    Pass{"fuse_shuffle_into_decode", fuse_shuffle_into_decode},
    Pass{"remove_dead_nodes", remove_dead_nodes},
};

}  // namespace

Status simplify(Graph& graph) {
  if (auto status = verify(graph); !status) return status;
  for (const Pass& pass : kPasses) {
    if (pass.run(graph) == PassStatus::unchanged) continue;
    if (auto status = verify(graph); !status) return propagate(status, "after " + std::string(pass.name));
  }
  return {};
}

}  // namespace upres::graph
