// The values of a module's constants, specialization constants included.
//
// Source: the SPIR-V specification, sections 2.9 (specialization), 3.3.7 (constants) and the integer and
// logical instructions that OpSpecConstantOp allows in shaders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "spirv/module.h"

namespace spirv {

struct ScalarType {
  enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating_point };
  Kind kind = Kind::boolean;
  std::uint32_t width_bits = 0;  // 0 for boolean; else 8, 16, 32 or 64
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

// The scalar type that an instruction declares, if it does and vkc knows its width.
std::optional<ScalarType> scalar_type(const Instruction& type);

// The value that a specialization constant is to have.
struct SpecValue {
  std::uint32_t spec_id = 0;
  // In the constant's own type, low end first: 0 or 1, an integer of its width, the bits of a float. Higher
  // bits are ignored.
  std::uint64_t bits = 0;
};

// A scalar, or the components of a vector.
struct ConstantBits {
  ScalarType type;
  std::vector<std::uint64_t> components;  // bits beyond the type's width are zero
};

// Evaluates all scalar and vector constants of a module. Constants of other types, and results that the
// specification leaves undefined (division by zero, shifts beyond the width), have no value here.
class ConstantValues {
 public:
  // overrides: values by specialization id; others keep their defaults. The module must outlive this.
  ConstantValues(const Module& module, std::span<const SpecValue> overrides);

  // Null if the id has no value here.
  [[nodiscard]] const ConstantBits* find(std::uint32_t id) const;
  // The value of an integer scalar of at most 32 bits that is not negative.
  [[nodiscard]] std::optional<std::uint32_t> unsigned_value(std::uint32_t id) const;
  // Specialization ids by the id of the constant that they decorate.
  [[nodiscard]] const std::unordered_map<std::uint32_t, std::uint32_t>& spec_ids() const { return spec_ids_; }

 private:
  void evaluate(const Instruction& instruction);
  std::optional<ConstantBits> value_of(const Instruction& instruction) const;
  std::optional<ConstantBits> composite(const Instruction& instruction) const;
  std::optional<ConstantBits> operation(const Instruction& instruction) const;
  std::optional<ConstantBits> shuffled(const Instruction& instruction, std::size_t components) const;
  [[nodiscard]] std::uint64_t overridden(std::uint32_t id, std::uint64_t bits) const;

  struct VectorType {
    ScalarType component;
    std::uint32_t count = 1;
  };
  std::unordered_map<std::uint32_t, VectorType> types_;
  std::unordered_map<std::uint32_t, std::uint32_t> spec_ids_;
  std::unordered_map<std::uint32_t, std::uint64_t> overrides_;
  std::unordered_map<std::uint32_t, ConstantBits> values_;
};

// Floating point of 16, 32 or 64 bits as a double, exactly, and back (rounded to nearest, ties to even).
double float_value(std::uint32_t width_bits, std::uint64_t bits);
std::uint64_t float_bits(std::uint32_t width_bits, double value);

// The words of a constant of that type: what follows the result id in OpConstant (none for booleans).
std::vector<std::uint32_t> constant_words(const ScalarType& type, std::uint64_t bits);

}  // namespace spirv
