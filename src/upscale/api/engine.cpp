#include "upscale/api/engine.h"

#include "upscale/api/request.h"
#include "upscale/api/samples.h"
#include "upscale/memory.h"

namespace upres {
namespace {

// Gives the turn back whatever happens.
class TurnHeld {
 public:
  explicit TurnHeld(Turn& turn) : turn_(turn) {}
  ~TurnHeld() { turn_.leave(); }
  TurnHeld(const TurnHeld&) = delete;
  TurnHeld& operator=(const TurnHeld&) = delete;

 private:
  Turn& turn_;
};

// The view, or a copy of it in `copy` where it cannot be computed on.
Result<ImageView> computable(const ImageView& view, Image& copy) {
  if (is_computable(view)) return view;
  auto made = computable_copy(view);
  if (!made) return propagate(made);
  copy = std::move(*made);
  return copy.view();
}

// Refuses what the system would have to kill the process for.
Result<Image> create_result(const ImageShape& shape) {
  const double needed = static_cast<double>(shape.row_bytes()) * shape.height_px;
  const auto available = upscale::available_memory_bytes();
  if (available && needed > static_cast<double>(*available)) {
    return fail(ErrorCode::input,
                "the result of " + std::to_string(shape.width_px) + "x" + std::to_string(shape.height_px) +
                    " pixels needs more memory than the " + upscale::memory_text(*available) +
                    " that are free; ask for a smaller scale or cut the picture");
  }
  return Image::create(shape);
}

}  // namespace

bool Watch::cancelled() {
  if (threw_ || stopped_()) return true;
  try {
    return options_.cancelled && options_.cancelled();
  } catch (...) {
    threw_ = true;
    return true;
  }
}

void Watch::progress(int64_t done_px, int64_t total_px) {
  try {
    if (options_.progress && !threw_) options_.progress(done_px, total_px);
  } catch (...) {
    threw_ = true;
  }
}

Error Watch::reason() const {
  if (threw_) return {ErrorCode::usage, "a callback threw an exception, which it must not"};
  return {ErrorCode::cancelled, "stopped"};
}

Result<Image> Engine::upscale(const ImageView& input, const UpscaleOptions& options, Watch& watch) {
  if (auto checked = check_view(input, "the input"); !checked) return propagate(checked);
  const auto extent = requested_extent(model_, {input.shape.width_px, input.shape.height_px}, options);
  if (!extent) return tl::unexpected(extent.error());
  auto output = create_result({extent->width_px, extent->height_px, input.shape.channels,
                               options.output_dtype.value_or(input.shape.dtype)});
  if (!output) return output;
  if (auto done = upscale_into(input, output->view(), watch); !done) return propagate(done);
  return output;
}

Status Engine::upscale_into(const ImageView& input, const MutableImageView& output, Watch& watch) {
  if (auto checked = check_view(input, "the input"); !checked) return checked;
  if (auto checked = check_view(output, "the output"); !checked) return checked;
  auto fits = check_output_extent(model_, {input.shape.width_px, input.shape.height_px},
                                  {output.shape.width_px, output.shape.height_px});
  if (!fits) return fits;
  if (overlap(input, output))
    return fail(ErrorCode::usage, "the output lies in the memory of the input; give it memory of its own");
  Image input_copy;
  const auto source = computable(input, input_copy);
  if (!source) return tl::unexpected(source.error());
  if (is_computable(output)) return compute(*source, output, watch);
  ImageShape shape = output.shape;
  shape.dtype = computed_dtype(shape.dtype);
  auto result = create_result(shape);
  if (!result) return propagate(result);
  if (auto done = compute(*source, result->view(), watch); !done) return done;
  copy_samples(result->view(), output);
  return {};
}

Status Engine::compute(const ImageView& input, const MutableImageView& output, Watch& watch) {
  if (watch.cancelled() || !turn_.enter([&] { return watch.cancelled(); }))
    return tl::unexpected(watch.reason());
  const TurnHeld held(turn_);
  upscale::RunCallbacks callbacks;
  callbacks.progress = [&](int64_t done_px, int64_t total_px) { watch.progress(done_px, total_px); };
  callbacks.cancelled = [&] { return watch.cancelled(); };
  auto done = upscaler_.process_into(input, output, callbacks);
  const session::MemoryUse use = upscaler_.memory_use();
  device_bytes_ = use.device_bytes;
  host_bytes_ = use.host_bytes;
  if (watch.threw() || (!done && done.error().code == ErrorCode::cancelled))
    return tl::unexpected(watch.reason());
  return done;
}

}  // namespace upres
