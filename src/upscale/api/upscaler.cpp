#include <upres/upscaler.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/display_name.h"
#include "upscale/api/engine.h"
#include "upscale/api/files.h"
#include "upscale/api/handles.h"
#include "upscale/api/no_exceptions.h"
#include "upscale/api/pending.h"
#include "upscale/api/request.h"
#include "upscale/api/workers.h"

namespace upres {
namespace {

tl::unexpected<Error> moved_from() {
  return fail(ErrorCode::usage, "this Upscaler was moved from; use the one that has it");
}

bool never() { return false; }

Result<Model> open_model(std::string_view name_or_path) {
  if (auto checked = check_name(name_or_path, "the model's name"); !checked) return propagate(checked);
  const auto names = embedded_models();
  if (!names) return tl::unexpected(names.error());
  std::string embedded;
  for (const std::string& name : *names) {
    if (name == name_or_path) return Model::embedded(name);
    embedded += " " + name;
  }
  const std::filesystem::path path(name_or_path);
  if (auto checked = check_path(path, "the model's file name"); !checked) return propagate(checked);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return Model::from_file(path);
  return fail(ErrorCode::model,
              display_name(path) + ": no such file, nor an embedded model; embedded are:" + embedded);
}

}  // namespace

struct Upscaler::Impl {
  Impl(Engine::Parts parts, int threads, Log sink)
      : engine(std::move(parts)), log(std::move(sink)), workers(threads) {}
  ~Impl() { is_closing = true; }  // then the workers go, and with them what was submitted

  // Runs `work(watch)` on a worker; its result goes to the Pending.
  template <typename T, typename Work>
  Result<Pending<T>> submit(const UpscaleOptions& options, Work work);

  Engine engine;
  Log log;
  std::atomic<bool> is_closing = false;
  Workers workers;
};

template <typename T, typename Work>
Result<Pending<T>> Upscaler::Impl::submit(const UpscaleOptions& options, Work work) {
  const auto state = std::make_shared<typename Pending<T>::State>();
  auto added = workers.add([this, state, options, work = std::move(work)] {
    Watch watch(options, [this, &state] { return state->cancelled || is_closing; });
    state->finish(without_exceptions([&]() -> Result<T> {
      if (watch.cancelled()) return tl::unexpected(watch.reason());
      return work(watch);
    }));
  });
  if (!added) return propagate(added);
  return Pending<T>(state);
}

Upscaler::Upscaler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Upscaler::Upscaler(Upscaler&&) noexcept = default;
Upscaler& Upscaler::operator=(Upscaler&&) noexcept = default;
Upscaler::~Upscaler() = default;

Result<Upscaler> Upscaler::create(const Device& device, const Model& model, const UpscalerOptions& options,
                                  const Log& log) {
  return without_exceptions([&]() -> Result<Upscaler> {
    if (auto checked = check_options(options); !checked) return propagate(checked);
    upscale::UpscalerOptions inner;
    inner.precision = options.precision;
    if (options.tile_px > 0) inner.tile_px = options.tile_px;
    inner.fall_back_to_cpu = options.fall_back_to_cpu;
    if (options.tune) inner.tune_s = upscale::kFirstUseS;
    auto upscaler = upscale::Upscaler::create(device.impl().device, model.impl().model, inner, log);
    if (!upscaler) return propagate(upscaler);
    return Upscaler(std::make_unique<Impl>(Engine::Parts{device, model, std::move(*upscaler)},
                                           options.pictures_in_flight, log));
  });
}

Result<Upscaler> Upscaler::open(std::string_view model, std::string_view device, const Log& log) {
  return without_exceptions([&]() -> Result<Upscaler> {
    const auto opened_model = open_model(model);
    if (!opened_model) return tl::unexpected(opened_model.error());
    const auto opened_device = Device::open(device, {}, log);
    if (!opened_device) return tl::unexpected(opened_device.error());
    return create(*opened_device, *opened_model, {}, log);
  });
}

const Device& Upscaler::device() const { return impl_->engine.device(); }
const Model& Upscaler::model() const { return impl_->engine.model(); }
Precision Upscaler::precision() const { return impl_->engine.precision(); }
MemoryUse Upscaler::memory_use() const { return impl_->engine.memory_use(); }

Result<Extent> Upscaler::output_extent(const Extent& input, const UpscaleOptions& options) const {
  if (impl_ == nullptr) return moved_from();
  return without_exceptions([&] { return requested_extent(model(), input, options); });
}

Result<Image> Upscaler::upscale(const ImageView& input, const UpscaleOptions& options) {
  if (impl_ == nullptr) return moved_from();
  Watch watch(options, never);
  return without_exceptions([&] { return impl_->engine.upscale(input, options, watch); });
}

Status Upscaler::upscale_into(const ImageView& input, const MutableImageView& output,
                              const UpscaleOptions& options) {
  if (impl_ == nullptr) return moved_from();
  Watch watch(options, never);
  return without_exceptions([&] { return impl_->engine.upscale_into(input, output, watch); });
}

Result<FileReport> Upscaler::upscale_file(const std::filesystem::path& input,
                                          const std::filesystem::path& output, const FileOptions& options) {
  if (impl_ == nullptr) return moved_from();
  Watch watch(options.upscale, never);
  return without_exceptions(
      [&] { return upres::upscale_file(impl_->engine, input, output, options, watch, impl_->log); });
}

Result<Pending<Image>> Upscaler::submit(const ImageView& input, const UpscaleOptions& options) {
  if (impl_ == nullptr) return moved_from();
  return without_exceptions([&] {
    Engine& engine = impl_->engine;
    return impl_->submit<Image>(
        options, [&engine, input, options](Watch& watch) { return engine.upscale(input, options, watch); });
  });
}

Result<Pending<Extent>> Upscaler::submit_into(const ImageView& input, const MutableImageView& output,
                                              const UpscaleOptions& options) {
  if (impl_ == nullptr) return moved_from();
  return without_exceptions([&] {
    Engine& engine = impl_->engine;
    return impl_->submit<Extent>(options, [&engine, input, output](Watch& watch) -> Result<Extent> {
      auto done = engine.upscale_into(input, output, watch);
      if (!done) return propagate(done);
      return Extent{output.shape.width_px, output.shape.height_px};
    });
  });
}

Result<Pending<FileReport>> Upscaler::submit_file(const std::filesystem::path& input,
                                                  const std::filesystem::path& output,
                                                  const FileOptions& options) {
  if (impl_ == nullptr) return moved_from();
  return without_exceptions([&] {
    Impl& impl = *impl_;
    return impl.submit<FileReport>(options.upscale, [&impl, input, output, options](Watch& watch) {
      return upres::upscale_file(impl.engine, input, output, options, watch, impl.log);
    });
  });
}

}  // namespace upres
