// Compiles every kernel that the plans of the embedded models launch, and the database's defaults of all
// other convolutions and of resizing, on the Vulkan device at hand, which need not be able to run anything
// (scripts/offline_gpus.sh).
//
//   compile_plans                the device as `upres devices --json` prints it, then each kernel with its
//                                shape and group size, one JSON object a line. Exit status 1: one was refused
//   compile_plans --device       the device alone
//   compile_plans --tiles        the convolutions of the first model with every legal tile instead, in the
//                                database's group size
//   compile_plans --validation   under the validation layer; a message from it is a failure, too
#include <vkc/device.h>
#include <vkc/instance.h>
#include <vkc/kernel.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devicedb/devicedb.h"
#include "plan/plan.h"
#include "session/gpu/compiled_kernels.h"
#include "session/gpu/device_info.h"
#include "support/picture_graphs.h"

namespace {

using Json = nlohmann::ordered_json;
using upres::DType;

int fail(const std::string& what) {
  std::fprintf(stderr, "compile_plans: %s\n", what.c_str());
  return 1;
}

void print(const std::string& line) {
  std::puts(line.c_str());
  // Drivers write to stderr while they compile: keep the order.
  std::fflush(stdout);
}

// Compiles the kernels of chosen graphs, each one once.
class Compiler {
 public:
  explicit Compiler(const vkc::Device& device) : device_(device) {}

  bool compile(const upres::plan::ChosenGraph& chosen, std::string_view model) {
    bool is_good = true;
    for (size_t i = 0; i < chosen.nodes.size(); ++i)
      is_good &= compile(chosen.nodes[i].choice, chosen.graph.nodes()[i], model);
    return is_good;
  }

  // With every legal value of the tunables that are not group sizes.
  bool compile_tiles(const upres::plan::ChosenGraph& chosen, std::string_view model) {
    bool is_good = true;
    for (size_t i = 0; i < chosen.nodes.size(); ++i) {
      const upres::graph::Node& node = chosen.graph.nodes()[i];
      if (std::holds_alternative<upres::graph::Conv>(node.op))
        is_good &= compile_tiles(chosen, chosen.nodes[i], node, model);
    }
    return is_good;
  }

 private:
  bool compile_tiles(const upres::plan::ChosenGraph& chosen, const upres::plan::ChosenNode& here,
                     const upres::graph::Node& node, std::string_view model) {
    const upres::kernels::KernelChoice& choice = here.choice;
    bool is_good = true;
    for (size_t i = 0; i < upres::kernels::combination_count(*here.kernel); ++i) {
      const auto tuning = upres::kernels::combination(*here.kernel, i);
      if (upres::kernels::group_size_of(tuning) != choice.group_size) continue;
      const upres::kernels::Selection selection{tuning, choice.dtype, choice.input, choice.output};
      if (!here.kernel->legal(chosen.graph, node, chosen.device, selection)) continue;
      is_good &= compile(here.kernel->choose(chosen.graph, node, selection), node, model);
    }
    return is_good;
  }

  static std::string text_of(const upres::kernels::KernelChoice& choice) {
    const upres::kernels::GroupSize& group = choice.group_size;
    return upres::kernels::module_name(choice) + " " + upres::plan::constants_text(choice) + " " +
           std::to_string(group.x) + "x" + std::to_string(group.y) + "x" + std::to_string(group.z);
  }

  bool compile(const upres::kernels::KernelChoice& choice, const upres::graph::Node& node,
               std::string_view model) {
    if (!seen_.insert(text_of(choice)).second) return true;
    const upres::kernels::GroupSize& group = choice.group_size;
    Json json;
    json["event"] = "kernel";
    json["model"] = model;
    json["node"] = node.name;
    json["shape"] = upres::kernels::shape_text(node, choice.dtype);
    json["module"] = upres::kernels::module_name(choice);
    json["constants"] = upres::plan::constants_text(choice);
    json["group_size"] = {group.x, group.y, group.z};
    std::fprintf(stderr, "compile_plans: begin %s\n", text_of(choice).c_str());
    const auto kernel = upres::session::compile_kernel(device_, choice, node.name);
    std::fprintf(stderr, "compile_plans: end\n");
    if (!kernel) {
      json["error"] = kernel.error().text();
    } else {
      json["shared_memory_bytes"] = kernel->shared_memory_bytes();
    }
    print(json.dump());
    return kernel.has_value();
  }

  const vkc::Device& device_;
  std::set<std::string> seen_;
};

// The plans for one device.
class Plans {
 public:
  explicit Plans(const upres::kernels::DeviceInfo& info) : info_(info) {}

