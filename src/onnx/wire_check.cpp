// Wire format: protobuf.dev/programming-guides/encoding. Field numbers: onnx.proto.
#include "onnx/wire_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

namespace upres::onnx {
namespace {

// Protobuf itself gives up at 100.
constexpr int kMaxDepth = 64;

enum class Kind { model, graph, node, attribute, tensor, port, type, training, function, opaque };

// What the length-delimited field of a message holds; opaque: text, numbers or something small.
Kind child(Kind parent, uint64_t field) {
  switch (parent) {
    case Kind::model:
      return field == 7    ? Kind::graph
             : field == 20 ? Kind::training
             : field == 25 ? Kind::function
                           : Kind::opaque;
    case Kind::training:
      return field == 1 || field == 2 ? Kind::graph : Kind::opaque;
    case Kind::function:
      return field == 7 ? Kind::node : field == 11 ? Kind::attribute : Kind::opaque;
    case Kind::graph:
      if (field == 1) return Kind::node;
      if (field == 5) return Kind::tensor;
      if (field == 15) return Kind::type;  // a sparse tensor: nested messages all the way
      return field >= 11 && field <= 14 ? Kind::port : Kind::opaque;
    case Kind::node:
      return field == 5 ? Kind::attribute : Kind::opaque;
    case Kind::attribute:
      if (field == 5 || field == 10) return Kind::tensor;
      if (field == 6 || field == 11) return Kind::graph;
      return field == 14 || field == 15 || field == 22 || field == 23 ? Kind::type : Kind::opaque;
    case Kind::port:
      return field == 2 ? Kind::type : Kind::opaque;
    default:
      return Kind::opaque;
  }
}

class WireChecker {
 public:
  Status run(std::span<const std::byte> bytes) {
    if (walk(Kind::model, bytes, 0)) return {};
    if (records_ > kMaxRecords) {
      return fail(ErrorCode::model, fmt::format("it has more than {} parts", kMaxRecords));
    }
    return fail(ErrorCode::model, "it is no ONNX model, or it is damaged");
  }

 private:
  using Bytes = std::span<const std::byte>;

  static std::optional<uint64_t> varint(Bytes& bytes) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
      const auto byte = static_cast<uint64_t>(bytes.front());
      bytes = bytes.subspan(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  static bool skip(Bytes& bytes, uint64_t count) {
    if (count > bytes.size()) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    return true;
  }

  // False when the message is malformed or there are too many records.
  bool walk(Kind kind, Bytes bytes, int depth) {
    if (depth > kMaxDepth) return false;
    while (!bytes.empty()) {
      const auto tag = varint(bytes);
      if (!tag || !field(kind, *tag, bytes, depth)) return false;
    }
    return true;
  }

  bool field(Kind kind, uint64_t tag, Bytes& bytes, int depth) {
    switch (tag & 7U) {
      case 0:
        return varint(bytes).has_value();
      case 1:
        return skip(bytes, 8);
      case 5:
        return skip(bytes, 4);
      case 2:
        break;
      default:
        return false;  // groups are not used by ONNX, 6 and 7 do not exist
    }
    const auto length = varint(bytes);
    if (!length || *length > bytes.size() || ++records_ > kMaxRecords) return false;
    const Bytes content = bytes.first(static_cast<size_t>(*length));
    bytes = bytes.subspan(content.size());
    if (kind == Kind::type) return nested(content, depth + 1);
    const Kind inner = child(kind, tag >> 3U);
    return inner == Kind::opaque || walk(inner, content, depth + 1);
  }

  // Types nest in each other through many fields, some of which are text: what does not parse there is left
  // to protobuf.
  bool nested(Bytes content, int depth) {
    walk(Kind::type, content, depth);
    return records_ <= kMaxRecords;
  }

  size_t records_ = 0;
};

}  // namespace

Status check_wire(std::span<const std::byte> bytes) { return WireChecker().run(bytes); }

}  // namespace upres::onnx
