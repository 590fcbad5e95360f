// The Vulkan loader's library, opened at run time.
#pragma once

#include <memory>
#include <string>

#include <vkc/error.h>

#include "vkc/vulkan_api.h"

namespace vkc::detail {

// An open shared library; closed by the destructor.
class Loader {
 public:
  // file: name or path; empty: the system's Vulkan loader. Errors: no_vulkan.
  static Result<std::shared_ptr<Loader>> open(const std::string& file);
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  ~Loader();

  [[nodiscard]] PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_; }

 private:
  Loader(void* library, PFN_vkGetInstanceProcAddr get) : library_(library), get_(get) {}
  void* library_;
  PFN_vkGetInstanceProcAddr get_;
};

}  // namespace vkc::detail
