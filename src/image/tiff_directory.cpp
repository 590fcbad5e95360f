#include "image/tiff_directory.h"

namespace upres::image {
namespace {

constexpr uint64_t kMaxEntries = 65535;
constexpr uint64_t kMaxValues = uint64_t{1} << 24U;

enum Type : uint32_t { kByte = 1, kShort = 3, kLong = 4, kRational = 5, kIfd = 13, kLong8 = 16 };

// Bytes of one value by field type, 0 for unknown.
constexpr std::array<uint8_t, 19> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

uint64_t type_bytes(uint32_t type) { return type < kTypeBytes.size() ? kTypeBytes[type] : 0; }

bool is_integer(uint32_t type) {
  return type == kByte || type == kShort || type == kLong || type == kIfd || type == kLong8;
}

}  // namespace

const TiffEntry* TiffDirectory::find(uint32_t tag) const {
  for (const TiffEntry& entry : entries) {
    if (entry.tag == tag) return &entry;
  }
  return nullptr;
}

TiffReader::TiffReader(const ByteReader& file) : file_(file) {
  std::array<uint8_t, 4> head = {};
  if (!file.read_at(0, head)) return;
  is_big_endian_ = head[0] == 'M';
  word_bytes_ = head[is_big_endian_ ? 3 : 2] == 43 ? 8 : 4;
}

uint64_t TiffReader::decoded(std::span<const uint8_t> bytes) const {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value = value << 8U | bytes[is_big_endian_ ? i : bytes.size() - 1 - i];
  }
  return value;
}

std::optional<uint64_t> TiffReader::integer_at(uint64_t at, size_t length) const {
  std::array<uint8_t, 8> bytes = {};
  const auto used = std::span(bytes).first(length);
  if (!file_.read_at(at, used)) return std::nullopt;
  return decoded(used);
}

std::optional<uint64_t> TiffReader::first_directory() const { return integer_at(word_bytes_, word_bytes_); }

std::optional<TiffEntry> TiffReader::entry(std::span<const uint8_t> bytes, uint64_t at) const {
  const size_t value_at = 4 + word_bytes_;
  TiffEntry entry;
  entry.tag = static_cast<uint32_t>(decoded(bytes.first(2)));
  entry.type = static_cast<uint32_t>(decoded(bytes.subspan(2, 2)));
  entry.count = decoded(bytes.subspan(4, word_bytes_));
  entry.at = at + value_at;
  const uint64_t length = type_bytes(entry.type);
  if (length == 0 || entry.count <= word_bytes_ / length)
    return entry;  // short values lie in the entry itself
  entry.at = decoded(bytes.subspan(value_at, word_bytes_));
  const uint64_t size = file_.size_bytes();
  if (entry.at > size || entry.count > (size - entry.at) / length) return std::nullopt;
  return entry;
}

std::optional<TiffDirectory> TiffReader::directory(uint64_t at) const {
  const size_t count_bytes = word_bytes_ == 8 ? 8 : 2;
  const size_t entry_bytes = 4 + 2 * word_bytes_;
  const auto count = integer_at(at, count_bytes);
  if (!count || *count == 0 || *count > kMaxEntries) return std::nullopt;
  const uint64_t begin = at + count_bytes;
  const auto bytes = file_.bytes_at(begin, *count * entry_bytes + word_bytes_);
  if (!bytes) return std::nullopt;
  TiffDirectory directory;
  for (uint64_t i = 0; i < *count; ++i) {
    const uint64_t offset = i * entry_bytes;
    const auto found = entry(as_u8(*bytes).subspan(offset, entry_bytes), begin + offset);
    if (!found) return std::nullopt;
    directory.entries.push_back(*found);
  }
  directory.next = decoded(as_u8(*bytes).last(word_bytes_));
  return directory;
}

std::optional<std::vector<uint64_t>> TiffReader::integers(const TiffDirectory& directory,
                                                          uint32_t tag) const {
  std::vector<uint64_t> values;
  const TiffEntry* entry = directory.find(tag);
  if (entry == nullptr) return values;
  if (!is_integer(entry->type) || entry->count > kMaxValues) return std::nullopt;
  const uint64_t length = type_bytes(entry->type);
  const auto bytes = file_.bytes_at(entry->at, entry->count * length);
  if (!bytes) return std::nullopt;
  for (uint64_t i = 0; i < entry->count; ++i) {
    values.push_back(decoded(as_u8(*bytes).subspan(i * length, length)));
  }
  return values;
}

uint64_t TiffReader::integer(const TiffDirectory& directory, uint32_t tag, uint64_t otherwise) const {
  const auto values = integers(directory, tag);
  return values && !values->empty() ? values->front() : otherwise;
}

std::optional<double> TiffReader::rational(const TiffDirectory& directory, uint32_t tag) const {
  const TiffEntry* entry = directory.find(tag);
  if (entry == nullptr || entry->type != kRational || entry->count != 1) return std::nullopt;
  const auto above = integer_at(entry->at, 4);
  const auto below = integer_at(entry->at + 4, 4);
  if (!above || !below || *below == 0) return std::nullopt;
  return static_cast<double>(*above) / static_cast<double>(*below);
}

}  // namespace upres::image
