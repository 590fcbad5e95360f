// Any bytes as a kernel's module: read, reflected, its constants set, checked as for a device that can do
// everything, and made into a kernel on the software Vulkan device where there is one, with the validator
// between the bytes and the driver.
//
// A GPU's driver is left alone: its faults are not ours, and can take the whole machine down.
#include <vkc/vkc.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "spirv/module.h"
#include "spirv/passes/freeze_constants.h"
#include "spirv/passes/narrow_capabilities.h"
#include "spirv/reflect.h"
#include "vkc/kernel_interface.h"

namespace {

// A rule that must hold for every input; libFuzzer reports the abort with the bytes that led to it.
void must(bool holds) {
  if (!holds) std::abort();
}

vkc::DeviceLimits generous_limits() {
  vkc::DeviceLimits limits;
  limits.max_group_size = {1024, 1024, 1024};
  limits.max_group_invocations = 1024;
  limits.max_shared_memory_bytes = 1 << 16;
  limits.max_push_constants_bytes = 256;
  limits.max_bound_descriptor_sets = 8;
  limits.max_storage_buffers_per_kernel = limits.max_uniform_buffers_per_kernel = 64;
  limits.max_storage_images_per_kernel = limits.max_sampled_images_per_kernel = 64;
  limits.max_samplers_per_kernel = 64;
  limits.max_resources_per_kernel = 256;
  return limits;
}

// Every feature is a bool.
vkc::DeviceFeatures all_features() {
  std::array<bool, sizeof(vkc::DeviceFeatures)> features;
  features.fill(true);
  return std::bit_cast<vkc::DeviceFeatures>(features);
}

vkc::ConstantValue default_of(const spirv::SpecConstant& constant) {
  switch (constant.type.kind) {
    case spirv::ScalarType::Kind::boolean:
      return constant.default_bits != 0;
    case spirv::ScalarType::Kind::floating_point:
      return spirv::float_value(constant.type.width_bits, constant.default_bits);
    case spirv::ScalarType::Kind::signed_integer:
    case spirv::ScalarType::Kind::unsigned_integer:
      break;
  }
  return constant.default_bits & 0x7F;  // fits every width
}

std::vector<vkc::Constant> defaults_of(const spirv::Reflection& reflection) {
  std::vector<vkc::Constant> constants;
  for (const spirv::SpecConstant& constant : reflection.constants)
    constants.push_back({constant.name, default_of(constant)});
  return constants;
}

// As Kernel::create does it, short of the driver.
void check_kernel(std::span<const std::uint32_t> words, const spirv::Reflection& reflection) {
  const std::vector<vkc::Constant> constants = defaults_of(reflection);
  const vkc::DeviceLimits limits = generous_limits();
  const vkc::DeviceFeatures features = all_features();
  const vkc::KernelSource source{"fuzz", words};
  for (const std::optional<vkc::KernelGroupSize>& group_size :
       {std::optional<vkc::KernelGroupSize>(), std::optional(vkc::KernelGroupSize{8, 4, 2})}) {
    const auto frozen = vkc::detail::freeze_kernel(source, constants, group_size,
                                                   {limits, features, {1, 6}, UINT32_MAX}, true);
    if (!frozen) {
      must(!frozen.error().message.empty());
      continue;
    }
    const vkc::KernelGroupSize size = vkc::detail::group_size_of(frozen->reflection);
    must(size.x > 0 && size.y > 0 && size.z > 0 && std::uint64_t{size.x} * size.y * size.z <= 1024);
    must(frozen->reflection.constants.empty());
    must(frozen->reflection.entry_point == "main");
    for (const spirv::Resource& resource : frozen->reflection.resources) {
      must(vkc::detail::descriptor_type(resource.kind) && resource.set < 8 && !resource.name.empty());
      must(resource.binding <= vkc::kMostBindingNumber);
    }
    for (const spirv::SampledPair& pair : frozen->reflection.sampled_pairs) {
      must(frozen->reflection.resources.at(pair.image).kind == spirv::ResourceKind::sampled_image);
      must(frozen->reflection.resources.at(pair.sampler).kind == spirv::ResourceKind::sampler);
    }
  }
}

// Empty where there is no software device. Opened once, and never closed: drivers keep threads.
const std::optional<vkc::Device>& software_device() {
  static const auto* const device = new std::optional<vkc::Device>([]() -> std::optional<vkc::Device> {
    const auto instance = vkc::Instance::create();
    if (!instance) return std::nullopt;
    const auto devices = instance->physical_devices();
    if (!devices) return std::nullopt;
    for (const vkc::PhysicalDevice& physical : *devices) {
      if (physical.properties().type != vkc::DeviceType::software || !physical.refusals().empty()) continue;
      if (auto opened = vkc::Device::open(physical)) return std::move(*opened);
    }
    return std::nullopt;
  }());
  return *device;
}

// Whether a loop may compare with a large number. Such modules are valid, but lavapipe (Mesa 22.3) unrolls a
// loop of 2^30 turns, because its estimate of the cost overflows, and takes all the memory there is.
bool may_unroll_without_end(const spirv::Module& module) {
  constexpr std::uint32_t kLarge = 0xFFFF;
  std::set<std::uint32_t> integers, large;
  bool loops = false, compares = false;
  for (const spirv::Instruction instruction : module) {
    const auto& words = instruction.words;
    const spirv::Op op = instruction.op();
    if (op == spirv::Op::TypeInt) integers.insert(words[1]);
    const bool constant = op == spirv::Op::Constant || op == spirv::Op::SpecConstant;
    if (constant && integers.contains(words[1]) && words[3] > kLarge) large.insert(words[2]);
    if (op == spirv::Op::LoopMerge) loops = true;
    const bool comparison = op >= spirv::Op::IEqual && op <= spirv::Op::SLessThanEqual && words.size() == 5;
    if (comparison && (large.contains(words[3]) || large.contains(words[4]))) compares = true;
  }
  return loops && compares;
}

void make_kernel(const spirv::Module& module, const spirv::Reflection& reflection) {
  const std::optional<vkc::Device>& device = software_device();
  if (!device || may_unroll_without_end(module)) return;
  const auto kernel = vkc::Kernel::create(*device, module.words(), defaults_of(reflection));
  must(kernel || !kernel.error().message.empty());
  must(!device->is_lost());
}

// Gives one instruction, a type or later, an operand of another with the same opcode and length.
void swap_operands(std::span<std::uint32_t> module, std::minstd_rand& random) {
  std::vector<std::span<std::uint32_t>> instructions;
  bool names = true;  // and modes and decorations, which come first
  for (std::size_t at = spirv::kHeaderWords; at < module.size();) {
    const std::size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) break;
    const auto op = static_cast<spirv::Op>(module[at] & 0xFFFF);
    if (op >= spirv::Op::TypeVoid && op <= spirv::Op::TypeFunction) names = false;
    if (length > 1 && !names) instructions.push_back(module.subspan(at, length));
    at += length;
  }
  if (instructions.empty()) return;
  const std::span<std::uint32_t> to = instructions[random() % instructions.size()];
  std::erase_if(instructions, [&](const auto& other) { return other[0] != to[0]; });
  const std::size_t word = 1 + random() % (to.size() - 1);
  to[word] = instructions[random() % instructions.size()][word];
}

}  // namespace

