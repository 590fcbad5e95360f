#include "spirv/reflect.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

namespace spirv {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;  // sizes stop growing here: beyond any device

constexpr std::size_t kMostPairs = 4096;  // more than any device has bindings for

struct Decorations {
  std::unordered_map<std::uint32_t, std::uint32_t> values;  // decoration -> its operand, 0 without one

  [[nodiscard]] bool has(Decoration decoration) const {
    return values.contains(static_cast<std::uint32_t>(decoration));
  }
  [[nodiscard]] std::optional<std::uint32_t> value(Decoration decoration) const {
    const auto at = values.find(static_cast<std::uint32_t>(decoration));
    if (at == values.end()) return std::nullopt;
    return at->second;
  }
};

// Size and alignment in bytes, without padding at the end; kUnknown for types that have none.
struct Layout {
  std::uint64_t size_bytes = kUnknown;
  std::uint64_t align_bytes = 1;
};

// What the last member of a block counts as, if it is an array without length.
enum class LastArray { has_length, has_one_element };

std::uint64_t member_key(std::uint32_t type, std::uint32_t member) {
  return std::uint64_t{type} << 32 | member;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) { return b != 0 && a > kHuge / b ? kHuge : a * b; }

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

// Everything that is told before functions begin, by id.
class Index {
 public:
  Index(const Module& module, std::span<const SpecValue> spec_values)
      : definitions(module), constants(module, spec_values) {
    for (const Instruction instruction : module) {
      if (instruction.op() == Op::Function) break;
      add(instruction);
    }
  }

  [[nodiscard]] std::string name(std::uint32_t id) const {
    const auto at = names_.find(id);
    return at == names_.end() ? std::string() : at->second;
  }
  [[nodiscard]] std::string member_name(std::uint32_t type, std::uint32_t member) const {
    const auto at = member_names_.find(member_key(type, member));
    return at == member_names_.end() ? std::string() : at->second;
  }
  [[nodiscard]] const Decorations& decorations(std::uint32_t id) const {
    const auto at = decorations_.find(id);
    return at == decorations_.end() ? none_ : at->second;
  }
  [[nodiscard]] const Decorations& member_decorations(std::uint32_t type, std::uint32_t member) const {
    const auto at = member_decorations_.find(member_key(type, member));
    return at == member_decorations_.end() ? none_ : at->second;
  }
  [[nodiscard]] Layout layout(std::uint32_t type) const {
    const auto at = layouts_.find(type);
    return at == layouts_.end() ? Layout{} : at->second;
  }
  // The least that a buffer with this block holds; 0 where that cannot be computed.
  [[nodiscard]] std::uint64_t least_block_bytes(std::uint32_t type) const {
    const auto at = least_block_bytes_.find(type);
    const std::uint64_t bytes = at == least_block_bytes_.end() ? layout(type).size_bytes : at->second;
    return bytes == kUnknown ? 0 : bytes;
  }
  // The type that a pointer type points to; empty for other types.
  [[nodiscard]] Instruction pointee(std::uint32_t pointer) const {
    const Instruction type = definitions.find(pointer);
    if (type.words.empty() || type.op() != Op::TypePointer) return {};
    return definitions.find(type.words[3]);
  }

  Definitions definitions;
  ConstantValues constants;
  std::vector<Instruction> entry_points;
  std::vector<Instruction> execution_modes;
  std::vector<Instruction> variables;
  std::vector<Instruction> spec_constants;
  std::vector<std::uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::uint32_t workgroup_size = 0;  // id of the constant decorated so
  bool has_groups = false;

