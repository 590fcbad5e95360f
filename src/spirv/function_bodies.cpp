#include "spirv/function_bodies.h"

#include <optional>
#include <string>

#include "spirv/opcodes.h"

namespace spirv {
namespace {

enum class Place { outside, in_function, in_block };

bool ends_block(Op op) {
  return (op >= Op::Branch && op <= Op::Unreachable) || op == Op::TerminateInvocation;
}

// Where the instruction after this one lies; empty where this one cannot be.
std::optional<Place> after(const Instruction& instruction, Place place) {
  const Op op = instruction.op();
  if (op == Op::Function) return place == Place::outside ? std::optional(Place::in_function) : std::nullopt;
  if (op == Op::FunctionEnd)
    return place == Place::in_function ? std::optional(Place::outside) : std::nullopt;
  if (op == Op::Label) return place == Place::in_function ? std::optional(Place::in_block) : std::nullopt;
  if (ends_block(op)) return place == Place::in_block ? std::optional(Place::in_function) : std::nullopt;
  return place;
}

}  // namespace

Result<void> check_functions(const Module& module) {
  Place place = Place::outside;
  for (const Instruction instruction : module) {
    const auto next = after(instruction, place);
    if (!next) {
      return fail("SPIR-V instruction at word " + std::to_string(instruction.offset) +
                  " is not where functions and blocks begin or end");
    }
    place = *next;
  }
  if (place == Place::outside) return {};
  return fail("the SPIR-V module ends inside a function; it was cut short");
}

}  // namespace spirv
