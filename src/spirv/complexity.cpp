#include "spirv/complexity.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace spirv {
namespace {

constexpr std::uint64_t kMostParts = 1 << 20;
constexpr std::uint64_t kMostRepeats = 16;  // more than a validator follows
constexpr std::uint64_t kMostVariableScalars = 1 << 18;
constexpr std::uint64_t kMostValueScalars = 1 << 20;
constexpr std::uint64_t kSmallValue = 16;  // the scalars of a 4x4 matrix
constexpr std::uint64_t kMostInlined = 1 << 20;
constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;  // stands for anything larger, too

std::uint64_t capped(std::uint64_t count) { return std::min(count, kEndless); }

std::string of_most(std::uint64_t most) { return " more than " + std::to_string(most); }

// Types and the constants that give arrays their lengths, which are defined before they are used.
class Types {
 public:
  struct Type {
    std::uint64_t parts = 1;
    std::uint64_t scalars = 1;
    std::uint32_t pointee = 0;  // of a pointer
  };

  // Any instruction outside functions.
  void add(const Instruction& instruction) {
    const auto& words = instruction.words;
    switch (instruction.op()) {
      case Op::Constant:
        if (words.size() == 4) lengths_.emplace(words[2], words[3]);
        return;
      case Op::TypePointer:
        types_.insert_or_assign(words[1], Type{1, 1, words[3]});
        return;
      case Op::TypeRuntimeArray:
        types_.insert_or_assign(words[1], Type{repeated(words[2], kMostRepeats).parts, kEndless});
        return;
      case Op::TypeArray:
        types_.insert_or_assign(words[1], repeated(words[2], length(words[3])));
        return;
      case Op::TypeVector:
      case Op::TypeMatrix:
        types_.insert_or_assign(words[1], repeated(words[2], words[3]));
        return;
      case Op::TypeStruct:
        types_.insert_or_assign(words[1], members(words.subspan(2)));
        return;
      default:
        return;
    }
  }
  // One part for what was not added.
  [[nodiscard]] Type find(std::uint32_t id) const {
    const auto at = types_.find(id);
    return at == types_.end() ? Type{} : at->second;
  }

 private:
  [[nodiscard]] std::uint64_t length(std::uint32_t id) const {
    const auto at = lengths_.find(id);
    return at == lengths_.end() ? kEndless : at->second;
  }
  [[nodiscard]] Type repeated(std::uint32_t element, std::uint64_t times) const {
    const Type one = find(element);
    return {1 + one.parts * std::min(times, kMostRepeats),
            times > 0 && one.scalars > kEndless / times ? kEndless : capped(one.scalars * times)};
  }
  [[nodiscard]] Type members(std::span<const std::uint32_t> ids) const {
    Type all{1, 0};
    for (const std::uint32_t id : ids) {
      const Type member = find(id);
      all = {capped(all.parts + member.parts), capped(all.scalars + member.scalars)};
    }
    return all;
  }

  std::unordered_map<std::uint32_t, Type> types_;
  std::unordered_map<std::uint32_t, std::uint64_t> lengths_;
};

// Whether the instruction's first operand can be its result type: it is no type, and neither names nor
// decorates one.
bool makes_value(Op op) {
  const auto number = static_cast<std::uint32_t>(op);
  constexpr std::uint32_t kFirstConstant = 41, kLastDecoration = 75, kUndef = 1;
  if (op == Op::DecorateId || number == 5632 || number == 5633) return false;  // OpDecorateString and its kin
  return number == kUndef || number > kLastDecoration || (number >= kFirstConstant && op < Op::Decorate);
}

// Scalars of variables and values.
class Scalars {
 public:
  Result<void> add(const Instruction& instruction, const Types& types) {
    if (!makes_value(instruction.op()) || instruction.words.size() < 2) return {};
    if (instruction.op() == Op::Variable) return add_variable(instruction, types);
    const std::uint64_t scalars = types.find(instruction.words[1]).scalars;
    if (scalars <= kSmallValue) return {};
    values_ = capped(values_ + scalars);
    if (values_ <= kMostValueScalars) return {};
    return fail("SPIR-V values of arrays and structures have" + of_most(kMostValueScalars) +
                " scalars, with id " +
                std::to_string(instruction.words.size() > 2 ? instruction.words[2] : 0));
  }

