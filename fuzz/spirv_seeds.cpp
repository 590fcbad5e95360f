// Every kernel of upres and of vkc's tests, whole and cut short.
#include <cstring>
#include <span>

#include "fuzz/seeds.h"
#include "upres_shaders_kernels.h"
#include "vkc_test_kernels.h"

namespace {

using Seeds = std::vector<std::pair<std::string, std::string>>;

void add(Seeds& seeds, std::span<const vkc::KernelSource* const> kernels) {
  for (const vkc::KernelSource* kernel : kernels) {
    std::string bytes(kernel->spirv.size_bytes(), '\0');
    std::memcpy(bytes.data(), kernel->spirv.data(), bytes.size());
    const std::string name(kernel->name);
    seeds.emplace_back(name + "_cut", bytes.substr(0, bytes.size() / 8 * 4));
    seeds.emplace_back(name, std::move(bytes));
  }
}

}  // namespace

int main(int count, char** arguments) {
  Seeds seeds;
  add(seeds, vkc_test_kernels::all());
  add(seeds, upres_shaders_kernels::all());
  return upres::fuzz::write_seeds(count, arguments, seeds);
}
