#include "spirv/passes/freeze_constants.h"

#include <array>
#include <unordered_set>

namespace spirv {
namespace {

// Why these values cannot be set; empty: they can.
std::string check_values(const ConstantValues& constants, std::span<const SpecValue> values) {
  std::unordered_set<std::uint32_t> known;
  for (const auto& [id, spec_id] : constants.spec_ids()) known.insert(spec_id);
  std::unordered_set<std::uint32_t> given;
  for (const SpecValue& value : values) {
    const std::string id = std::to_string(value.spec_id);
    if (!known.contains(value.spec_id)) return "the module has no specialization constant with id " + id;
    if (!given.insert(value.spec_id).second) return "two values for specialization constant " + id;
  }
  return {};
}

bool is_spec_id(const Instruction& instruction) {
  return instruction.op() == Op::Decorate &&
         static_cast<Decoration>(instruction.words[2]) == Decoration::SpecId;
}

// Writes the constants of one module.
class Freezer {
 public:
  Freezer(const Module& module, const ConstantValues& constants) : writer_(module), constants_(constants) {}

  // Writes what the instruction becomes. False: it cannot be frozen; `problem` says why.
  bool freeze(const Instruction& instruction) {
    switch (instruction.op()) {
      case Op::Decorate:
        if (is_spec_id(instruction)) {
          changed = true;
        } else {
          writer_.copy(instruction);
        }
        return true;
      case Op::SpecConstantTrue:
      case Op::SpecConstantFalse:
      case Op::SpecConstant:
      case Op::SpecConstantOp:
        return constant(instruction);
      case Op::SpecConstantComposite:
        changed = true;
        writer_.write(Op::ConstantComposite, instruction.words.subspan(1));
        return true;
      case Op::ExecutionModeId:
        return execution_mode(instruction);
      case Op::DecorationGroup:
        problem = "the module has decoration groups, which are deprecated and not understood here";
        return false;
      default:
        writer_.copy(instruction);
        return true;
    }
  }

  std::vector<std::uint32_t> take() { return writer_.take(); }

  bool changed = false;
  std::string problem = {};

 private:
  bool constant(const Instruction& instruction) {
    const ConstantBits* value = constants_.find(instruction.words[2]);
    if (value == nullptr || value->components.size() != 1) {
      if (instruction.op() == Op::SpecConstantOp) {
        writer_.copy(instruction);
        return true;
      }
      problem = "specialization constant of id " + std::to_string(instruction.words[2]) +
                " is of a type not understood here";
      return false;
    }
    changed = true;
    std::vector<std::uint32_t> operands = {instruction.words[1], instruction.words[2]};
    const std::vector<std::uint32_t> words = constant_words(value->type, value->components[0]);
    operands.insert(operands.end(), words.begin(), words.end());
    const bool boolean = value->type.kind == ScalarType::Kind::boolean;
    writer_.write(!boolean                    ? Op::Constant
                  : value->components[0] != 0 ? Op::ConstantTrue
                                              : Op::ConstantFalse,
                  operands);
    return true;
  }

  bool execution_mode(const Instruction& instruction) {
    const auto& words = instruction.words;
    if (static_cast<ExecutionMode>(words[2]) != ExecutionMode::LocalSizeId) {
      writer_.copy(instruction);
      return true;
    }
    std::array<std::uint32_t, 5> operands = {words[1], static_cast<std::uint32_t>(ExecutionMode::LocalSize),
                                             0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto size = constants_.unsigned_value(words[3 + i]);
      if (!size || *size == 0) {
        problem = "group size " + std::string(1, "xyz"[i]) + " is not a positive number";
        return false;
      }
      operands[2 + i] = *size;
    }
    changed = true;
    writer_.write(Op::ExecutionMode, operands);
    return true;
  }

  ModuleWriter writer_;
  const ConstantValues& constants_;
};

}  // namespace

PassOutcome freeze_constants(Module& module, std::span<const SpecValue> values) {
  const ConstantValues constants(module, values);
  if (std::string problem = check_values(constants, values); !problem.empty())
    return PassOutcome::failed(std::move(problem));

  Freezer freezer(module, constants);
  for (const Instruction instruction : module) {
    if (!freezer.freeze(instruction)) return PassOutcome::failed(std::move(freezer.problem));
  }
  if (!freezer.changed) return {PassStatus::unchanged};
  auto frozen = Module::read(freezer.take());
  if (!frozen) return PassOutcome::failed("the frozen module is damaged: " + frozen.error().message);
  module = std::move(*frozen);
  return {PassStatus::changed};
}

}  // namespace spirv
