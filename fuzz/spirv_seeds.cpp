// Every kernel of upres and of vkc's tests: whole, cut short, and with faults inside its functions.
#include <cstring>
#include <random>
#include <span>

#include "fuzz/seeds.h"
#include "spirv/module.h"
#include "support/broken_spirv.h"
#include "upres_shaders_kernels.h"
#include "vkc_test_kernels.h"

namespace {

using Seeds = std::vector<std::pair<std::string, std::string>>;

using Words = std::vector<std::uint32_t>;

std::string bytes_of(std::span<const std::uint32_t> words) {
  std::string bytes(words.size_bytes(), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

// Offsets of the instructions inside functions.
std::vector<std::size_t> body_of(std::span<const std::uint32_t> words) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const auto op = static_cast<spirv::Op>(words[at] & 0xFFFF);
    if (op == spirv::Op::Function || !offsets.empty()) offsets.push_back(at);
  }
  return offsets;
}

// Breaks kernels, the same way in every run.
class Breaker {
 public:
  // A word of an instruction becomes an id that is defined elsewhere (of another type, defined twice, used
  // too early), one that is not defined, or one beyond the bound.
  Words with_wrong_id(Words words) {
    const std::size_t at = instruction_of(words, 2);
    std::uint32_t& word = words[at + 1 + random(words[at] >> 16) % ((words[at] >> 16) - 1)];
    const std::uint32_t bound = words[3]++;
    word = random(4) == 0 ? bound + random(2) : random(bound);
    return words;
  }
  // An instruction loses its last word, or gets one more.
  Words with_wrong_length(Words words) {
    const std::size_t at = instruction_of(words, 2);
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(at + (words[at] >> 16));
    if (random(2) == 0) {
      words[at] -= 1U << 16;
      words.erase(end - 1);
    } else {
      words[at] += 1U << 16;
      words.insert(end, 1);
    }
    return words;
  }
  // An instruction is something else, or is there twice.
  Words with_wrong_instruction(Words words) {
    const std::size_t at = instruction_of(words, 1), length = words[at] >> 16;
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    if (random(2) == 0) {
      words[at] = (words[at] & 0xFFFF0000) | (100 + random(150));
    } else {
      const Words copy(begin, begin + static_cast<std::ptrdiff_t>(length));
      words.insert(begin, copy.begin(), copy.end());
    }
    return words;
  }

 private:
  std::uint32_t random(std::uint32_t below) { return static_cast<std::uint32_t>(engine_() % below); }
  std::size_t instruction_of(const Words& words, std::size_t least_words) {
    const std::vector<std::size_t> body = body_of(words);
    for (;;) {
      const std::size_t at = body[random(static_cast<std::uint32_t>(body.size()))];
      if (words[at] >> 16 >= least_words) return at;
    }
  }

  std::mt19937 engine_{1};
};

void add(Seeds& seeds, Breaker& breaker, std::span<const vkc::KernelSource* const> kernels) {
  constexpr int kOfEachKind = 4;
  for (const vkc::KernelSource* kernel : kernels) {
    const std::string name(kernel->name);
    const Words words(kernel->spirv.begin(), kernel->spirv.end());
    seeds.emplace_back(name, bytes_of(words));
    seeds.emplace_back(name + "_cut", bytes_of(kernel->spirv.first(words.size() / 2)));
    for (int i = 0; i < kOfEachKind; ++i) {
      const std::string number = std::to_string(i);
      seeds.emplace_back(name + "_id" + number, bytes_of(breaker.with_wrong_id(words)));
      seeds.emplace_back(name + "_length" + number, bytes_of(breaker.with_wrong_length(words)));
      seeds.emplace_back(name + "_instruction" + number, bytes_of(breaker.with_wrong_instruction(words)));
    }
  }
}

// Numbers of bindings and sets that no device has.
void add_far_bindings(Seeds& seeds) {
  for (const std::uint32_t number : {0xFFFFU, 0x10000U, 100'000'000U, 0xFFFFFFFFU}) {
    for (const spirv::Decoration kind : {spirv::Decoration::Binding, spirv::Decoration::DescriptorSet}) {
      const bool binding = kind == spirv::Decoration::Binding;
      seeds.emplace_back((binding ? "far_binding_" : "far_set_") + std::to_string(number),
                         bytes_of(broken_spirv::with_decoration(vkc_test_kernels::sets.spirv, kind, number)));
    }
  }
}

// Names that the validation layer refuses.
void add_odd_entry_points(Seeds& seeds) {
  for (const std::uint32_t name : {0x00000A01U, 0x0000FEFFU, 0U}) {
    const Words words = broken_spirv::with_instruction(
        vkc_test_kernels::add_one.spirv, broken_spirv::kEntryPoint, 0, [&](Words& instruction) {
          instruction.at(3) = name;
          instruction.erase(instruction.begin() + 4);  // the end of "main"
        });
    seeds.emplace_back("entry_point_" + std::to_string(name), bytes_of(words));
  }
}

}  // namespace

int main(int count, char** arguments) {
  Seeds seeds;
  Breaker breaker;
  add(seeds, breaker, vkc_test_kernels::all());
  add(seeds, breaker, upres_shaders_kernels::all());
  add_far_bindings(seeds);
  add_odd_entry_points(seeds);
  return upres::fuzz::write_seeds(count, arguments, seeds);
}
