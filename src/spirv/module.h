// A SPIR-V module as words: reading with every check that later steps rely on, iterating, and writing.
//
// Source: the SPIR-V specification, section 2.3 (physical layout of a module and instruction).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "spirv/opcodes.h"

namespace spirv {

// Why a module cannot be used, in one line.
struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

// A view of one instruction, valid while its module lives unchanged. `words` holds all of it; words[0] is
// length and opcode. For opcodes of opcodes.h the words that the specification makes obligatory are there
// (Module::read checks).
struct Instruction {
  std::span<const std::uint32_t> words;
  std::size_t offset = 0;  // of words[0] in the module, in words

  [[nodiscard]] Op op() const { return static_cast<Op>(words[0] & 0xFFFF); }
  // The nul-terminated text that begins at words[first]; ends at the instruction's end if the terminator is
  // missing.
  [[nodiscard]] std::string text(std::size_t first) const;
  // Number of words that the text takes, terminator included.
  [[nodiscard]] static std::size_t text_words(std::string_view text) { return text.size() / 4 + 1; }
};

// Iterates over instructions: `for (const Instruction instruction : module)`.
class InstructionIterator {
 public:
  InstructionIterator(std::span<const std::uint32_t> words, std::size_t offset)
      : words_(words), offset_(offset) {}
  Instruction operator*() const { return {words_.subspan(offset_, length()), offset_}; }
  InstructionIterator& operator++() {
    offset_ += length();
    return *this;
  }
  friend bool operator!=(const InstructionIterator& a, const InstructionIterator& b) {
    return a.offset_ != b.offset_;
  }

 private:
  [[nodiscard]] std::size_t length() const { return words_[offset_] >> 16; }
  std::span<const std::uint32_t> words_;
  std::size_t offset_;
};

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

// A module that has passed Module::read. A plain value; words in host byte order.
class Module {
 public:
  // The one way in, safe for hostile input: checks magic number, version (1.0 to 1.6), id bound (at most
  // 4,194,303, the specification's own limit), that instructions fill the words exactly, that those of
  // opcodes.h have their obligatory words, and that ids defined by types, constants and global variables are
  // unique and below the bound, and that functions and their blocks are whole (function_bodies.h). Words of
  // the other byte order are swapped. A source language newer than C++ for OpenCL becomes Unknown, because
  // widespread tools refuse numbers that they do not know; nothing else changes.
  static Result<Module> read(std::span<const std::uint32_t> words);
  // The same from a file's bytes.
  static Result<Module> read_bytes(std::span<const std::byte> bytes);

  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }
  [[nodiscard]] Version version() const { return {(words_[1] >> 16) & 0xFF, (words_[1] >> 8) & 0xFF}; }
  [[nodiscard]] std::uint32_t id_bound() const { return words_[3]; }

  [[nodiscard]] InstructionIterator begin() const { return {words_, kHeaderWords}; }
  [[nodiscard]] InstructionIterator end() const { return {words_, words_.size()}; }

 private:
  explicit Module(std::vector<std::uint32_t> words) : words_(std::move(words)) {}
  std::vector<std::uint32_t> words_;
};

// Builds the words of a module, header first.
class ModuleWriter {
 public:
  // Begins with the header of `like`: version, generator and id bound.
  explicit ModuleWriter(const Module& like);
  void copy(const Instruction& instruction) { copy(instruction.words); }
  void copy(std::span<const std::uint32_t> words) { words_.insert(words_.end(), words.begin(), words.end()); }
  // operands: all words after the first. At most 65,534.
  void write(Op op, std::span<const std::uint32_t> operands);
  [[nodiscard]] std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

// Where the types, constants, global variables and imports of a module are defined, by id.
class Definitions {
 public:
  // The module must outlive this and stay unchanged.
  explicit Definitions(const Module& module);
  // Null words (empty span) if the id is not defined by such an instruction.
  [[nodiscard]] Instruction find(std::uint32_t id) const;

 private:
  const Module* module_;
  std::vector<std::pair<std::uint32_t, std::size_t>> offsets_;  // (id, offset), sorted
};

// The id that a type, constant, global variable or import defines; 0 for other instructions.
std::uint32_t defined_id(const Instruction& instruction);

}  // namespace spirv