 private:
  void add(const Instruction& instruction);
  void add_decoration(Decorations& to, std::span<const std::uint32_t> words) {
    to.values.emplace(words[0], words.size() > 1 ? words[1] : 0);
  }
  [[nodiscard]] Layout layout_of(const Instruction& type) const;
  [[nodiscard]] Layout array_layout(const Instruction& type) const;
  [[nodiscard]] Layout struct_layout(const Instruction& type, LastArray last) const;
  [[nodiscard]] Layout member_layout(const Instruction& type, std::uint32_t member) const;
  [[nodiscard]] Layout one_element(const Instruction& type) const;

  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint64_t, std::string> member_names_;
  std::unordered_map<std::uint32_t, Decorations> decorations_;
  std::unordered_map<std::uint64_t, Decorations> member_decorations_;
  std::unordered_map<std::uint32_t, Layout> layouts_;
  std::unordered_map<std::uint32_t, std::uint64_t> least_block_bytes_;  // of structures that have no layout
  Decorations none_;
};

void Index::add(const Instruction& instruction) {
  const auto& words = instruction.words;
  switch (instruction.op()) {
    case Op::Name:
      names_.emplace(words[1], instruction.text(2));
      break;
    case Op::MemberName:
      member_names_.emplace(member_key(words[1], words[2]), instruction.text(3));
      break;
    case Op::Extension:
      extensions.push_back(instruction.text(1));
      break;
    case Op::Capability:
      capabilities.push_back(words[1]);
      break;
    case Op::EntryPoint:
      entry_points.push_back(instruction);
      break;
    case Op::ExecutionMode:
    case Op::ExecutionModeId:
      execution_modes.push_back(instruction);
      break;
    case Op::Decorate: {
      add_decoration(decorations_[words[1]], words.subspan(2));
      const bool built_in = static_cast<Decoration>(words[2]) == Decoration::BuiltIn;
      if (built_in && words[3] == kBuiltInWorkgroupSize) workgroup_size = words[1];
      break;
    }
    case Op::MemberDecorate:
      add_decoration(member_decorations_[member_key(words[1], words[2])], words.subspan(3));
      break;
    case Op::DecorationGroup:
      has_groups = true;
      break;
    case Op::Variable:
      variables.push_back(instruction);
      break;
    case Op::SpecConstantTrue:
    case Op::SpecConstantFalse:
    case Op::SpecConstant:
      spec_constants.push_back(instruction);
      break;
    default:
      break;
  }
  // A type's layout needs those of its parts, which are defined before it: no recursion, whatever the module
  // holds.
  if (instruction.op() >= Op::TypeVoid && instruction.op() <= Op::TypeFunction)
    layouts_[words[1]] = layout_of(instruction);
  if (instruction.op() == Op::TypeStruct && layout(words[1]).size_bytes == kUnknown)
    least_block_bytes_[words[1]] = struct_layout(instruction, LastArray::has_one_element).size_bytes;
}

Layout Index::layout_of(const Instruction& type) const {
  const auto& words = type.words;
  switch (type.op()) {
    case Op::TypeBool:
      return {4, 4};
    case Op::TypeInt:
    case Op::TypeFloat: {
      const auto scalar = scalar_type(type);
      if (!scalar) return {};
      return {scalar->width_bits / 8, scalar->width_bits / 8};
    }
    case Op::TypeVector:
    case Op::TypeMatrix: {
      const Layout part = layout(words[2]);
      if (part.size_bytes == kUnknown) return {};
      return {product(part.size_bytes, words[3]), part.align_bytes};
    }
    case Op::TypeArray:
      return array_layout(type);
    case Op::TypeStruct:
      return struct_layout(type, LastArray::has_length);
    default:
      return {};
  }
}

Layout Index::array_layout(const Instruction& type) const {
  const Layout element = layout(type.words[2]);
  const auto count = constants.unsigned_value(type.words[3]);
  if (element.size_bytes == kUnknown || !count || *count == 0) return {};  // no array is empty in SPIR-V
  const std::uint64_t natural = rounded_up(element.size_bytes, element.align_bytes);
  const std::uint64_t stride = decorations(type.words[1]).value(Decoration::ArrayStride).value_or(0);
  return {product(std::max(natural, stride), *count), element.align_bytes};
}

// Of an array without length: of one element, with the padding behind it.
Layout Index::one_element(const Instruction& type) const {
  if (type.words.empty() || type.op() != Op::TypeRuntimeArray) return {};
  const Layout element = layout(type.words[2]);
  if (element.size_bytes == kUnknown) return {};
  const std::uint64_t natural = rounded_up(element.size_bytes, element.align_bytes);
  const std::uint64_t stride = decorations(type.words[1]).value(Decoration::ArrayStride).value_or(0);
  return {std::max(natural, stride), element.align_bytes};
}

// The columns of a matrix, or its rows, may lie apart: the member says so, not the type.
Layout Index::member_layout(const Instruction& type, std::uint32_t member) const {
  const std::uint32_t id = type.words[member + 2];
  const Layout tight = layout(id);
  const Decorations& decorated = member_decorations(type.words[1], member);
  const auto stride = decorated.value(Decoration::MatrixStride);
  if (tight.size_bytes == kUnknown || !stride) return tight;
  const Instruction matrix = definitions.find(id);
  if (matrix.words.empty() || matrix.op() != Op::TypeMatrix || matrix.words[3] == 0) return tight;
  const std::uint64_t columns = matrix.words[3], column_bytes = layout(matrix.words[2]).size_bytes;
  const std::uint64_t rows = column_bytes / tight.align_bytes;
  const bool by_rows = decorated.has(Decoration::RowMajor) && rows > 0;
  const std::uint64_t apart = by_rows ? product(rows - 1, *stride) + product(columns, tight.align_bytes)
                                      : product(columns - 1, *stride) + column_bytes;
  return {std::max(tight.size_bytes, apart), tight.align_bytes};
}

Layout Index::struct_layout(const Instruction& type, LastArray last) const {
  Layout result{0, 1};
  for (std::uint32_t i = 0; i + 2 < type.words.size(); ++i) {
    Layout member = member_layout(type, i);
    if (last == LastArray::has_one_element && member.size_bytes == kUnknown && i + 3 == type.words.size())
      member = one_element(definitions.find(type.words[i + 2]));
    if (member.size_bytes == kUnknown) return {};
    const auto offset = member_decorations(type.words[1], i).value(Decoration::Offset);
    const std::uint64_t begin = offset ? *offset : rounded_up(result.size_bytes, member.align_bytes);
    result.size_bytes = std::min(kHuge, std::max(result.size_bytes, begin + member.size_bytes));
    result.align_bytes = std::max(result.align_bytes, member.align_bytes);
  }
  return result;
}

ResourceKind image_kind(const Instruction& image) {
  const bool storage = image.words[7] == 2;
  if (image.words[3] == kDimBuffer)
    return storage ? ResourceKind::storage_texel_buffer : ResourceKind::uniform_texel_buffer;
  return storage ? ResourceKind::storage_image : ResourceKind::sampled_image;
}

ResourceKind resource_kind(const Index& index, const Instruction& type, StorageClass storage) {
  switch (type.op()) {
    case Op::TypeImage:
      return image_kind(type);
    case Op::TypeSampler:
      return ResourceKind::sampler;
    case Op::TypeSampledImage:
      return ResourceKind::image_and_sampler;
    case Op::TypeStruct:
      // Before SPIR-V 1.3 storage buffers were Uniform variables with a BufferBlock.
      if (storage == StorageClass::StorageBuffer) return ResourceKind::storage_buffer;
      return index.decorations(type.words[1]).has(Decoration::BufferBlock) ? ResourceKind::storage_buffer
                                                                           : ResourceKind::uniform_buffer;
    default:
      return ResourceKind::other;
  }
}

ImageType image_type(const Index& index, const Instruction& image) {
  const auto& words = image.words;
  ImageType result;
  result.dimension = words[3];
  result.arrayed = words[5] != 0;
  result.multisampled = words[6] != 0;
  result.format = words[8];
  const Instruction channel = index.definitions.find(words[2]);
  if (!channel.words.empty()) result.channel = scalar_type(channel);
  return result;
}

// Of an image, or of the image in a combined one.
std::optional<ImageType> image_type_of(const Index& index, const Instruction& type) {
  if (type.op() == Op::TypeImage) return image_type(index, type);
  if (type.op() != Op::TypeSampledImage) return std::nullopt;
  const Instruction image = index.definitions.find(type.words[2]);
  if (image.words.empty() || image.op() != Op::TypeImage) return std::nullopt;
  return image_type(index, image);
}

bool is_readonly(const Index& index, const Instruction& type, std::uint32_t variable, ResourceKind kind) {
  if (kind == ResourceKind::storage_buffer) {
    if (index.decorations(variable).has(Decoration::NonWritable)) return true;
    const std::size_t members = type.words.size() - 2;
    for (std::uint32_t i = 0; i < members; ++i) {
      if (!index.member_decorations(type.words[1], i).has(Decoration::NonWritable)) return false;
    }
    return members > 0;
  }
  if (kind == ResourceKind::storage_image || kind == ResourceKind::storage_texel_buffer ||
      kind == ResourceKind::other) {
    return index.decorations(variable).has(Decoration::NonWritable);
  }
  return true;
}

bool is_resource(StorageClass storage) {
  return storage == StorageClass::UniformConstant || storage == StorageClass::Uniform ||
         storage == StorageClass::StorageBuffer;
}

Result<Resource> resource(const Index& index, const Instruction& variable) {
  const std::uint32_t id = variable.words[2];
  const Decorations& decorations = index.decorations(id);
  Resource result;
  result.name = index.name(id);
  Instruction type = index.pointee(variable.words[1]);
  if (!type.words.empty() && (type.op() == Op::TypeArray || type.op() == Op::TypeRuntimeArray)) {
    const bool bounded = type.op() == Op::TypeArray;
    result.count = bounded ? index.constants.unsigned_value(type.words[3]).value_or(0) : 0;
    type = index.definitions.find(type.words[2]);
  }
  if (type.words.empty()) return fail("the type of resource \"" + result.name + "\" is not defined");
  if (result.name.empty()) result.name = index.name(type.words[1]);
  const auto set = decorations.value(Decoration::DescriptorSet);
  const auto binding = decorations.value(Decoration::Binding);
  if (!set || !binding) return fail("resource \"" + result.name + "\" has no descriptor set or binding");
  result.set = *set;
  result.binding = *binding;
  result.kind = resource_kind(index, type, static_cast<StorageClass>(variable.words[3]));
  result.readonly = is_readonly(index, type, id, result.kind);
  result.image = image_type_of(index, type);
  if (result.kind == ResourceKind::storage_buffer || result.kind == ResourceKind::uniform_buffer) {
    result.least_range_bytes = index.least_block_bytes(type.words[1]);
    result.grows = index.layout(type.words[1]).size_bytes == kUnknown;
  }
  result.id = id;
  return result;
}

Result<PushConstantBlock> push_constant_block(const Index& index, const Instruction& variable) {
  PushConstantBlock block;
  block.name = index.name(variable.words[2]);
  const Instruction type = index.pointee(variable.words[1]);
  if (type.words.empty() || type.op() != Op::TypeStruct)
    return fail("the push-constant block \"" + block.name + "\" is no structure");
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i + 2 < type.words.size(); ++i) {
    const std::uint32_t member_type = type.words[i + 2];
    const Layout layout = index.layout(member_type);
    BlockMember member;
    member.name = index.member_name(type.words[1], i);
    member.offset_bytes = index.member_decorations(type.words[1], i).value(Decoration::Offset).value_or(0);
    member.size_bytes =
        layout.size_bytes == kUnknown
            ? 0
            : static_cast<std::uint32_t>(std::min<std::uint64_t>(layout.size_bytes, UINT32_MAX));
    const Instruction described = index.definitions.find(member_type);
    const bool vector = !described.words.empty() && described.op() == Op::TypeVector;
    member.type = scalar_type(vector ? index.definitions.find(described.words[2]) : described);
    end = std::max(end, std::uint64_t{member.offset_bytes} + member.size_bytes);
    block.members.push_back(std::move(member));
  }
  block.size_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, UINT32_MAX));
  return block;
}

