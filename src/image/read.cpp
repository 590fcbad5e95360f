#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "base/display_name.h"
#include "image/decode.h"
#include "image/exif.h"
#include "image/orientation.h"
#include "image/picture.h"
#include "image/scan.h"
#include "image/vips_handle.h"
#include "image/xmp.h"

namespace upres::image {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20U;

// Of the machine; unlimited where the system does not tell.
double memory_bytes() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return bytes > 0 ? bytes : std::numeric_limits<double>::infinity();
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

struct OpenFile {
  Descriptor descriptor;
  bool is_regular = false;
  uint64_t size_bytes = 0;
};

tl::unexpected<Error> cannot_read(const std::string& label, const std::string& why) {
  return fail(ErrorCode::input, "cannot read " + label + ": " + why);
}

std::string errno_text() { return std::system_category().message(errno); }

Result<OpenFile> open_file(const std::filesystem::path& path, const std::string& label) {
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return cannot_read(label, errno_text());
  struct stat info = {};
  if (fstat(descriptor.get(), &info) != 0) return cannot_read(label, errno_text());
  if (S_ISDIR(info.st_mode)) return cannot_read(label, "it is a folder");
  return OpenFile{std::move(descriptor), S_ISREG(info.st_mode), static_cast<uint64_t>(info.st_size)};
}

Result<Bytes> read_all(const OpenFile& file, const std::string& label) {
  if (static_cast<double>(file.size_bytes) > memory_bytes()) return cannot_read(label, "not enough memory");
  Bytes bytes;
  try {
    bytes.reserve(file.size_bytes + 1);
    for (size_t used = 0;;) {
      bytes.resize(std::max(bytes.capacity(), used + kReadBytes));
      const ssize_t got = ::read(file.descriptor.get(), bytes.data() + used, bytes.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return cannot_read(label, errno_text());
      used += static_cast<size_t>(got);
      if (got == 0) {
        bytes.resize(used);
        return bytes;
      }
    }
  } catch (const std::exception&) {  // bad_alloc, length_error
    return cannot_read(label, "not enough memory");
  }
}

// "photo.bmp" + "is a BMP file; ...".
tl::unexpected<Error> about(const std::string& label, const Error& error) {
  return cannot_read(label, "it " + error.message);
}

Result<Scan> scan_named(const ByteReader& file, const std::string& label) {
  try {
    Result<Scan> found = scan(file);
    if (!found) return about(label, found.error());
    return found;
  } catch (const std::exception&) {  // bad_alloc, length_error
    return cannot_read(label, "not enough memory for its metadata");
  }
}

PictureInfo info_of(const Scan& found) { return {found.upright(), found.format}; }

std::string gibibytes(double bytes) {
  const double tenths = std::ceil(bytes / (1U << 30U) * 10);
  const std::string digits = std::to_string(static_cast<uint64_t>(tenths));
  return (digits.size() > 1 ? digits.substr(0, digits.size() - 1) : "0") + "." + digits.back() + " GiB";
}

// Refuses what cannot fit, instead of being killed half-way by the system.
Status check_memory(const Scan& found) {
  const double needed = static_cast<double>(found.stored.row_bytes()) * found.stored.height_px;
  const double present = memory_bytes();
  if (needed <= present) return {};
  return fail(ErrorCode::input, "is too large: its " + std::to_string(found.stored.width_px) + "x" +
                                    std::to_string(found.stored.height_px) + " pixels need " +
                                    gibibytes(needed) + ", this machine has " + gibibytes(present));
}

std::string joined(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

void tell(const Scan& found, const Decoded& decoded, const std::string& label, const Log& log) {
  if (!found.not_kept.empty()) log.warning(label + ": not passed on: " + joined(found.not_kept));
  if (found.has_icc && decoded.icc.empty())
    log.warning(label +
                ": its colour profile is not passed on: it is damaged or for another kind of picture");
  for (const std::string& warning : decoded.warnings) log.warning(label + ": " + warning);
  if (!found.comments.empty()) log.info(label + ": not passed on: " + joined(found.comments));
}

Metadata metadata_of(Scan& found, Decoded& decoded) {
  Metadata metadata{std::move(decoded.icc), std::move(found.exif), std::move(found.xmp),
                    found.x_pixels_per_mm, found.y_pixels_per_mm};
  reset_exif_orientation(metadata.exif);
  reset_xmp_orientation(metadata.xmp);
  if (found.orientation != 1) unlink_exif_thumbnail(metadata.exif);
  return metadata;
}

Result<Picture> decode_scanned(std::span<const std::byte> file, Scan& found, const std::string& label,
                               const Log& log) {
  if (Status status = check_memory(found); !status) return about(label, status.error());
  if (found.format == Format::png) {
    if (Status status = check_png_checksums(file); !status) return about(label, status.error());
  }
  Result<Decoded> decoded = decode(file, found);
  if (!decoded) return about(label, decoded.error());
  tell(found, *decoded, label, log);
  Image stored{found.stored, std::move(decoded->pixels), metadata_of(found, *decoded)};
  Result<Image> upright = apply_orientation(std::move(stored), found.orientation);
  if (!upright) return cannot_read(label, upright.error().message);
  return Picture{std::move(*upright), found.format};
}

}  // namespace

Result<PictureInfo> probe(std::span<const std::byte> file, std::string_view label) {
  const Result<Scan> found = scan_named(MemoryReader(file), display_name(label, kWholeName));
  return found.map(info_of);
}

Result<PictureInfo> probe(const std::filesystem::path& path) {
  const std::string label = display_name(path);
  Result<OpenFile> file = open_file(path, label);
  if (!file) return propagate(file);
  if (file->is_regular)
    return scan_named(FileReader(file->descriptor.get(), file->size_bytes), label).map(info_of);
  return cannot_read(label, "it is not a regular file, so that looking at it would use it up");
}

Result<Picture> read(std::span<const std::byte> file, std::string_view label, const Log& log) {
  const std::string shown = display_name(label, kWholeName);
  Result<Scan> found = scan_named(MemoryReader(file), shown);
  if (!found) return propagate(found);
  return decode_scanned(file, *found, shown, log);
}

Result<Picture> read(const std::filesystem::path& path, const Log& log) {
  const std::string label = display_name(path);
  Result<OpenFile> file = open_file(path, label);
  if (!file) return propagate(file);
  if (file->is_regular) {  // what is not a picture need not be read whole to know
    const Result<Scan> found = scan_named(FileReader(file->descriptor.get(), file->size_bytes), label);
    if (!found) return tl::unexpected<Error>(found.error());
  }
  const Result<Bytes> bytes = read_all(*file, label);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return read(*bytes, path.native(), log);
}

void set_threads(int count) {
  if (start_vips()) vips_concurrency_set(std::max(1, count));
}

}  // namespace upres::image
