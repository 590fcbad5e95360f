#include "upscale/threads.h"

#include <algorithm>
#include <thread>

#ifdef UPRES_WITH_PICTURES
#include "image/picture.h"
#endif

namespace upres::upscale {

void set_threads(int count) {
  const int chosen = count > 0 ? count : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#ifdef UPRES_WITH_PICTURES
  image::set_threads(chosen);
#endif
  static_cast<void>(chosen);  // the CPU device gets its number with each session
}

}  // namespace upres::upscale