 private:
  Result<void> add_variable(const Instruction& instruction, const Types& types) {
    const auto place = static_cast<StorageClass>(instruction.words[3]);
    if (place != StorageClass::Function && place != StorageClass::Private) return {};
    variables_ = capped(variables_ + types.find(types.find(instruction.words[1]).pointee).scalars);
    if (variables_ <= kMostVariableScalars) return {};
    return fail("SPIR-V variables of functions have" + of_most(kMostVariableScalars) + " scalars, with id " +
                std::to_string(instruction.words[2]));
  }

  std::uint64_t values_ = 0;
  std::uint64_t variables_ = 0;
};

// Who calls whom, and how long functions are with their calls inlined.
class Calls {
 public:
  void add(const Instruction& instruction) {
    const auto& words = instruction.words;
    if (instruction.op() == Op::Function) functions_.emplace_back(Function{words[2]});
    if (functions_.empty()) return;
    Function& function = functions_.back();
    ++function.instructions;
    if (instruction.op() == Op::FunctionCall && words.size() > 3) function.callees.push_back(words[3]);
  }

  [[nodiscard]] Result<void> check() {
    for (std::size_t i = 0; i < functions_.size(); ++i) by_id_.emplace(functions_[i].id, i);
    for (std::size_t root = 0; root < functions_.size(); ++root) {
      if (auto ok = measure(root); !ok) return ok;
    }
    return {};
  }

 private:
  struct Function {
    std::uint32_t id = 0;
    std::uint64_t instructions = 0;
    std::vector<std::uint32_t> callees = {};
    std::size_t next = 0;  // callee to look at
    bool entered = false;
    bool measured = false;
  };

  // Depth first, without recursion: chains may be long.
  [[nodiscard]] Result<void> measure(std::size_t root) {
    std::vector<std::size_t> path;
    if (!functions_[root].measured) path.push_back(root);
    while (!path.empty()) {
      Function& function = functions_[path.back()];
      function.entered = true;
      if (function.next == function.callees.size()) {
        function.measured = true;
        path.pop_back();
        continue;
      }
      const auto at = by_id_.find(function.callees[function.next]);
      if (at == by_id_.end()) {  // no function: the validator says so
        ++function.next;
        continue;
      }
      const Function& callee = functions_[at->second];
      if (!callee.entered) {
        path.push_back(at->second);
        continue;
      }
      const std::string name = "SPIR-V function " + std::to_string(function.id);
      if (!callee.measured) return fail(name + " calls itself by way of " + std::to_string(callee.id));
      ++function.next;
      function.instructions += callee.instructions;
      if (function.instructions > kMostInlined)
        return fail(name + " has, with what it calls," + of_most(kMostInlined) + " instructions");
    }
    return {};
  }

  std::vector<Function> functions_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
};

Result<void> check_bound(const Module& module) {
  constexpr std::uint64_t kFreeIds = 65536, kIdsPerWord = 8;
  if (module.id_bound() <= kFreeIds + kIdsPerWord * module.words().size()) return {};
  return fail("SPIR-V id bound " + std::to_string(module.id_bound()) + " is out of proportion to " +
              std::to_string(module.words().size()) + " words");
}

}  // namespace

Result<void> check_complexity(const Module& module) {
  if (auto ok = check_bound(module); !ok) return ok;
  Types types;
  Scalars scalars;
  Calls calls;
  for (const Instruction instruction : module) {
    types.add(instruction);
    if (types.find(instruction.words.size() > 1 ? instruction.words[1] : 0).parts > kMostParts) {
      return fail("SPIR-V type " + std::to_string(instruction.words[1]) + " has" + of_most(kMostParts) +
                  " parts");
    }
    if (auto ok = scalars.add(instruction, types); !ok) return ok;
    calls.add(instruction);
  }
  return calls.check();
}

}  // namespace spirv