// Of libFuzzer; absent where findings are replayed.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size_bytes, size_t max_bytes);

// Random bytes rarely are a module any more. This puts words in the place of others, half of them operands of
// another instruction of the same kind, so that many get past the validator.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size_bytes, size_t max_bytes, unsigned seed) {
  std::minstd_rand random(seed);
  const std::size_t words = size_bytes / sizeof(std::uint32_t);
  if (words <= spirv::kHeaderWords || random() % 4 == 0) return LLVMFuzzerMutate(data, size_bytes, max_bytes);
  std::vector<std::uint32_t> module(words);
  std::memcpy(module.data(), data, words * sizeof(std::uint32_t));
  const auto some_word = [&]() -> std::uint32_t& {
    return module[spirv::kHeaderWords + random() % (words - spirv::kHeaderWords)];
  };
  for (unsigned changes = 1 + static_cast<unsigned>(random() % 3); changes > 0; --changes) {
    if (random() % 2 == 0) {
      some_word() = some_word();
    } else {
      swap_operands(module, random);
    }
  }
  std::memcpy(data, module.data(), words * sizeof(std::uint32_t));
  return size_bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size_bytes) {
  const auto module = spirv::Module::read_bytes(std::as_bytes(std::span(data, size_bytes)));
  if (!module) {
    must(!module.error().message.empty());
    return 0;
  }
  const auto reflection = spirv::reflect(*module);
  if (!reflection) {
    must(!reflection.error().message.empty());
    return 0;
  }
  spirv::Module frozen = *module;
  const spirv::PassOutcome outcome = spirv::freeze_constants(frozen, {});
  if (outcome.status == spirv::PassStatus::failed) {
    must(frozen.words() == module->words());
  } else {
    must(spirv::Module::read(frozen.words()).has_value());
  }
  must(spirv::narrow_capabilities(frozen).status != spirv::PassStatus::failed);
  check_kernel(module->words(), *reflection);
  make_kernel(*module, *reflection);
  return 0;
}
