#include "upscale/api/pending.h"

#include "upscale/api/no_exceptions.h"

namespace upres {

template <typename T>
Pending<T>::Pending(std::shared_ptr<State> state) : state_(std::move(state)) {}

template <typename T>
Pending<T>::Pending(Pending&&) noexcept = default;

template <typename T>
Pending<T>& Pending<T>::operator=(Pending&& other) noexcept {
  if (this == &other) return *this;
  const Pending replaced(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

template <typename T>
Pending<T>::~Pending() {
  if (state_ == nullptr) return;
  cancel();
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->result.has_value(); });
}

template <typename T>
bool Pending<T>::is_done() const {
  if (state_ == nullptr) return true;
  const std::lock_guard lock(state_->mutex);
  return state_->result.has_value();
}

template <typename T>
void Pending<T>::cancel() {
  if (state_ != nullptr) state_->cancelled = true;
}

template <typename T>
Result<T> Pending<T>::wait() {
  if (state_ == nullptr)
    return fail(ErrorCode::usage, "this handle was moved from; wait on the one that has it");
  return without_exceptions([this]() -> Result<T> {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->result.has_value(); });
    if (std::exchange(state_->is_taken, true))
      return fail(ErrorCode::usage, "the result was handed over before; wait once");
    return std::move(*state_->result);
  });
}

template class Pending<Image>;
template class Pending<Extent>;
template class Pending<FileReport>;

}  // namespace upres
