#include "vkc/kernel_constants.h"

#include <algorithm>
#include <array>
#include <set>

#include "vkc/status.h"

namespace vkc::detail {
namespace {

using spirv::ScalarType;

constexpr std::array<std::string_view, 3> kGroupSizeNames = {"group_size_x", "group_size_y", "group_size_z"};

std::string type_name(const ScalarType& type) {
  const std::string width = std::to_string(type.width_bits);
  switch (type.kind) {
    case ScalarType::Kind::boolean:
      return "bool";
    case ScalarType::Kind::signed_integer:
      return "int" + width;
    case ScalarType::Kind::unsigned_integer:
      return "uint" + width;
    case ScalarType::Kind::floating_point:
      return "float" + width;
  }
  return "unknown";
}

// Bits of the value in the constant's type; nothing if it does not fit.
struct ToBits {
  ScalarType type;

  std::optional<std::uint64_t> operator()(bool value) const {
    if (type.kind != ScalarType::Kind::boolean) return std::nullopt;
    return value ? 1 : 0;
  }
  std::optional<std::uint64_t> operator()(std::int64_t value) const {
    if (value >= 0) return (*this)(static_cast<std::uint64_t>(value));
    if (type.kind != ScalarType::Kind::signed_integer) return std::nullopt;
    if (type.width_bits < 64 && value < -(std::int64_t{1} << (type.width_bits - 1))) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  std::optional<std::uint64_t> operator()(std::uint64_t value) const {
    const bool is_signed = type.kind == ScalarType::Kind::signed_integer;
    if (!is_signed && type.kind != ScalarType::Kind::unsigned_integer) return std::nullopt;
    const std::uint32_t bits = type.width_bits - (is_signed ? 1 : 0);
    if (bits < 64 && (value >> bits) != 0) return std::nullopt;
    return value;
  }
  std::optional<std::uint64_t> operator()(double value) const {
    if (type.kind != ScalarType::Kind::floating_point) return std::nullopt;
    return spirv::float_bits(type.width_bits, value);
  }
};

std::string value_text(const ConstantValue& value) {
  return std::visit(
      [](auto v) -> std::string {
        if constexpr (std::is_same_v<decltype(v), bool>) return v ? "true" : "false";
        return std::to_string(v);
      },
      value.variant());
}

class Resolver {
 public:
  Resolver(std::string_view kernel, std::span<const spirv::SpecConstant> in_module,
           std::span<const DeclaredConstant> declared)
      : kernel_(kernel), in_module_(in_module), declared_(declared) {}

  // The module's own constants have names, each its own.
  [[nodiscard]] Status check_module() const {
    std::set<std::string_view> names;
    for (const spirv::SpecConstant& constant : in_module_) {
      if (constant.name.empty()) {
        return error(ErrorCode::invalid_module, "specialization constant " +
                                                    std::to_string(constant.spec_id) +
                                                    " has no name in the module; compile it with names");
      }
      if (!names.insert(constant.name).second) {
        return error(ErrorCode::invalid_module,
                     "two specialization constants are called " + in_quotes(constant.name));
      }
    }
    return {};
  }

  // optional: a name that neither module nor source knows is no error.
  Status add(const Constant& constant, bool optional) {
    if (!given_.insert(constant.name).second) {
      return error(ErrorCode::invalid_argument, "constant " + in_quotes(constant.name) + " is given twice");
    }
    const auto found = std::find_if(in_module_.begin(), in_module_.end(),
                                    [&](const auto& other) { return other.name == constant.name; });
    if (found == in_module_.end()) {
      if (optional || is_declared(constant.name)) return {};
      return error(ErrorCode::invalid_argument, "there is no constant " + in_quotes(constant.name) +
                                                    "; there are: " + quoted_list(known_names()));
    }
    const auto bits = std::visit(ToBits{found->type}, constant.value.variant());
    if (!bits) {
      return error(ErrorCode::invalid_argument, "the value " + value_text(constant.value) +
                                                    " does not fit constant " + in_quotes(constant.name) +
                                                    " of type " + type_name(found->type));
    }
    if (*bits == 0 && is_group_size(constant.name)) {
      return error(ErrorCode::invalid_argument,
                   in_quotes(constant.name) + " is 0; a group has at least 1 invocation in each direction");
    }
    values_.push_back({found->spec_id, *bits});
    return {};
  }

