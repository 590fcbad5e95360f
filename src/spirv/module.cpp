#include "spirv/module.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "spirv/function_bodies.h"

namespace spirv {
namespace {

constexpr std::uint32_t kMaxIdBound = 4194303;   // universal limits, specification section 2.17
constexpr std::uint32_t kLastKnownLanguage = 6;  // C++ for OpenCL
constexpr std::uint32_t kOldestVersion = 0x00010000;
constexpr std::uint32_t kNewestVersion = 0x00010600;

std::uint32_t swapped(std::uint32_t word) {
  return (word >> 24) | ((word >> 8) & 0xFF00) | ((word << 8) & 0xFF0000) | (word << 24);
}

// Words that an instruction of opcodes.h has at least, the first included.
std::size_t least_words(Op op) {
  switch (op) {
    case Op::Capability:
    case Op::Extension:
    case Op::TypeVoid:
    case Op::TypeBool:
    case Op::TypeSampler:
    case Op::TypeStruct:
    case Op::DecorationGroup:
    case Op::GroupDecorate:
    case Op::GroupMemberDecorate:
      return 2;
    case Op::Source:
    case Op::Name:
    case Op::ExtInstImport:
    case Op::ExecutionMode:
    case Op::ExecutionModeId:
    case Op::TypeFloat:
    case Op::TypeSampledImage:
    case Op::TypeRuntimeArray:
    case Op::TypeOpaque:
    case Op::TypeFunction:
    case Op::ConstantTrue:
    case Op::ConstantFalse:
    case Op::ConstantComposite:
    case Op::ConstantNull:
    case Op::SpecConstantTrue:
    case Op::SpecConstantFalse:
    case Op::SpecConstantComposite:
    case Op::Decorate:
      return 3;
    case Op::MemberName:
    case Op::EntryPoint:
    case Op::TypeInt:
    case Op::TypeVector:
    case Op::TypeMatrix:
    case Op::TypeArray:
    case Op::TypePointer:
    case Op::Constant:
    case Op::SpecConstant:
    case Op::SpecConstantOp:
    case Op::Variable:
    case Op::Load:
    case Op::MemberDecorate:
    case Op::CooperativeMatrixStoreKHR:
    case Op::CooperativeMatrixLengthKHR:
      return 4;
    case Op::Function:
    case Op::SampledImage:
    case Op::CooperativeMatrixLoadKHR:
      return 5;
    case Op::ConstantSampler:
    case Op::CooperativeMatrixMulAddKHR:
      return 6;
    case Op::TypeCooperativeMatrixKHR:
      return 7;
    case Op::TypeImage:
      return 9;
    default:
      return 1;
  }
}

// Modes and decorations with an operand that is always read where they are met.
bool has_operand(const Instruction& instruction) {
  const auto& words = instruction.words;
  if (instruction.op() == Op::ExecutionMode || instruction.op() == Op::ExecutionModeId) {
    const auto mode = static_cast<ExecutionMode>(words[2]);
    return (mode != ExecutionMode::LocalSize && mode != ExecutionMode::LocalSizeId) || words.size() >= 6;
  }
  const std::size_t at = instruction.op() == Op::Decorate         ? 2
                         : instruction.op() == Op::MemberDecorate ? 3
                                                                  : 0;
  if (at == 0) return true;
  switch (static_cast<Decoration>(words[at])) {
    case Decoration::SpecId:
    case Decoration::ArrayStride:
    case Decoration::MatrixStride:
    case Decoration::BuiltIn:
    case Decoration::Binding:
    case Decoration::DescriptorSet:
    case Decoration::Offset:
      return words.size() > at + 1;
    default:
      return true;
  }
}

std::string at_word(std::size_t offset) { return " at word " + std::to_string(offset); }

Result<void> check_header(std::span<const std::uint32_t> words) {
  const std::uint32_t version = words[1];
  if (version < kOldestVersion || version > kNewestVersion || (version & 0xFF) != 0) {
    return fail("SPIR-V version word " + std::to_string(version) + " is not one of 1.0 to 1.6");
  }
  if (words[3] == 0 || words[3] > kMaxIdBound) {
    return fail("SPIR-V id bound " + std::to_string(words[3]) + " is not within 1 and " +
                std::to_string(kMaxIdBound));
  }
  return {};
}

Result<void> check_instructions(std::span<const std::uint32_t> words) {
  for (std::size_t offset = kHeaderWords; offset < words.size();) {
    const std::size_t length = words[offset] >> 16;
    if (length == 0 || length > words.size() - offset) {
      return fail("SPIR-V instruction" + at_word(offset) + " has length " + std::to_string(length) +
                  " where " + std::to_string(words.size() - offset) + " words are left");
    }
    const Instruction instruction{words.subspan(offset, length), offset};
    if (length < least_words(instruction.op()) || !has_operand(instruction)) {
      return fail("SPIR-V instruction" + at_word(offset) + " (opcode " +
                  std::to_string(words[offset] & 0xFFFF) + ") is too short");
    }
    offset += length;
  }
  return {};
}

// (id, offset) of everything that Definitions finds, in order of id.
std::vector<std::pair<std::uint32_t, std::size_t>> defined_ids(const Module& module) {
  std::vector<std::pair<std::uint32_t, std::size_t>> result;
  for (const Instruction instruction : module) {
    if (instruction.op() == Op::Function) break;
    if (const std::uint32_t id = defined_id(instruction)) result.emplace_back(id, instruction.offset);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Result<void> check_ids(const Module& module) {
  const auto ids = defined_ids(module);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string id = "SPIR-V id " + std::to_string(ids[i].first);
    if (ids[i].first >= module.id_bound()) return fail(id + " is not below the bound");
    if (i > 0 && ids[i].first == ids[i - 1].first) return fail(id + " is defined twice");
  }
  return {};
}

}  // namespace

std::string Instruction::text(std::size_t first) const {
  std::string result;
  for (std::size_t i = first; i < words.size(); ++i) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>((words[i] >> shift) & 0xFF);
      if (c == '\0') return result;
      result += c;
    }
  }
  return result;
}

