// One way to compute a task on a device: compiled, checked, timed.
#pragma once

#include <vkc/vkc.h>

#include <memory>
#include <span>

#include "base/error.h"
#include "kernels/cases.h"
#include "tune/task.h"

namespace upres::tune {

// A small picture and what the plain reference makes of it: the same for all trials of a task.
struct Reference {
  kernels::KernelCase test;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
};
// Not a multiple of any tile, and several of most.
inline constexpr Extent kCheckExtent = {101, 37};
// Errors: model.
Result<Reference> make_reference(const Task& task, const Extent& extent = kCheckExtent);

// One thread at a time. Errors of all members: device.
class Trial {
 public:
  // Compiles the kernel with these values of its tunables, which are legal, and makes memory for the task's
  // size.
  static Result<Trial> create(const vkc::Device& device, const Task& task,
                              std::vector<kernels::Tuning> tuning);
  Trial(Trial&&) noexcept;
  Trial& operator=(Trial&&) noexcept;
  ~Trial();

  [[nodiscard]] double compile_ms() const;
  [[nodiscard]] std::span<const kernels::Tuning> tuning() const;

  [[nodiscard]] const kernels::KernelChoice& choice() const;

  // Computes the small picture and compares it with what is expected. The reference may be of another
  // convolution for which the kernel's choice is the same: other weights, padding and sizes.
  [[nodiscard]] Result<kernels::Comparison> compare(const Reference& reference) const;
  // The same; an error says where they differ.
  [[nodiscard]] Status check(const Reference& reference) const;

  // Device time of one launch at the task's size: the mean of `launches` in one submit.
  [[nodiscard]] Result<double> time_ms(int launches) const;

 private:
  struct Impl;
  explicit Trial(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace upres::tune
