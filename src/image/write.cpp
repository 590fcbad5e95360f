#include "image/write.h"

#include <utility>

#include "base/display_name.h"

namespace upres::image {

Status write(const ImageView& view, const Metadata& metadata, Format format, const EncodeOptions& options,
             const std::filesystem::path& path, IfExists if_exists, const Log& log) {
  // The file first: a name that cannot be written is found before the encoder works in vain.
  Result<PendingFile> file = PendingFile::create(path, if_exists);
  if (!file) return propagate(file);
  const std::string label = display_name(path);
  const Log named([&](LogLevel level, std::string_view text) {
    const std::string line = label + ": " + std::string(text);
    level == LogLevel::warning ? log.warning(line) : log.info(line);
  });
  Result<std::vector<std::byte>> bytes = encode(view, metadata, format, options, named);
  if (!bytes) return propagate(bytes, "cannot write " + label);
  if (Status status = file->append(*bytes); !status) return status;
  return file->commit();
}

}  // namespace upres::image
