#include "onnx/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/display_name.h"

namespace upres::onnx {
namespace {

using proto::AttributeProto;

tl::unexpected<Error> refuse(std::string_view name, std::string_view what) {
  return fail(ErrorCode::model, fmt::format("attribute {}: {}", display_name(name), what));
}

// Files of the first IR version do not say the type; then the field that is set tells.
bool is_of_type(const AttributeProto& attribute, AttributeProto::AttributeType type) {
  if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type() == type;
  switch (type) {
    case AttributeProto::INT:
      return attribute.has_i();
    case AttributeProto::FLOAT:
      return attribute.has_f();
    case AttributeProto::STRING:
      return attribute.has_s();
    case AttributeProto::TENSOR:
      return attribute.has_t();
    case AttributeProto::INTS:
      return !attribute.ints().empty();
    case AttributeProto::FLOATS:
      return !attribute.floats().empty();
    default:
      return false;
  }
}

std::string_view type_word(AttributeProto::AttributeType type) {
  switch (type) {
    case AttributeProto::INT:
      return "an integer";
    case AttributeProto::FLOAT:
      return "a number";
    case AttributeProto::STRING:
      return "text";
    case AttributeProto::TENSOR:
      return "a tensor";
    case AttributeProto::INTS:
      return "integers";
    default:
      return "numbers";
  }
}

}  // namespace

Status Attributes::check(const std::vector<std::string_view>& known) const {
  std::set<std::string_view> seen;
  for (const AttributeProto& attribute : node_->attribute()) {
    const std::string_view name = attribute.name();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return refuse(name, "not known for this operator");
    if (!seen.insert(name).second) return refuse(name, "given twice");
    if (!attribute.ref_attr_name().empty())
      return refuse(name, "refers to a function, which is not supported");
  }
  return {};
}

const AttributeProto* Attributes::find(std::string_view name) const {
  for (const AttributeProto& attribute : node_->attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

Result<const AttributeProto*> Attributes::typed(std::string_view name,
                                                AttributeProto::AttributeType type) const {
  const AttributeProto* attribute = find(name);
  if (attribute != nullptr && !is_of_type(*attribute, type)) {
    return refuse(name, fmt::format("must be {}", type_word(type)));
  }
  return attribute;
}

Result<int64_t> Attributes::integer(std::string_view name, int64_t otherwise) const {
  auto attribute = typed(name, AttributeProto::INT);
  if (!attribute) return propagate(attribute);
  return *attribute == nullptr ? otherwise : (*attribute)->i();
}

Result<float> Attributes::real(std::string_view name, float otherwise) const {
  auto attribute = typed(name, AttributeProto::FLOAT);
  if (!attribute) return propagate(attribute);
  return *attribute == nullptr ? otherwise : (*attribute)->f();
}

Result<std::string> Attributes::text(std::string_view name, std::string_view otherwise) const {
  auto attribute = typed(name, AttributeProto::STRING);
  if (!attribute) return propagate(attribute);
  return *attribute == nullptr ? std::string(otherwise) : (*attribute)->s();
}

Result<std::vector<int64_t>> Attributes::integers(std::string_view name,
                                                  std::vector<int64_t> otherwise) const {
  auto attribute = typed(name, AttributeProto::INTS);
  if (!attribute) return propagate(attribute);
  if (*attribute == nullptr) return otherwise;
  return std::vector<int64_t>((*attribute)->ints().begin(), (*attribute)->ints().end());
}

Result<std::vector<float>> Attributes::reals(std::string_view name) const {
  auto attribute = typed(name, AttributeProto::FLOATS);
  if (!attribute) return propagate(attribute);
  if (*attribute == nullptr) return std::vector<float>();
  return std::vector<float>((*attribute)->floats().begin(), (*attribute)->floats().end());
}

Result<const proto::TensorProto*> Attributes::tensor(std::string_view name) const {
  auto attribute = typed(name, AttributeProto::TENSOR);
  if (!attribute) return propagate(attribute);
  return *attribute == nullptr ? nullptr : &(*attribute)->t();
}

}  // namespace upres::onnx
