// The files of devices/ as the build embeds them (embed_files.cmake).
#pragma once

#include <span>

#include "devicedb/devicedb.h"

namespace upres::devicedb {

std::span<const NamedText> embedded_files();

}  // namespace upres::devicedb