Result<void> add_variable(const Index& index, const Instruction& variable, Reflection& result) {
  const auto storage = static_cast<StorageClass>(variable.words[3]);
  if (is_resource(storage)) {
    auto found = resource(index, variable);
    if (!found) return tl::unexpected(found.error());
    result.resources.push_back(std::move(*found));
  } else if (storage == StorageClass::PushConstant) {
    if (result.push_constants) return fail("the module has two push-constant blocks");
    auto block = push_constant_block(index, variable);
    if (!block) return tl::unexpected(block.error());
    result.push_constants = std::move(*block);
  } else if (storage == StorageClass::Workgroup) {
    const Instruction pointer = index.definitions.find(variable.words[1]);
    const bool is_pointer = !pointer.words.empty() && pointer.op() == Op::TypePointer;
    const Layout layout = is_pointer ? index.layout(pointer.words[3]) : Layout{};
    if (layout.size_bytes == kUnknown) {
      return fail("the size of shared variable \"" + index.name(variable.words[2]) +
                  "\" cannot be computed, or is 0");
    }
    const std::uint64_t begin = rounded_up(result.shared_memory_bytes, layout.align_bytes);
    result.shared_memory_bytes = std::min(kHuge, begin + layout.size_bytes);
  }
  return {};
}

// Adds each image of the list with each sampler of it.
void add_all_pairs(const std::vector<Resource>& resources,
                   std::set<std::pair<std::size_t, std::size_t>>& to) {
  for (std::size_t image = 0; image < resources.size(); ++image) {
    if (resources[image].kind != ResourceKind::sampled_image) continue;
    for (std::size_t sampler = 0; sampler < resources.size() && to.size() < kMostPairs; ++sampler) {
      if (resources[sampler].kind == ResourceKind::sampler) to.emplace(image, sampler);
    }
  }
}

