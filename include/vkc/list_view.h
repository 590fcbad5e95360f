// A parameter that takes a braced list as well as a vector, array or span.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>

namespace vkc {

// A view of items that live elsewhere, at least until the call returns: for parameters only, never keep one.
//   kernel.dispatch(commands, groups, {{"input", in}, {"output", out}});      a list
//   kernel.dispatch(commands, groups, bindings);                               a std::vector<Binding>
template <typename T>
class ListView {
 public:
  constexpr ListView() = default;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Winit-list-lifetime"  // a view: the list outlives the call that it is made for
#endif
  constexpr ListView(std::initializer_list<T> items) : items_(items.begin(), items.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range> && std::same_as<std::ranges::range_value_t<Range>, T>
  constexpr ListView(const Range& items) : items_(std::ranges::data(items), std::ranges::size(items)) {}

  [[nodiscard]] constexpr std::span<const T> span() const { return items_; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + items_.size(); }
  [[nodiscard]] constexpr std::size_t size() const { return items_.size(); }
  [[nodiscard]] constexpr const T& operator[](std::size_t index) const { return items_[index]; }

 private:
  std::span<const T> items_;
};

}  // namespace vkc
