#include "unit/image/samples.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "image/write.h"

namespace upres::image::test {
namespace {

void set_sample(Image& image, int x, int y, int channel, int value) {
  const size_t index = static_cast<size_t>((y * image.shape.width_px + x) * image.shape.channels + channel);
  if (image.shape.dtype == DType::u8) {
    image.bytes[index] = static_cast<std::byte>(value);
  } else {
    const auto wide = static_cast<uint16_t>(value);
    std::memcpy(image.bytes.data() + 2 * index, &wide, 2);
  }
}

int samples_per_pixel(int color_type) {
  switch (color_type) {
    case 2:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 1;
  }
}

// Start and step of the passes: Adam7, or a single one.
struct Pass {
  int x, y, step_x, step_y;
};
const std::vector<Pass> kAdam7 = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                  {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

void append_pass(Bytes& to, const PngSpec& spec, RawSample raw, const Pass& pass) {
  const int channels = samples_per_pixel(spec.color_type);
  for (int y = pass.y; y < spec.height; y += pass.step_y) {
    if (pass.x >= spec.width) return;
    to.push_back(std::byte{0});  // filter: none
    uint32_t bits = 0;
    int bit_count = 0;
    for (int x = pass.x; x < spec.width; x += pass.step_x) {
      for (int c = 0; c < channels; ++c) {
        const auto mask = (1U << static_cast<unsigned>(spec.depth)) - 1U;
        const uint32_t value = static_cast<uint32_t>(raw(x, y, c)) & mask;
        if (spec.depth >= 8) {
          append_big(to, value, spec.depth / 8);
          continue;
        }
        bits = bits << static_cast<unsigned>(spec.depth) | value;
        bit_count += spec.depth;
        if (bit_count == 8) {
          to.push_back(static_cast<std::byte>(bits & 0xffU));
          bits = 0;
          bit_count = 0;
        }
      }
    }
    if (bit_count > 0)
      to.push_back(static_cast<std::byte>(bits << static_cast<unsigned>(8 - bit_count) & 0xffU));
  }
}

void append_chunk(Bytes& to, const PngChunk& chunk) {
  append_big(to, chunk.data.size(), 4);
  const size_t begin = to.size();
  append(to, bytes_of(chunk.type));
  append(to, chunk.data);
  append_big(
      to, crc32(0, reinterpret_cast<const Bytef*>(to.data() + begin), static_cast<uInt>(to.size() - begin)),
      4);
}

Bytes zlib_packed(const Bytes& raw) {
  uLongf length = compressBound(raw.size());
  Bytes packed(length);
  compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  packed.resize(length);
  return packed;
}

class Writer {
 public:
  explicit Writer(bool is_big_endian) : is_big_(is_big_endian) {}
  void put(uint64_t value, int length_bytes) {
    is_big_ ? append_big(bytes, value, length_bytes) : append_little(bytes, value, length_bytes);
  }
  void put_tag(uint32_t tag, uint32_t type, uint32_t count, uint32_t value) {
    put(tag, 2);
    put(type, 2);
    put(count, 4);
    if (type == 3 && count == 1) {
      put(value, 2);
      put(0, 2);
    } else {
      put(value, 4);
    }
  }
  Bytes bytes;

 private:
  bool is_big_;
};

int type_bytes(int type) { return type == 1 ? 1 : type == 3 ? 2 : 4; }

}  // namespace

void append_big(Bytes& to, uint64_t value, int length_bytes) {
  for (int i = length_bytes - 1; i >= 0; --i)
    to.push_back(static_cast<std::byte>(value >> (8U * static_cast<unsigned>(i))));
}
void append_little(Bytes& to, uint64_t value, int length_bytes) {
  for (int i = 0; i < length_bytes; ++i)
    to.push_back(static_cast<std::byte>(value >> (8U * static_cast<unsigned>(i))));
}
void append(Bytes& to, std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

Image noise(const ImageShape& shape, uint32_t seed) {
  Image image = Image::create(shape).value();
  std::mt19937 random(seed);
  for (std::byte& byte : image.bytes) byte = static_cast<std::byte>(random() & 0xffU);
  return image;
}

Image ramp(const ImageShape& shape) {
  Image image = Image::create(shape).value();
  const int top = shape.dtype == DType::u8 ? 255 : 65535;
  for (int y = 0; y < shape.height_px; ++y) {
    for (int x = 0; x < shape.width_px; ++x) {
      for (int c = 0; c < shape.channels; ++c) {
        const int64_t part = c % 2 == 0 ? int64_t{x} * top / std::max(1, shape.width_px - 1)
                                        : int64_t{y} * top / std::max(1, shape.height_px - 1);
        set_sample(image, x, y, c, static_cast<int>(part));
      }
    }
  }
  return image;
}

Bytes file_of(const Image& image, Format format, const Metadata& metadata) {
  return encode(image.view(), metadata, format).value();
}

int sample(const Image& image, int x, int y, int channel) {
  const size_t index = static_cast<size_t>((y * image.shape.width_px + x) * image.shape.channels + channel);
  if (image.shape.dtype == DType::u8) return static_cast<int>(image.bytes.at(index));
  uint16_t value = 0;
  std::memcpy(&value, image.bytes.data() + 2 * index, 2);
  return value;
}

Bytes make_png(const PngSpec& spec, RawSample raw) {
  Bytes file = bytes_of("\x89PNG\r\n\x1a\n");
  Bytes header;
  append_big(header, static_cast<uint64_t>(spec.width), 4);
  append_big(header, static_cast<uint64_t>(spec.height), 4);
  for (const int value : {spec.depth, spec.color_type, 0, 0, spec.is_interlaced ? 1 : 0}) {
    append_big(header, static_cast<uint64_t>(value), 1);
  }
  append_chunk(file, {"IHDR", header});
  for (const PngChunk& chunk : spec.before_data) append_chunk(file, chunk);
  Bytes rows;
  for (const Pass& pass : spec.is_interlaced ? kAdam7 : std::vector<Pass>{{0, 0, 1, 1}}) {
    append_pass(rows, spec, raw, pass);
  }
  append_chunk(file, {"IDAT", zlib_packed(rows)});
  for (const PngChunk& chunk : spec.after_data) append_chunk(file, chunk);
  append_chunk(file, {"IEND", {}});
  return file;
}

TiffPage tiff_page(int width, int height, int photometric, const std::vector<uint32_t>& bits, Bytes data) {
  return {{{256, 4, {static_cast<uint32_t>(width)}},
           {257, 4, {static_cast<uint32_t>(height)}},
           {258, 3, bits},
           {259, 3, {1}},
           {262, 3, {static_cast<uint32_t>(photometric)}},
           {277, 3, {static_cast<uint32_t>(bits.size())}},
           {278, 4, {static_cast<uint32_t>(height)}}},
          std::move(data)};
}

Bytes make_tiff(const std::vector<TiffPage>& pages, bool is_big_endian) {
  Writer file(is_big_endian);
  file.bytes = bytes_of(is_big_endian ? "MM" : "II");
  file.put(42, 2);
  size_t link = file.bytes.size();
  file.put(0, 4);
  for (const TiffPage& page : pages) {
    const auto strip = static_cast<uint32_t>(file.bytes.size());
    append(file.bytes, page.data);
    std::vector<TiffTag> tags = page.tags;
    tags.push_back({273, 4, {strip}});
    tags.push_back({279, 4, {static_cast<uint32_t>(page.data.size())}});
    std::sort(tags.begin(), tags.end(), [](const TiffTag& a, const TiffTag& b) { return a.tag < b.tag; });
    std::vector<uint32_t> outside(tags.size());
    for (size_t i = 0; i < tags.size(); ++i) {
      if (file.bytes.size() % 2 != 0) file.bytes.push_back(std::byte{0});
      outside[i] = static_cast<uint32_t>(file.bytes.size());
      if (tags[i].values.size() * static_cast<size_t>(type_bytes(tags[i].type)) <= 4) continue;
      for (const uint32_t value : tags[i].values) file.put(value, type_bytes(tags[i].type));
    }
    if (file.bytes.size() % 2 != 0) file.bytes.push_back(std::byte{0});
    Writer offset(is_big_endian);
    offset.put(file.bytes.size(), 4);
    std::copy(offset.bytes.begin(), offset.bytes.end(), file.bytes.begin() + static_cast<ptrdiff_t>(link));
    file.put(tags.size(), 2);
    for (size_t i = 0; i < tags.size(); ++i) {
      const auto& [tag, type, values] = tags[i];
      file.put(static_cast<uint64_t>(tag), 2);
      file.put(static_cast<uint64_t>(type), 2);
      file.put(values.size(), 4);
      const size_t end = file.bytes.size() + 4;
      if (values.size() * static_cast<size_t>(type_bytes(type)) <= 4) {
        for (const uint32_t value : values) file.put(value, type_bytes(type));
      } else {
        file.put(outside[i], 4);
      }
      file.bytes.resize(end);
    }
    link = file.bytes.size();
    file.put(0, 4);
  }
  return file.bytes;
}

Bytes make_exif(int orientation, bool is_big_endian) {
  constexpr uint32_t kIfd0 = 8;
  constexpr uint32_t kExifIfd = kIfd0 + 2 + 3 * 12 + 4;
  constexpr uint32_t kIfd1 = kExifIfd + 2 + 3 * 12 + 4;
  constexpr uint32_t kData = kIfd1 + 2 + 12 + 4;
  Writer exif(is_big_endian);
  exif.bytes = bytes_of(is_big_endian ? "MM" : "II");
  exif.put(42, 2);
  exif.put(kIfd0, 4);
  exif.put(3, 2);
  exif.put_tag(0x010f, 2, 6, kData);
  exif.put_tag(0x0112, 3, 1, static_cast<uint32_t>(orientation));
  exif.put_tag(0x8769, 4, 1, kExifIfd);
  exif.put(kIfd1, 4);
  exif.put(3, 2);
  exif.put_tag(0xa002, 4, 1, 11);
  exif.put_tag(0xa003, 3, 1, 12);
  exif.put_tag(0x927c, 7, 10, kData + 6);
  exif.put(0, 4);
  exif.put(1, 2);
  exif.put_tag(0x0103, 3, 1, 6);
  exif.put(0, 4);
  append(exif.bytes, bytes_of("upres "));
  append(exif.bytes, bytes_of("maker note"));
  return exif.bytes;
}

Bytes make_icc(std::string_view space, size_t padding) {
  Bytes icc;
  append_big(icc, 132 + padding, 4);
  append_big(icc, 0, 4);
  append_big(icc, 0x04300000, 4);  // version
  append(icc, bytes_of("mntr"));
  append(icc, bytes_of(space));
  append(icc, bytes_of("XYZ "));
  icc.resize(icc.size() + 12);
  append(icc, bytes_of("acsp"));
  icc.resize(icc.size() + 28);
  append_big(icc, 0x0000f6d6, 4);  // the D50 illuminant, which PNG readers check
  append_big(icc, 0x00010000, 4);
  append_big(icc, 0x0000d32d, 4);
  icc.resize(icc.size() + 48);
  append_big(icc, 0, 4);  // no tags
  std::mt19937 random(3);
  for (size_t i = 0; i < padding; ++i) icc.push_back(static_cast<std::byte>(random() & 0xffU));
  return icc;
}

}  // namespace upres::image::test