// Follows each OpSampledImage back to the variables that its parts were loaded from.
std::vector<SampledPair> sampled_pairs(const Module& module, const std::vector<Resource>& resources) {
  std::unordered_map<std::uint32_t, std::size_t> by_variable;
  for (std::size_t i = 0; i < resources.size(); ++i) by_variable.emplace(resources[i].id, i);
  std::unordered_map<std::uint32_t, std::size_t> loaded;  // result of the load -> resource
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  bool traced = true;
  for (const Instruction instruction : module) {
    const auto& words = instruction.words;
    if (instruction.op() == Op::Load) {
      if (const auto at = by_variable.find(words[3]); at != by_variable.end())
        loaded.emplace(words[2], at->second);
    } else if (instruction.op() == Op::SampledImage) {
      const auto image = loaded.find(words[3]), sampler = loaded.find(words[4]);
      const bool known = image != loaded.end() && sampler != loaded.end() &&
                         resources[image->second].kind == ResourceKind::sampled_image &&
                         resources[sampler->second].kind == ResourceKind::sampler;
      if (known && pairs.size() < kMostPairs) pairs.emplace(image->second, sampler->second);
      traced = traced && known;
    }
  }
  if (!traced) add_all_pairs(resources, pairs);
  std::vector<SampledPair> result;
  for (const auto& [image, sampler] : pairs) result.push_back({image, sampler});
  return result;
}