  // In each type that the device has; forced: id of a convolution kernel to use where it is legal, or empty.
  // compile_one(chosen graph) tells whether it could. False where it could not, or without force no plan is
  // possible.
  template <typename Compile>
  [[nodiscard]] bool compile(const upres::graph::Graph& graph, std::string_view forced,
                             const Compile& compile_one) const {
    bool is_good = true;
    for (const DType dtype : dtypes()) {
      const auto chosen = upres::plan::choose_kernels(graph, info_, database_,
                                                      {.forced_conv = std::string(forced), .dtype = dtype});
      if (chosen) {
        is_good &= compile_one(**chosen);
      } else if (forced.empty()) {
        is_good = false;
        std::fprintf(stderr, "compile_plans: %s\n", chosen.error().text().c_str());
      }
    }
    return is_good;
  }

 private:
  [[nodiscard]] std::vector<DType> dtypes() const {
    const bool half = info_.limits.fp16_storage && info_.limits.fp16_arithmetic;
    return half ? std::vector{DType::f32, DType::f16} : std::vector{DType::f32};
  }

  const upres::kernels::DeviceInfo& info_;
  upres::devicedb::Database database_ = upres::devicedb::Database::embedded();
};

std::vector<std::string_view> convolution_kernels() {
  std::vector<std::string_view> ids;
  for (const upres::kernels::Kernel* kernel : upres::kernels::all_kernels()) {
    if (kernel->family() == "conv") ids.push_back(kernel->id());
  }
  return ids;
}

upres::Result<upres::testing::NamedGraph> resized_graph() {
  upres::graph::PictureOptions options;
  options.resize = {{40, 30}, {100, 75}};
  return upres::testing::picture_graph(upres::models::all().front(), options);
}

bool compile_tiles(const Plans& plans, const upres::testing::NamedGraph& model, Compiler& compiler) {
  return plans.compile(model.graph, "",
                       [&](const auto& chosen) { return compiler.compile_tiles(chosen, model.name); });
}

bool compile_plans(const Plans& plans, std::span<const upres::testing::NamedGraph> models,
                   Compiler& compiler) {
  bool is_good = true;
  const auto compile = [&](const upres::testing::NamedGraph& model, std::string_view forced) {
    is_good &= plans.compile(model.graph, forced,
                             [&](const auto& chosen) { return compiler.compile(chosen, model.name); });
  };
  for (const upres::testing::NamedGraph& model : models) compile(model, "");
  for (const std::string_view forced : convolution_kernels()) compile(models.front(), forced);
  return is_good;
}

int compile_all(const vkc::PhysicalDevice& physical, const upres::kernels::DeviceInfo& info, bool tiles) {
  const auto device = vkc::Device::open(physical);
  if (!device) return fail(device.error().text());
  auto models = upres::testing::picture_graphs();
  if (!models) return fail(models.error().text());
  auto resized = resized_graph();
  if (!resized) return fail(resized.error().text());
  models->push_back(std::move(*resized));
  Compiler compiler(*device);
  const Plans plans(info);
  const bool is_good =
      tiles ? compile_tiles(plans, models->front(), compiler) : compile_plans(plans, *models, compiler);
  return is_good ? 0 : 1;
}

struct Options {
  bool device_only = false;
  bool tiles = false;
  bool validation = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--device") {
      options.device_only = true;
    } else if (option == "--tiles") {
      options.tiles = true;
    } else if (option == "--validation") {
      options.validation = true;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

// Layers older than VK_KHR_cooperative_matrix complain about its structs and about the extension itself.
bool is_of_old_layer(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMarks = {
      "unknown VkStructureType (1000506000)", "unknown VkStructureType (1000506002)",
      "VK_KHR_cooperative_matrix is not supported by this layer"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

// Counts what vkc and the validation layer complain about, which goes to stderr.
vkc::Result<vkc::Instance> make_instance(bool validation, std::atomic<int>& complaints) {
  vkc::InstanceOptions options;
  options.application_name = "compile_plans";
  options.validation = validation;
  options.log = [&](vkc::Severity severity, std::string_view text) {
    if (severity < vkc::Severity::warning || is_of_old_layer(text)) return;
    ++complaints;
    std::fprintf(stderr, "%s\n", std::string(text).c_str());
  };
  return vkc::Instance::create(options);
}

int run(const Options& options) {
  std::atomic<int> complaints = 0;
  const auto instance = make_instance(options.validation, complaints);
  if (!instance) return fail(instance.error().text());
  const auto devices = instance->physical_devices();
  if (!devices) return fail(devices.error().text());
  if (devices->size() != 1) return fail("there are " + std::to_string(devices->size()) + " devices, not one");
  const vkc::PhysicalDevice& physical = devices->front();
  const upres::kernels::DeviceInfo info = upres::session::device_info(physical);
  std::string refused;
  for (const std::string& refusal : physical.refusals()) refused += (refused.empty() ? "" : "; ") + refusal;
  print(upres::devicedb::device_info_to_json(info, 0, refused));
  if (options.device_only) return 0;
  const int status = compile_all(physical, info, options.tiles);
  if (complaints > 0) return fail(std::to_string(complaints) + " messages of the validation layer");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  return options ? run(*options) : fail("usage: compile_plans [--device] [--tiles] [--validation]");
}
