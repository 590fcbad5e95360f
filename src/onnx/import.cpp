#include "onnx/import.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <system_error>

#include "base/display_name.h"
#include "graph/verify.h"
#include "onnx/graph_import.h"
#include "onnx/wire_check.h"

namespace upres::onnx {
namespace {

// Protobuf's own limit for one message.
constexpr uint64_t kMaxFile_bytes = std::numeric_limits<int>::max();
constexpr size_t kMaxLabel_bytes = 1024;

Result<Model> parse_and_import(std::span<const std::byte> bytes) {
  if (bytes.empty()) return fail(ErrorCode::model, "it is empty");
  if (bytes.size() > kMaxFile_bytes) return fail(ErrorCode::model, "it is larger than 2 GiB");
  if (auto status = check_wire(bytes); !status) return propagate(status);
  proto::ModelProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fail(ErrorCode::model, "it is no ONNX model, or it is damaged");
  }
  auto model = import_graph(proto);
  if (!model) return model;
  if (auto status = graph::verify(model->graph); !status) return propagate(status);
  return model;
}

tl::unexpected<Error> cannot_read(const std::string& label, std::string_view why) {
  return fail(ErrorCode::model, fmt::format("{}: {}", label, why));
}

// The bytes of a regular file; anything else (a folder, a pipe that never ends) is refused before it is
// opened.
Result<std::vector<std::byte>> read_file(const std::string& path, const std::string& label) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return cannot_read(label, "there is no such file");
  if (error) return cannot_read(label, error.message());
  if (!std::filesystem::is_regular_file(status)) return cannot_read(label, "it is no file");
  const uint64_t size_bytes = std::filesystem::file_size(path, error);
  if (error) return cannot_read(label, error.message());
  if (size_bytes > kMaxFile_bytes) return cannot_read(label, "it is larger than 2 GiB");
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot_read(label, std::generic_category().message(errno));
  std::vector<std::byte> bytes(static_cast<size_t>(size_bytes));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<uint64_t>(file.gcount()) != size_bytes)
    return cannot_read(label, "it cannot be read to its end");
  return bytes;
}

// Runs what may throw: protobuf and the standard library when memory runs out.
template <typename F>
Result<Model> caught(const std::string& label, const F& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return cannot_read(label, "not enough memory to read it");
  } catch (const std::exception& exception) {
    return cannot_read(label, exception.what());
  }
}

}  // namespace

Result<Model> import_model(std::span<const std::byte> bytes, std::string_view label) {
  const std::string shown = display_name(label, kMaxLabel_bytes);
  return caught(shown, [&]() -> Result<Model> {
    auto model = parse_and_import(bytes);
    if (!model) return propagate(model, shown);
    return model;
  });
}

Result<Model> import_file(const std::string& path) {
  const std::string shown = display_name(path, kMaxLabel_bytes);
  return caught(shown, [&]() -> Result<Model> {
    auto bytes = read_file(path, shown);
    if (!bytes) return propagate(bytes);
    return import_model(*bytes, path);
  });
}

}  // namespace upres::onnx
