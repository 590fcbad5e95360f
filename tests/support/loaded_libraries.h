// Libraries that come and go by themselves, as drivers and layers do with each Vulkan instance.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>

namespace upres::test {

// Keeps every library that is loaded now in memory to the end. Else a leak checker cannot say whose leak it
// saw, and the thread sanitizer gives up when a library that its suppressions name is unloaded.
inline void pin_loaded_libraries() {
  const auto pin = [](dl_phdr_info* info, std::size_t, void*) {
    if (info->dlpi_name[0] != '\0') (void)dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return 0;
  };
  dl_iterate_phdr(pin, nullptr);
}

}  // namespace upres::test
