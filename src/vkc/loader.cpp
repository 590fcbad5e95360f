#include "vkc/loader.h"

#include <dlfcn.h>

#include "vkc/status.h"

namespace vkc::detail {
namespace {

#ifdef __APPLE__
constexpr const char* kSystemLoader = "libvulkan.1.dylib";
#else
constexpr const char* kSystemLoader = "libvulkan.so.1";
#endif

std::string last_problem() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown reason";
}

}  // namespace

Result<std::shared_ptr<Loader>> Loader::open(const std::string& file) {
  const std::string name = file.empty() ? kSystemLoader : file;
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::no_vulkan, "cannot load the Vulkan loader: " + last_problem() +
                                          "; install it (Debian: libvulkan1) and the driver of the GPU");
  }
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (get == nullptr) {
    dlclose(library);
    return fail(ErrorCode::no_vulkan, name + " is not a Vulkan loader: it has no vkGetInstanceProcAddr");
  }
  return std::shared_ptr<Loader>(new Loader(library, get));
}

Loader::~Loader() { dlclose(library_); }

}  // namespace vkc::detail
