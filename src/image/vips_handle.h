// libvips' life and its objects. Included by .cpp files only: libvips does not show in the library's
// interface.
#pragma once

#include <vips/vips.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace upres::image {

// Starts libvips on the first call: operation cache off, its messages caught instead of printed, its plug-in
// modules (ImageMagick, poppler, ...) not loaded. Any thread. It is never shut down: other threads may still
// be in it when the process ends.
Status start_vips();

struct GObjectUnref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct GFree {
  void operator()(void* memory) const { g_free(memory); }
};
using VipsImagePtr = std::unique_ptr<VipsImage, GObjectUnref>;
using VipsRegionPtr = std::unique_ptr<VipsRegion, GObjectUnref>;
using VipsSourcePtr = std::unique_ptr<VipsSource, GObjectUnref>;

// Takes libvips' error text, as one line, and clears it. The text is shared by all threads of the process, so
// that under concurrent failures it may tell of another one's; it is for people, never for decisions.
std::string take_vips_error();

// While it lives, warnings that libvips emits in this thread are kept here. One at a time per thread.
class VipsWarnings {
 public:
  VipsWarnings();
  ~VipsWarnings();
  VipsWarnings(const VipsWarnings&) = delete;
  VipsWarnings& operator=(const VipsWarnings&) = delete;

  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace upres::image
