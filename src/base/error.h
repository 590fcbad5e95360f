// Errors and results, which users of the library see too.
#pragma once

#include <upres/error.h>  // IWYU pragma: export
