#include "spirv/constants.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace spirv {
namespace {

constexpr std::uint32_t kMostComponents = 16;

bool is_integer(const ScalarType& type) {
  return type.kind == ScalarType::Kind::signed_integer || type.kind == ScalarType::Kind::unsigned_integer;
}

std::uint64_t masked(const ScalarType& type, std::uint64_t bits) {
  if (type.kind == ScalarType::Kind::boolean) return bits & 1;
  return type.width_bits >= 64 ? bits : bits & ((std::uint64_t{1} << type.width_bits) - 1);
}

// The value as a signed number, whatever the type's signedness: instructions, not types, say how to read
// bits.
std::int64_t as_signed(std::uint32_t width_bits, std::uint64_t bits) {
  const unsigned shift = 64 - width_bits;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

// Division and remainder of two's complement numbers; nothing where the result is undefined.
std::optional<std::uint64_t> divided(Op op, const ScalarType& type, std::uint64_t a, std::uint64_t b) {
  if (b == 0) return std::nullopt;
  if (op == Op::UDiv) return a / b;
  if (op == Op::UMod) return a % b;
  const std::int64_t dividend = as_signed(type.width_bits, a);
  const std::int64_t divisor = as_signed(type.width_bits, b);
  if (divisor == -1) return op == Op::SDiv ? std::uint64_t{0} - a : 0;  // the smallest number over -1 wraps
  if (op == Op::SDiv) return static_cast<std::uint64_t>(dividend / divisor);
  std::int64_t remainder = dividend % divisor;
  if (op == Op::SMod && remainder != 0 && (remainder < 0) != (divisor < 0)) remainder += divisor;
  return static_cast<std::uint64_t>(remainder);
}

std::optional<std::uint64_t> shifted(Op op, const ScalarType& type, std::uint64_t a, std::uint64_t amount) {
  if (amount >= type.width_bits) return std::nullopt;
  if (op == Op::ShiftLeftLogical) return a << amount;
  if (op == Op::ShiftRightLogical) return a >> amount;
  return static_cast<std::uint64_t>(as_signed(type.width_bits, a) >> amount);
}

// Instructions that compare integers; the operands have `type`.
std::optional<bool> compared(Op op, const ScalarType& type, std::uint64_t a, std::uint64_t b) {
  const std::int64_t signed_a = as_signed(type.width_bits, a);
  const std::int64_t signed_b = as_signed(type.width_bits, b);
  switch (op) {
    case Op::IEqual:
      return a == b;
    case Op::INotEqual:
      return a != b;
    case Op::UGreaterThan:
      return a > b;
    case Op::UGreaterThanEqual:
      return a >= b;
    case Op::ULessThan:
      return a < b;
    case Op::ULessThanEqual:
      return a <= b;
    case Op::SGreaterThan:
      return signed_a > signed_b;
    case Op::SGreaterThanEqual:
      return signed_a >= signed_b;
    case Op::SLessThan:
      return signed_a < signed_b;
    case Op::SLessThanEqual:
      return signed_a <= signed_b;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> integer_binary(Op op, const ScalarType& type, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case Op::IAdd:
      return a + b;
    case Op::ISub:
      return a - b;
    case Op::IMul:
      return a * b;
    case Op::BitwiseOr:
      return a | b;
    case Op::BitwiseXor:
      return a ^ b;
    case Op::BitwiseAnd:
      return a & b;
    case Op::UDiv:
    case Op::SDiv:
    case Op::UMod:
    case Op::SRem:
    case Op::SMod:
      return divided(op, type, a, b);
    case Op::ShiftLeftLogical:
    case Op::ShiftRightLogical:
    case Op::ShiftRightArithmetic:
      return shifted(op, type, a, b);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> logical_binary(Op op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case Op::LogicalEqual:
      return a == b ? 1 : 0;
    case Op::LogicalNotEqual:
      return a != b ? 1 : 0;
    case Op::LogicalOr:
      return a | b;
    case Op::LogicalAnd:
      return a & b;
    default:
      return std::nullopt;
  }
}

// One component of an instruction with two operands of the same type.
std::optional<std::uint64_t> binary(Op op, const ScalarType& type, std::uint64_t a, std::uint64_t b) {
  if (type.kind == ScalarType::Kind::boolean) return logical_binary(op, a, b);
  if (!is_integer(type)) return std::nullopt;
  if (const auto truth = compared(op, type, a, b)) return *truth ? 1 : 0;
  return integer_binary(op, type, a, b);
}

// IEEE 754 binary16: 5 exponent bits, 10 of the significand.
double half_value(std::uint64_t bits) {
  const auto exponent = static_cast<int>((bits >> 10) & 0x1F);
  const auto significand = static_cast<double>(bits & 0x3FF);
  double magnitude = 0;
  if (exponent == 0) {
    magnitude = std::ldexp(significand, -24);
  } else if (exponent < 31) {
    magnitude = std::ldexp(significand + 1024, exponent - 25);
  } else {
    magnitude =
        significand == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint64_t half_bits(double value) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (magnitude >= 65520) return sign | 0x7C00;  // the first value that rounds to infinity
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = magnitude == 0 ? -14 : std::max(exponent - 1, -14);
  // Units of the last place; a significand that rounds up to 2048 carries into the exponent by the addition.
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | (static_cast<std::uint64_t>(exponent + 14) * 1024 + units);
}

// One component of an instruction with one operand of type `from`, for a result of type `to`.
std::optional<std::uint64_t> unary(Op op, const ScalarType& to, const ScalarType& from, std::uint64_t a) {
  if (op == Op::LogicalNot && from.kind == ScalarType::Kind::boolean) return a ^ 1;
  if (op == Op::Bitcast && from.kind != ScalarType::Kind::boolean) return a;
  if (op == Op::FConvert && from.kind == to.kind && from.kind == ScalarType::Kind::floating_point) {
    return float_bits(to.width_bits, float_value(from.width_bits, a));
  }
  if (!is_integer(from)) return std::nullopt;
  switch (op) {
    case Op::Not:
      return ~a;
    case Op::SNegate:
      return std::uint64_t{0} - a;
    case Op::UConvert:
      return a;
    case Op::SConvert:
      return static_cast<std::uint64_t>(as_signed(from.width_bits, a));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ScalarType> scalar_type(const Instruction& type) {
  if (type.words.empty()) return std::nullopt;
  using Kind = ScalarType::Kind;
  if (type.op() == Op::TypeBool) return ScalarType{Kind::boolean, 0};
  if (type.op() != Op::TypeInt && type.op() != Op::TypeFloat) return std::nullopt;
  const std::uint32_t width = type.words[2];
  if (width != 8 && width != 16 && width != 32 && width != 64) return std::nullopt;
  if (type.op() == Op::TypeFloat) return ScalarType{Kind::floating_point, width};
  return ScalarType{type.words[3] != 0 ? Kind::signed_integer : Kind::unsigned_integer, width};
}

double float_value(std::uint32_t width_bits, std::uint64_t bits) {
  if (width_bits == 16) return half_value(bits);
  if (width_bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

std::uint64_t float_bits(std::uint32_t width_bits, double value) {
  if (width_bits == 16) return half_bits(value);
  if (width_bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

std::vector<std::uint32_t> constant_words(const ScalarType& type, std::uint64_t bits) {
  if (type.kind == ScalarType::Kind::boolean) return {};
  std::uint64_t value = masked(type, bits);
  if (type.kind == ScalarType::Kind::signed_integer)
    value = static_cast<std::uint64_t>(as_signed(type.width_bits, value));
  const auto low = static_cast<std::uint32_t>(value);
  if (type.width_bits == 64) return {low, static_cast<std::uint32_t>(value >> 32)};
  return {low};
}

ConstantValues::ConstantValues(const Module& module, std::span<const SpecValue> overrides) {
  for (const SpecValue& value : overrides) overrides_[value.spec_id] = value.bits;
  for (const Instruction instruction : module) {
    const auto& words = instruction.words;
    if (instruction.op() == Op::Decorate && static_cast<Decoration>(words[2]) == Decoration::SpecId) {
      spec_ids_[words[1]] = words[3];
    }
    if (instruction.op() == Op::Function) break;
    evaluate(instruction);
  }
}

void ConstantValues::evaluate(const Instruction& instruction) {
  const auto& words = instruction.words;
  if (const auto scalar = scalar_type(instruction)) {
    types_[words[1]] = {*scalar, 1};
  } else if (instruction.op() == Op::TypeVector) {
    const auto component = types_.find(words[2]);
    const bool known = component != types_.end() && component->second.count == 1;
    if (known && words[3] >= 2 && words[3] <= kMostComponents)
      types_[words[1]] = {component->second.component, words[3]};
  } else if (auto value = value_of(instruction)) {
    for (std::uint64_t& bits : value->components) bits = masked(value->type, bits);
    values_[words[2]] = std::move(*value);
  }
}

const ConstantBits* ConstantValues::find(std::uint32_t id) const {
  const auto at = values_.find(id);
  return at == values_.end() ? nullptr : &at->second;
}

std::optional<std::uint32_t> ConstantValues::unsigned_value(std::uint32_t id) const {
  const ConstantBits* value = find(id);
  if (value == nullptr || value->components.size() != 1 || !is_integer(value->type)) return std::nullopt;
  const std::uint64_t bits = value->components[0];
  if (value->type.kind == ScalarType::Kind::signed_integer && as_signed(value->type.width_bits, bits) < 0)
    return std::nullopt;
  if (bits > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(bits);
}

std::uint64_t ConstantValues::overridden(std::uint32_t id, std::uint64_t bits) const {
  const auto spec_id = spec_ids_.find(id);
  if (spec_id == spec_ids_.end()) return bits;
  const auto value = overrides_.find(spec_id->second);
  return value == overrides_.end() ? bits : value->second;
}

std::optional<ConstantBits> ConstantValues::value_of(const Instruction& instruction) const {
  const auto& words = instruction.words;
  if (instruction.op() < Op::ConstantTrue || instruction.op() > Op::SpecConstantOp || words.size() < 3)
    return std::nullopt;
  const auto type = types_.find(words[1]);
  if (type == types_.end()) return std::nullopt;
  const ScalarType& scalar = type->second.component;
  const bool boolean = scalar.kind == ScalarType::Kind::boolean;
  switch (instruction.op()) {
    case Op::ConstantTrue:
    case Op::ConstantFalse:
      if (!boolean) return std::nullopt;
      return ConstantBits{scalar, {instruction.op() == Op::ConstantTrue ? 1U : 0U}};
    case Op::SpecConstantTrue:
    case Op::SpecConstantFalse:
      if (!boolean) return std::nullopt;
      return ConstantBits{scalar, {overridden(words[2], instruction.op() == Op::SpecConstantTrue ? 1 : 0)}};
    case Op::Constant:
    case Op::SpecConstant: {
      if (boolean || type->second.count != 1 || words.size() != (scalar.width_bits == 64 ? 5U : 4U))
        return std::nullopt;
      const std::uint64_t bits = words[3] | (words.size() > 4 ? std::uint64_t{words[4]} << 32 : 0);
      return ConstantBits{scalar, {instruction.op() == Op::Constant ? bits : overridden(words[2], bits)}};
    }
    case Op::ConstantNull:
      return ConstantBits{scalar, std::vector<std::uint64_t>(type->second.count)};
    case Op::ConstantComposite:
    case Op::SpecConstantComposite:
      return composite(instruction);
    case Op::SpecConstantOp:
      return operation(instruction);
    default:
      return std::nullopt;
  }
}

std::optional<ConstantBits> ConstantValues::composite(const Instruction& instruction) const {
  const VectorType& type = types_.at(instruction.words[1]);
  const auto members = instruction.words.subspan(3);
  if (members.size() != type.count) return std::nullopt;
  ConstantBits result{type.component, {}};
  for (const std::uint32_t member : members) {
    const ConstantBits* value = find(member);
    if (value == nullptr || value->components.size() != 1 || value->type != type.component)
      return std::nullopt;
    result.components.push_back(value->components[0]);
  }
  return result;
}

// OpVectorShuffle: components of two vectors one after the other, picked by literal numbers.
std::optional<ConstantBits> ConstantValues::shuffled(const Instruction& instruction,
                                                     std::size_t count) const {
  const auto& words = instruction.words;
  if (words.size() != 6 + count) return std::nullopt;
  const ConstantBits* first = find(words[4]);
  const ConstantBits* second = find(words[5]);
  if (first == nullptr || second == nullptr || first->type != second->type) return std::nullopt;
  std::vector<std::uint64_t> all = first->components;
  all.insert(all.end(), second->components.begin(), second->components.end());
  ConstantBits result{first->type, {}};
  for (const std::uint32_t index : words.subspan(6)) {
    if (index >= all.size()) return std::nullopt;
    result.components.push_back(all[index]);
  }
  return result;
}

std::optional<ConstantBits> ConstantValues::operation(const Instruction& instruction) const {
  const auto& words = instruction.words;
  const VectorType& type = types_.at(words[1]);
  const Op op = static_cast<Op>(words[3]);
  if (op == Op::VectorShuffle) return shuffled(instruction, type.count);

  const bool indexed = op == Op::CompositeExtract || op == Op::CompositeInsert;
  std::vector<const ConstantBits*> operands;
  for (const std::uint32_t id : words.subspan(4, words.size() - 4 - (indexed && words.size() > 4 ? 1 : 0))) {
    operands.push_back(find(id));
    if (operands.back() == nullptr) return std::nullopt;
  }
  ConstantBits result{type.component, {}};
  if (indexed) {
    const std::size_t index = words.back();
    if (operands.size() != (op == Op::CompositeExtract ? 1U : 2U) ||
        index >= operands.back()->components.size()) {
      return std::nullopt;
    }
    if (op == Op::CompositeExtract) {
      result.components = {operands[0]->components[index]};
    } else {
      result.components = operands[1]->components;
      result.components[index] = operands[0]->components[0];
    }
    return result;
  }

  for (const ConstantBits* operand : operands) {
    if (operand->components.size() != type.count) return std::nullopt;
  }
  for (std::size_t i = 0; i < type.count; ++i) {
    std::optional<std::uint64_t> component;
    if (op == Op::Select && operands.size() == 3) {
      component = operands[operands[0]->components[i] != 0 ? 1 : 2]->components[i];
    } else if (operands.size() == 2) {
      component = binary(op, operands[0]->type, operands[0]->components[i], operands[1]->components[i]);
    } else if (operands.size() == 1) {
      component = unary(op, type.component, operands[0]->type, operands[0]->components[i]);
    }
    if (!component) return std::nullopt;
    result.components.push_back(*component);
  }
  return result;
}

}  // namespace spirv
