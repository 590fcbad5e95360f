// Element types, which users of the library see too.
#pragma once

#include <upres/dtype.h>  // IWYU pragma: export
