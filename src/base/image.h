// Pictures in host memory, which users of the library see too.
#pragma once

#include <upres/image.h>  // IWYU pragma: export
