// The table of kernels: for each what it computes, when it is legal on a device, its tunables, and how an
// operator of the graph becomes one launch of it. No Vulkan here.
//
// Adding a kernel: shaders/<family>/<id>.slang, src/kernels/<family>/<id>.{h,cpp}, one line in
// kernel_table.cpp. Its device test and its benchmark appear from that line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "graph/graph.h"
#include "kernels/device_info.h"
#include "kernels/storage.h"

namespace upres::kernels {

// A specialization constant, by name.
struct Constant {
  std::string name;
  std::variant<bool, int32_t, uint32_t, float> value;
  friend bool operator==(const Constant&, const Constant&) = default;
};

struct GroupSize {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  friend bool operator==(const GroupSize&, const GroupSize&) = default;
};

// Who may give a tunable another value than the device database.
enum class TunedBy : uint8_t {
  search,  // `upres tune`, and the first use of a device
  tune,    // `upres tune` alone: it pays where neighbours have the same value, which a layer alone does not
           // tell
  hand,    // nobody but the files of the database: results become less exact
};

// A value of a kernel that the tuner may change, such as group_size_x. Values are tried in this order; the
// first is the default where the device database says nothing.
struct Tunable {
  std::string_view name;
  std::span<const uint32_t> values;
  TunedBy tuned_by = TunedBy::search;
};

// Chosen values of tunables, by name.
struct Tuning {
  std::string name;
  uint32_t value = 0;
};

// Invocations that a launch needs. y counts rows: every kernel can be launched for a range of them.
struct Grid {
  uint32_t width = 0;
  uint32_t rows = 0;
  uint32_t depth = 1;
  // A dispatch is one row of groups, whatever its range of rows: the groups share the rows among themselves.
  bool persistent = false;
  friend bool operator==(const Grid&, const Grid&) = default;
};

// Every push-constant block begins with this: rows of the grid that one dispatch computes, the first and the
// one after the last. The invocation in row `i` of the dispatch computes row row_begin + i. Ranges begin and
// end at whole rows of groups, or at the grid's end.
struct RowRange {
  uint32_t row_begin = 0;
  uint32_t row_end = 0;
};

// A tensor of a launch as the kernel sees it. Device tensors are packed, but rows of interleaved pixels are
// padded to a multiple of four pixels (device_row_bytes), so that kernels store whole 32-bit words.
struct LaunchTensor {
  TensorType type;
  Extent extent;
};

size_t device_row_bytes(const TensorType& type, const Extent& extent);
size_t device_bytes(const TensorType& type, const Extent& extent);

// How one node is computed at one size. What is chosen (KernelChoice) does not depend on it, so that tiles
// change nothing else.
struct Launch {
  Grid grid;
  std::vector<std::byte> push;  // begins with RowRange
};

// What a kernel is asked for: values of its tunables, and for convolutions the type of what is stored between
// them and of their weights, and the storage of the node's first input and output.
struct Selection {
  std::span<const Tuning> tuning = {};
  DType dtype = DType::f32;
  Storage input = {};
  Storage output = {};
};

// What is chosen once per node, before and independently of sizes.
struct KernelChoice {
  std::string_view kernel;          // id
  std::string variant;              // of the compiled module; empty: the plain one
  std::vector<Constant> constants;  // without the group size
  GroupSize group_size;
  DType dtype = DType::f32;
  Storage input = {};
  Storage output = {};