std::vector<SpecConstant> spec_constants(const Index& index, const ConstantValues& defaults) {
  std::vector<SpecConstant> result;
  for (const Instruction& instruction : index.spec_constants) {
    const std::uint32_t id = instruction.words[2];
    const auto spec_id = index.constants.spec_ids().find(id);
    const ConstantBits* value = defaults.find(id);
    if (spec_id == index.constants.spec_ids().end() || value == nullptr) continue;
    result.push_back({index.name(id), spec_id->second, value->type, value->components[0]});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const SpecConstant& a, const SpecConstant& b) { return a.spec_id < b.spec_id; });
  return result;
}

void set_dimension(const Index& index, std::uint32_t id, std::size_t dimension, GroupSize& result) {
  result.values[dimension] = index.constants.unsigned_value(id);
  const auto spec_id = index.constants.spec_ids().find(id);
  if (spec_id != index.constants.spec_ids().end()) result.spec_ids[dimension] = spec_id->second;
}

// Compilers of GLSL leave the constants of local_size_x_id without names; they are a kernel's group size all
// the same.
void name_group_size(const GroupSize& size, std::vector<SpecConstant>& constants) {
  constexpr std::array kNames = {"group_size_x", "group_size_y", "group_size_z"};
  for (SpecConstant& constant : constants) {
    for (std::size_t i = 0; constant.name.empty() && i < 3; ++i)
      if (size.spec_ids[i] == constant.spec_id) constant.name = kNames[i];
  }
  // Where the source declares the same constant by name, the compiler makes two of it.
  const auto is_same = [](const SpecConstant& a, const SpecConstant& b) {
    return a.spec_id == b.spec_id && a.name == b.name;
  };
  constants.erase(std::unique(constants.begin(), constants.end(), is_same), constants.end());
}