std::uint32_t defined_id(const Instruction& instruction) {
  const Op op = instruction.op();
  if ((op >= Op::TypeVoid && op <= Op::TypeFunction) || op == Op::ExtInstImport ||
      op == Op::TypeCooperativeMatrixKHR || op == Op::DecorationGroup) {
    return instruction.words[1];
  }
  if ((op >= Op::ConstantTrue && op <= Op::SpecConstantOp && instruction.words.size() > 2) ||
      op == Op::Variable) {
    return instruction.words[2];
  }
  return 0;
}

Result<Module> Module::read(std::span<const std::uint32_t> words) {
  if (words.size() < kHeaderWords) return fail("not a SPIR-V module: shorter than a header");
  if (words[0] != kMagic && swapped(words[0]) != kMagic)
    return fail("not a SPIR-V module: wrong magic number");
  std::vector<std::uint32_t> own(words.begin(), words.end());
  if (words[0] != kMagic) std::transform(own.begin(), own.end(), own.begin(), swapped);

  if (auto ok = check_header(own); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_instructions(own); !ok) return tl::unexpected(ok.error());
  Module module(std::move(own));
  if (auto ok = check_ids(module); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_functions(module); !ok) return tl::unexpected(ok.error());

  for (const Instruction instruction : module) {
    const bool unknown = instruction.op() == Op::Source && instruction.words[1] > kLastKnownLanguage;
    if (unknown) module.words_[instruction.offset + 1] = 0;
    if (instruction.op() == Op::Function) break;
  }
  return module;
}

Result<Module> Module::read_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() % 4 != 0) return fail("not a SPIR-V module: its size is not a multiple of 4 bytes");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return read(words);
}

ModuleWriter::ModuleWriter(const Module& like)
    : words_(like.words().begin(), like.words().begin() + static_cast<std::ptrdiff_t>(kHeaderWords)) {}

void ModuleWriter::write(Op op, std::span<const std::uint32_t> operands) {
  words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
  copy(operands);
}

Definitions::Definitions(const Module& module) : module_(&module), offsets_(defined_ids(module)) {}

Instruction Definitions::find(std::uint32_t id) const {
  const auto at = std::lower_bound(offsets_.begin(), offsets_.end(), std::pair(id, std::size_t{0}));
  if (at == offsets_.end() || at->first != id) return {};
  return *InstructionIterator(module_->words(), at->second);
}

}  // namespace spirv