  // The value of an unsigned constant, which must be there.
  [[nodiscard]] uint32_t constant(std::string_view name) const;
};

// Name of the compiled module among the embedded shaders: the kernel's id, or id_variant.
std::string module_name(const KernelChoice& choice);

// Names of the bindings, in the order of the node's inputs, then outputs, then constant data (weights,
// biases, ...), then the tables that change with each job: only Resample has any, "first_samples" (int32
// [out]) and "weights" (float [out][taps]), made by make_resample_table.
struct BindingNames {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> constant_data;
  std::vector<std::string_view> tables = {};
};

// A member of the kernel's push-constant struct, for the test that compares it with the shader's.
struct PushField {
  std::string_view name;
  uint32_t offset_bytes = 0;
  uint32_t size_bytes = 0;
};

// A node's tensors and what varies with the job.
struct LaunchContext {
  const graph::Graph& graph;
  const graph::Node& node;
  std::span<const Extent> extents;  // of every value of the graph
  const KernelChoice& choice;       // of this kernel for this node
};

// One kernel. Stateless; all members are safe from any thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  [[nodiscard]] virtual std::string_view id() const = 0;       // "conv_naive"
  [[nodiscard]] virtual std::string_view family() const = 0;   // "conv"
  [[nodiscard]] virtual std::string_view summary() const = 0;  // one line for `doctor` and docs
  [[nodiscard]] virtual std::span<const Tunable> tunables() const = 0;
  // What a group computes with these tunables, in pixels of the output along x and y; sizes around it are
  // what tests try.
  [[nodiscard]] virtual GroupSize tile(std::span<const Tuning> tuning) const;
  // Whether this kernel computes this operator at all.
  [[nodiscard]] virtual bool computes(const graph::Graph& graph, const graph::Node& node) const = 0;
  // Types that it can store activations and weights in; all that are not convolutions: f32.
  [[nodiscard]] virtual std::span<const DType> dtypes() const;
  // What its first input may be stored as, and its first output; what it likes best comes first. Most can do
  // plain.
  [[nodiscard]] virtual std::vector<Storage> reads(const graph::Graph& graph, const graph::Node& node,
                                                   DType dtype) const;
  [[nodiscard]] virtual std::vector<Storage> writes(const graph::Graph& graph, const graph::Node& node,
                                                    DType dtype) const;
  // Whether it can compute the node on this device with these tunables and this type; in whatever storage.
  // Errors: device, naming limit and number.
  [[nodiscard]] virtual Status legal(const graph::Graph& graph, const graph::Node& node,
                                     const DeviceInfo& device, const Selection& selection) const = 0;
  [[nodiscard]] virtual KernelChoice choose(const graph::Graph& graph, const graph::Node& node,
                                            const Selection& selection) const = 0;
  [[nodiscard]] virtual BindingNames bindings(const graph::Graph& graph, const graph::Node& node) const = 0;
  // Constant data in the layout that the chosen module wants, one entry per BindingNames::constant_data.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> pack_constant_data(
      const graph::Graph& graph, const graph::Node& node, const KernelChoice& choice) const = 0;
  // Members of the push-constant struct in memory order; the first two are row_begin and row_end.
  [[nodiscard]] virtual std::span<const PushField> push_fields() const = 0;
  [[nodiscard]] virtual Launch launch(const LaunchContext& context) const = 0;
};

// All kernels, in the order in which they are preferred where the database says nothing.
std::span<const Kernel* const> all_kernels();
// Null when there is none of this name.
const Kernel* find_kernel(std::string_view id);

// Whether the kernel can store in this type.
bool has_dtype(const Kernel& kernel, DType dtype);

// Ways to choose a value for each tunable, 1 for a kernel without any; and the index-th of them, counting
// through the values of the first tunable fastest. Those that are set by hand keep their default.
size_t combination_count(const Kernel& kernel);
std::vector<Tuning> combination(const Kernel& kernel, size_t index);

// The tunable of kernels that can keep activations in images: what lies between two of them is an image where
// both have kInImages.
inline constexpr std::string_view kStorageTunable = "storage";
inline constexpr uint32_t kInBuffers = 0;
inline constexpr uint32_t kInImages = 1;

// The tunable of kernels that can add up in half precision: on many phones half the time, and half the
// registers, but every sum is rounded. Of f16 alone; in f32 it changes nothing.
inline constexpr std::string_view kHalfSums = "half_sums";
bool sums_in_half(const Selection& selection);

bool keeps_images(std::span<const Tuning> tuning);
// Those of a kernel's storages that it has with this tuning: images or packed buffers, never both.
std::vector<Storage> usable_storages(std::vector<Storage> all, std::span<const Tuning> tuning);
// A storage as the tuning wants it: packed becomes an image where it keeps images.
Storage tuned_storage(Storage storage, std::span<const Tuning> tuning);

// Every type and storage that the kernel can compute the node with; without tuning. None has an image on one
// side and a packed buffer on the other.
std::vector<Selection> all_selections(const Kernel& kernel, const graph::Graph& graph,
                                      const graph::Node& node);

// What a convolution is, for tables and the device database: "64->32 3x3 fp16", "1->64 5x5, 64->64
// 3x3 fp16"; empty for other operators.
std::string shape_text(const graph::Node& node, DType dtype);

// Values of the kernel's tunables: `tuning` where it names one, else the default.
std::vector<Tuning> complete_tuning(const Kernel& kernel, std::span<const Tuning> tuning);
GroupSize group_size_of(std::span<const Tuning> tuning);

}  // namespace upres::kernels
