// What a compute module wants from its host: names, constants, bindings, push constants, group size, shared
// memory.
//
// Source: the SPIR-V specification, and the chapter "Shader Interfaces" of the Vulkan specification.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spirv/constants.h"
#include "spirv/module.h"

namespace spirv {

struct SpecConstant {
  std::string name;  // empty if the module does not name it
  std::uint32_t spec_id = 0;
  ScalarType type;
  std::uint64_t default_bits = 0;  // see SpecValue::bits
};

enum class ResourceKind : std::uint8_t {
  storage_buffer,
  uniform_buffer,
  storage_image,
  sampled_image,  // to be used with a sampler of its own
  sampler,
  image_and_sampler,  // combined
  uniform_texel_buffer,
  storage_texel_buffer,
  other,  // acceleration structures and whatever else
};
std::string_view to_text(ResourceKind kind);  // "storage buffer"

// Of an image resource: how the kernel sees it.
struct ImageType {
  std::uint32_t dimension = 1;  // specification, section 3.8: 0 is 1-D, 1 is 2-D, 2 is 3-D, 3 a cube
  std::uint32_t format = 0;     // section 3.11; 0: not declared
  bool arrayed = false;         // has layers
  bool multisampled = false;
  std::optional<ScalarType> channel = {};  // what a channel is read as; empty for types not understood
};

struct Resource {
  std::string name;  // the variable's, else the block's; empty if the module names neither
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  ResourceKind kind = ResourceKind::other;
  std::uint32_t count = 1;  // of an array of resources; 0: unbounded or by a constant not understood
  bool readonly = false;    // decorated NonWritable, or of a kind that cannot be written
  std::optional<ImageType> image = {};  // of images and combined ones
  std::uint32_t id = 0;                 // of the variable in the module
  // Of buffers, the least that one holds: the members of the block, with one element of a last array without
  // length. 0 for other kinds, and where it cannot be computed.
  std::uint64_t least_range_bytes = 0;
  bool grows = false;  // the block ends in an array without length
};

struct BlockMember {
  std::string name;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;         // to the end of the last scalar; 0 for types of unknown size
  std::optional<ScalarType> type = {};  // of the scalar, or of a vector's components; empty for other types
};

struct PushConstantBlock {
  std::string name;
  std::uint32_t size_bytes = 0;  // to the end of the last member
  std::vector<BlockMember> members;
};

struct GroupSize {
  // With the values given to reflect(), else defaults; empty where they cannot be computed.
  std::array<std::optional<std::uint32_t>, 3> values;
  // Where a dimension is a specialization constant: its specialization id.
  std::array<std::optional<std::uint32_t>, 3> spec_ids;
};

// A separate image that the kernel reads through a separate sampler: indices into Reflection::resources.
struct SampledPair {
  std::size_t image = 0;
  std::size_t sampler = 0;
  friend bool operator==(const SampledPair&, const SampledPair&) = default;
};

struct Reflection {
  Version version;
  std::string entry_point;
  GroupSize group_size;
  std::vector<SpecConstant> constants;  // in order of specialization id
  std::vector<Resource> resources;      // in order of set, then binding
  // Each pair once. Where a use cannot be traced to its variables, every image with every sampler.
  std::vector<SampledPair> sampled_pairs;
  std::optional<PushConstantBlock> push_constants;
  std::uint64_t shared_memory_bytes =
      0;  // of all variables of the workgroup, with natural alignment of scalars
  std::vector<std::uint32_t> capabilities;  // numbers of the specification, section 3.31
  std::vector<std::string> extensions;
};

// values: of specialization constants, for sizes that depend on them; others count with their defaults.
// Errors: not exactly one entry point; one that is no compute kernel; no group size; a resource without set
// or binding; decoration groups; shared memory whose size cannot be computed. Safe for hostile modules: time
// and memory are in proportion to the module.
Result<Reflection> reflect(const Module& module, std::span<const SpecValue> values = {});

}  // namespace spirv
