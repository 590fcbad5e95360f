#include "spirv/structure.h"

#include <algorithm>
#include <array>

#include "spirv/tools_context.h"

namespace spirv {
namespace {

// A copy in which what the parser does not know is replaced by instructions that it knows, with the same
// result and the same ids as operands.
class StandIns {
 public:
  explicit StandIns(const Module& module) : writer_(module) {
    for (const Instruction instruction : module) add(instruction);
  }
  std::vector<std::uint32_t> take() { return writer_.take(); }

 private:
  void add(const Instruction& instruction) {
    const auto& words = instruction.words;
    switch (instruction.op()) {
      case Op::Capability:
        if (words[1] != kCapabilityCooperativeMatrixKHR) writer_.copy(instruction);
        return;
      case Op::TypeCooperativeMatrixKHR:
        return writer_.write(Op::TypeStruct, words.subspan(1));
      case Op::CooperativeMatrixLoadKHR:  // pointer, layout, stride; memory operands are left out
      case Op::CooperativeMatrixMulAddKHR:
        return writer_.write(Op::CompositeConstruct,
                             words.subspan(1, std::min<std::size_t>(words.size(), 6) - 1));
      case Op::CooperativeMatrixStoreKHR:
        writer_.write(Op::CopyMemorySized, words.subspan(1, 3));  // pointer, matrix, layout
        if (words.size() > 4) writer_.write(Op::CopyMemory, std::array{words[4], words[4]});  // stride
        return;
      case Op::CooperativeMatrixLengthKHR:
        writer_.write(Op::Name, std::array{words[3], 0U});
        return writer_.write(Op::CompositeConstruct, words.subspan(1, 2));
      default:
        writer_.copy(instruction);
    }
  }

  ModuleWriter writer_;
};

bool defines_type(Op op) { return op >= Op::TypeVoid && op <= Op::TypeFunction; }

// Whether the specification lets it name what is defined only later.
bool may_look_ahead(Op op) {
  switch (op) {
    case Op::Name:
    case Op::MemberName:
    case Op::EntryPoint:
    case Op::ExecutionMode:
    case Op::ExecutionModeId:
    case Op::Decorate:
    case Op::MemberDecorate:
    case Op::DecorateId:
    case Op::FunctionCall:
    case Op::Phi:
    case Op::LoopMerge:
    case Op::SelectionMerge:
    case Op::Branch:
    case Op::BranchConditional:
    case Op::Switch:
      return true;
    default:
      return false;
  }
}

// Follows the parser through the module twice: to find what is defined, and to look at what is used.
class IdChecker {
 public:
  explicit IdChecker(std::uint32_t bound) : places_(bound) {}

  Result<void> check(const std::vector<std::uint32_t>& words) {
    const ToolsContext context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6));
    for (const auto step : {&IdChecker::define, &IdChecker::use}) {
      step_ = step;
      function_ = functions_ = 0;
      spv_diagnostic raw = nullptr;
      const spv_result_t result =
          spvBinaryParse(context.get(), this, words.data(), words.size(), nullptr, on_instruction, &raw);
      const ToolsDiagnostic diagnostic(raw);
      if (!problem_.empty()) return fail(problem_);
      if (result != SPV_SUCCESS)
        return fail(std::string("invalid SPIR-V: ") +
                    (diagnostic ? diagnostic->error : "it cannot be parsed"));
    }
    return {};
  }

 private:
  // Where an id is defined.
  struct Place {
    bool defined = false;
    bool passed = false;  // by the second walk
    bool type = false;
    std::uint32_t function = 0;  // whose inside it is in, counted from 1; 0: none
  };

  static spv_result_t on_instruction(void* user, const spv_parsed_instruction_t* instruction) {
    auto& self = *static_cast<IdChecker*>(user);
    const auto op = static_cast<Op>(instruction->opcode);
    if (op == Op::FunctionEnd) self.function_ = 0;
    (self.*self.step_)(*instruction, op);
    if (op == Op::Function) self.function_ = ++self.functions_;
    return self.problem_.empty() ? SPV_SUCCESS : SPV_REQUESTED_TERMINATION;
  }

  void define(const spv_parsed_instruction_t& instruction, Op op) {
    const std::uint32_t id = instruction.result_id;
    if (id == 0) return;
    if (id >= places_.size()) return refuse(id, "is not below the bound");
    // The parser has refused those that are defined twice.
    places_[id] = {true, false, defines_type(op), function_};
  }

  void use(const spv_parsed_instruction_t& instruction, Op op) {
    for (std::uint16_t i = 0; i < instruction.num_operands; ++i) {
      const spv_parsed_operand_t& operand = instruction.operands[i];
      const std::uint32_t id = instruction.words[operand.offset];
      if (operand.type == SPV_OPERAND_TYPE_TYPE_ID) {
        use_id(id, false);
        if (problem_.empty() && !places_[id].type) refuse(id, "is used as a type and is none");
      } else if (operand.type == SPV_OPERAND_TYPE_ID ||
                 operand.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
                 operand.type == SPV_OPERAND_TYPE_SCOPE_ID) {
        use_id(id, may_look_ahead(op));
        const bool inside = function_ != 0 && op != Op::Name;
        if (problem_.empty() && inside && places_[id].type) refuse(id, "is a type and is used as a value");
      }
      if (!problem_.empty()) return;
    }
    if (instruction.result_id != 0) places_[instruction.result_id].passed = true;
  }

  void use_id(std::uint32_t id, bool ahead) {
    if (id >= places_.size()) return refuse(id, "is not below the bound");
    const Place& place = places_[id];
    if (!place.defined) return refuse(id, "is not defined");
    if (!place.passed && !ahead) return refuse(id, "is used before it is defined");
    // Names and decorations of what is inside functions stand outside.
    if (place.function != 0 && function_ != 0 && place.function != function_)
      refuse(id, "is used outside its function");
    if (place.function != 0 && function_ == 0 && !ahead) refuse(id, "is used outside its function");
  }

  void refuse(std::uint32_t id, const char* why) {
    problem_ = "invalid SPIR-V: id " + std::to_string(id) + " " + why;
  }

  std::vector<Place> places_;
  void (IdChecker::*step_)(const spv_parsed_instruction_t&, Op) = nullptr;
  std::uint32_t function_ = 0;
  std::uint32_t functions_ = 0;
  std::string problem_;
};

}  // namespace

Result<void> check_structure(const Module& module) {
  return IdChecker(module.id_bound()).check(StandIns(module).take());
}

}  // namespace spirv
