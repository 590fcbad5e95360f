// Attributes of a node, by name and type. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "onnx/proto.h"

namespace upres::onnx {

// A view of a node's attributes; the node must outlive it. Each getter returns the default when the attribute
// is absent. Errors: model, when it has another type than asked for.
class Attributes {
 public:
  explicit Attributes(const proto::NodeProto& node) : node_(&node) {}

  // Errors: model, when an attribute is doubled, comes from a function's caller, or is not among `known`.
  [[nodiscard]] Status check(const std::vector<std::string_view>& known) const;

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] Result<int64_t> integer(std::string_view name, int64_t otherwise) const;
  [[nodiscard]] Result<float> real(std::string_view name, float otherwise) const;
  [[nodiscard]] Result<std::string> text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] Result<std::vector<int64_t>> integers(std::string_view name,
                                                      std::vector<int64_t> otherwise) const;
  [[nodiscard]] Result<std::vector<float>> reals(std::string_view name) const;          // empty when absent
  [[nodiscard]] Result<const proto::TensorProto*> tensor(std::string_view name) const;  // null when absent

 private:
  [[nodiscard]] const proto::AttributeProto* find(std::string_view name) const;
  // The attribute when it is there and of this type, null when it is not there.
  [[nodiscard]] Result<const proto::AttributeProto*> typed(std::string_view name,
                                                           proto::AttributeProto::AttributeType type) const;

  const proto::NodeProto* node_;
};

}  // namespace upres::onnx