  [[nodiscard]] Result<std::vector<spirv::SpecValue>> finish() const {
    std::vector<std::string> missing;
    for (const spirv::SpecConstant& constant : in_module_) {
      if (!given_.contains(constant.name)) missing.push_back(constant.name);
    }
    if (!missing.empty())
      return error(ErrorCode::invalid_argument, "no value is given for " + quoted_list(missing));
    return values_;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(ErrorCode code, const std::string& what) const {
    return fail(code, "kernel " + in_quotes(kernel_) + ": " + what);
  }
  [[nodiscard]] static bool is_group_size(std::string_view name) {
    return std::find(kGroupSizeNames.begin(), kGroupSizeNames.end(), name) != kGroupSizeNames.end();
  }
  [[nodiscard]] bool is_declared(std::string_view name) const {
    return std::any_of(declared_.begin(), declared_.end(),
                       [&](const auto& other) { return other.name == name; });
  }
  [[nodiscard]] std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const spirv::SpecConstant& constant : in_module_) names.push_back(constant.name);
    for (const DeclaredConstant& constant : declared_) {
      if (std::find(names.begin(), names.end(), constant.name) == names.end())
        names.emplace_back(constant.name);
    }
    return names;
  }

  std::string_view kernel_;
  std::span<const spirv::SpecConstant> in_module_;
  std::span<const DeclaredConstant> declared_;
  std::set<std::string_view> given_;
  std::vector<spirv::SpecValue> values_;
};

template <typename Declared>
Status check_unique(const KernelSource& source, std::span<const Declared> declared, const char* what) {
  std::set<std::string_view> names;
  for (const Declared& item : declared) {
    if (!names.insert(item.name).second) {
      return fail(ErrorCode::invalid_argument, "kernel " + in_quotes(source.name) + " declares two " + what +
                                                   " called " + in_quotes(item.name));
    }
  }
  return {};
}

}  // namespace

std::string quoted_list(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + in_quotes(name);
  return text.empty() ? "none" : text;
}

Result<std::vector<spirv::SpecValue>> resolve_constants(std::string_view kernel,
                                                        std::span<const spirv::SpecConstant> in_module,
                                                        std::span<const DeclaredConstant> declared,
                                                        std::span<const Constant> given,
                                                        const std::optional<KernelGroupSize>& group_size) {
  Resolver resolver(kernel, in_module, declared);
  if (auto ok = resolver.check_module(); !ok) return propagate(ok);
  for (const Constant& constant : given) {
    if (auto ok = resolver.add(constant, false); !ok) return propagate(ok);
  }
  if (group_size) {
    const std::array<Constant, 3> sizes = {{{kGroupSizeNames[0], group_size->x},
                                            {kGroupSizeNames[1], group_size->y},
                                            {kGroupSizeNames[2], group_size->z}}};
    for (const Constant& constant : sizes) {
      if (auto ok = resolver.add(constant, true); !ok) return propagate(ok);
    }
  }
  return resolver.finish();
}

Status check_declared_names(const KernelSource& source) {
  if (auto ok = check_unique(source, source.constants, "constants"); !ok) return ok;
  return check_unique(source, source.bindings, "bindings");
}

}  // namespace vkc::detail

namespace vkc {

Status check_push_constants(const KernelSource& source, ListView<PushMember> members) {
  std::vector<std::string> differences;
  const auto find = [](const auto& list, std::string_view name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  };
  for (const PushMember& member : members) {
    const auto declared = find(source.push_constants, member.name);
    const std::string name = "member " + detail::in_quotes(member.name);
    if (declared == source.push_constants.end()) {
      differences.push_back(name + " is not in the kernel's block");
      continue;
    }
    if (declared->offset_bytes != member.offset_bytes || declared->size_bytes != member.size_bytes) {
      differences.push_back(name + " has " + std::to_string(member.size_bytes) + " bytes at offset " +
                            std::to_string(member.offset_bytes) + ", in the kernel " +
                            std::to_string(declared->size_bytes) + " at " +
                            std::to_string(declared->offset_bytes));
    }
  }
  for (const DeclaredPushConstant& declared : source.push_constants) {
    if (find(members, declared.name) == members.end()) {
      differences.push_back("member " + detail::in_quotes(declared.name) +
                            " is missing in the host's struct");
    }
  }
  if (differences.empty()) return {};
  return detail::fail(
      ErrorCode::invalid_argument,
      "the push constants of kernel " + detail::in_quotes(source.name) + " do not match the host's struct",
      std::move(differences));
}

}  // namespace vkc
