// The log, which users of the library see too.
#pragma once

#include <upres/log.h>  // IWYU pragma: export
