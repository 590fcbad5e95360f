// Graph + DeviceInfo + database -> what a GPU is to run. Made without a GPU: a golden text test for any
// device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "devicedb/devicedb.h"
#include "graph/graph.h"
#include "kernels/kernel.h"

namespace upres::plan {

struct ChooseOptions {
  std::string forced_conv;  // id of a convolution kernel to use wherever it is legal; empty: the best
  // f16: activations between convolutions and their weights are stored so, where a kernel can; sums are f32.
  DType dtype = DType::f32;
};

// The kernel of one node, with its tunables and its weights in the kernel's layout. Independent of sizes.
struct ChosenNode {
  const kernels::Kernel* kernel = nullptr;
  kernels::KernelChoice choice;
  std::vector<std::vector<std::byte>> constant_data;
};

// Made once per graph and device, shared by all plans of all window sizes.
struct ChosenGraph {
  graph::Graph graph;
  kernels::DeviceInfo device;
  std::vector<ChosenNode> nodes;           // one per node of the graph
  std::vector<kernels::Storage> storages;  // one per value of the graph
};

// Picks kernel, variant and constants for every node, and how what lies between them is stored. Errors:
// device, when no kernel is legal for a node (each with its reason), the forced one is legal nowhere, or f16
// is asked for and no convolution can have it; usage, when there is no kernel of that name (lists those there
// are).
Result<std::shared_ptr<const ChosenGraph>> choose_kernels(const graph::Graph& graph,
                                                          const kernels::DeviceInfo& device,
                                                          const devicedb::Database& database,
                                                          const ChooseOptions& options = {});

enum class ResourceKind {
  input,    // written by the host before the run; offset within the input block
  output,   // read by the host afterwards; offset within the output block
  scratch,  // offset within the scratch arena
  weights,  // offset within the weight block, the same for all plans of one ChosenGraph
  table,    // of a Resample, made by the session per job; offset within the input block
  image,    // an image of its own, Plan::images[image]
};

// Names of the bindings of a Resample's tables (kernels::BindingNames::tables).
inline constexpr std::string_view kFirstSamples = "first_samples";  // int32 [out]
inline constexpr std::string_view kTapWeights = "weights";          // float [out][taps]

struct Resource {
  std::string name;
  ResourceKind kind = ResourceKind::scratch;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
  bool zeroed = false;  // must hold zeros before the first step (statistics)
  uint32_t image = 0;   // index into Plan::images
};

// A 3-D image for values that live at different times; its memory the device decides.
struct ImageDescription {
  kernels::TexelExtent extent;
  DType dtype = DType::f32;  // of a texel's four channels: f32 or f16
  friend bool operator==(const ImageDescription&, const ImageDescription&) = default;
  // Of the texels; the device may take more.
  [[nodiscard]] uint64_t size_bytes() const;
};

struct Binding {
  std::string_view name;  // in the shader
  uint32_t resource = 0;  // index into Plan::resources
};

// One launch; may be run in several dispatches over ranges of rows.
struct Step {
  std::string node;
  uint32_t node_index = 0;
  kernels::KernelChoice choice;
  kernels::Grid grid;
  std::vector<std::byte> push;  // begins with kernels::RowRange {0, grid.rows}
  std::vector<Binding> bindings;
  bool barrier_before =
      false;  // reads something that an earlier step since the last barrier wrote, or overwrites it
  uint64_t flops = 0;
  uint64_t bytes = 0;  // read and written, each tensor once
};

struct Plan {
  std::shared_ptr<const ChosenGraph> chosen;
  std::vector<Extent> extents;  // of every value
  std::vector<Resource> resources;
  std::vector<ImageDescription> images;
  std::vector<uint32_t> inputs;   // resource of each graph input
  std::vector<uint32_t> outputs;  // resource of each graph output
  std::vector<Step> steps;
  uint64_t input_bytes = 0;
  uint64_t output_bytes = 0;
  uint64_t scratch_bytes = 0;
  uint64_t weights_bytes = 0;
};

// The weight block: every ChosenNode's constant data at the offsets that plans refer to.
struct WeightBlock {
  std::vector<std::byte> bytes;
};
WeightBlock pack_weights(const ChosenGraph& chosen);

// Whether plans of this network may keep something in images on this device, as far as the database says.
bool may_use_images(const graph::Graph& graph, const kernels::DeviceInfo& device,
                    const devicedb::Database& database);

// Errors: model (a convolution without output), device (a tensor beyond a limit, named with number).
Result<Plan> make_plan(std::shared_ptr<const ChosenGraph> chosen, std::span<const Extent> inputs,
                       const Extent& resampled = {});

// A choice's constants, "in_channels=1 apply_relu=true": empty where it has none.
std::string constants_text(const kernels::KernelChoice& choice);

// One line a step: kernel, constants, group size, grid, bindings with offsets, barrier; then the memory. For
// `inspect
// --plan` and golden tests.
std::string to_text(const Plan& plan);

}  // namespace upres::plan