// The constant decorated WorkgroupSize goes before the execution modes.
Result<GroupSize> group_size(const Index& index, std::uint32_t entry_point) {
  GroupSize result;
  const Instruction decorated = index.definitions.find(index.workgroup_size);
  if (!decorated.words.empty() && decorated.words.size() == 6) {
    for (std::size_t i = 0; i < 3; ++i) set_dimension(index, decorated.words[3 + i], i, result);
    return result;
  }
  for (const Instruction& mode : index.execution_modes) {
    if (mode.words[1] != entry_point) continue;
    const auto kind = static_cast<ExecutionMode>(mode.words[2]);
    if (kind == ExecutionMode::LocalSize) {
      for (std::size_t i = 0; i < 3; ++i) result.values[i] = mode.words[3 + i];
      return result;
    }
    if (kind == ExecutionMode::LocalSizeId) {
      for (std::size_t i = 0; i < 3; ++i) set_dimension(index, mode.words[3 + i], i, result);
      return result;
    }
  }
  return fail("the entry point has no group size");
}

Result<Instruction> only_entry_point(const Index& index) {
  if (index.entry_points.size() == 1) {
    if (index.entry_points[0].words[1] == kExecutionModelGLCompute) return index.entry_points[0];
    return fail("entry point \"" + index.entry_points[0].text(3) + "\" is not a compute kernel");
  }
  std::string names;
  for (const Instruction& entry_point : index.entry_points) names += " \"" + entry_point.text(3) + "\"";
  if (names.empty()) return fail("the module has no entry point");
  return fail("the module has several entry points, where one is wanted:" + names);
}

Result<void> check_entry_function(const Module& module, const Instruction& entry_point) {
  for (const Instruction instruction : module)
    if (instruction.op() == Op::Function && instruction.words[2] == entry_point.words[2]) return {};
  return fail("the function of entry point \"" + entry_point.text(3) + "\" is missing");
}

}  // namespace

std::string_view to_text(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::storage_buffer:
      return "storage buffer";
    case ResourceKind::uniform_buffer:
      return "uniform buffer";
    case ResourceKind::storage_image:
      return "storage image";
    case ResourceKind::sampled_image:
      return "sampled image";
    case ResourceKind::sampler:
      return "sampler";
    case ResourceKind::image_and_sampler:
      return "combined image and sampler";
    case ResourceKind::uniform_texel_buffer:
      return "uniform texel buffer";
    case ResourceKind::storage_texel_buffer:
      return "storage texel buffer";
    case ResourceKind::other:
      break;
  }
  return "resource of another kind";
}

Result<Reflection> reflect(const Module& module, std::span<const SpecValue> values) {
  const Index index(module, values);
  if (index.has_groups)
    return fail("the module has decoration groups, which are deprecated and not understood here");
  const auto entry_point = only_entry_point(index);
  if (!entry_point) return tl::unexpected(entry_point.error());
  if (auto ok = check_entry_function(module, *entry_point); !ok) return tl::unexpected(ok.error());

  Reflection result;
  result.version = module.version();
  result.entry_point = entry_point->text(3);
  result.capabilities = index.capabilities;
  result.extensions = index.extensions;
  auto size = group_size(index, entry_point->words[2]);
  if (!size) return tl::unexpected(size.error());
  result.group_size = *size;
  result.constants = spec_constants(index, values.empty() ? index.constants : ConstantValues(module, {}));
  name_group_size(result.group_size, result.constants);
  for (const Instruction& variable : index.variables) {
    if (auto added = add_variable(index, variable, result); !added) return tl::unexpected(added.error());
  }
  std::sort(result.resources.begin(), result.resources.end(), [](const Resource& a, const Resource& b) {
    return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
  });
  result.sampled_pairs = sampled_pairs(module, result.resources);
  return result;
}

}  // namespace spirv
