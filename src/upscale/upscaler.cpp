#include "upscale/upscaler.h"

#include <algorithm>
#include <utility>

#include "graph/extents.h"
#include "graph/picture.h"
#include "plan/plan.h"
#include "plan/tiles.h"
#include "upscale/cpu_device.h"
#include "upscale/guards.h"
#include "upscale/hidden_colors.h"
#include "upscale/memory.h"

namespace upres::upscale {
namespace {

// Sessions kept per device: kinds of pictures that alternate in a batch.
constexpr size_t kKeptSessions = 4;

// The CPU session needs memory for a few rows only, whatever the size; windows are for progress and
// cancelling.
constexpr int kCpuTilePx = 2048;

TensorType pixel_type(const ImageShape& shape) { return {shape.dtype, Layout::interleaved, shape.channels}; }

TensorView as_tensor(const ImageView& view) {
  return {
      pixel_type(view.shape), {view.shape.width_px, view.shape.height_px}, view.row_stride_bytes, view.bytes};
}

MutableTensorView as_tensor(const MutableImageView& view) {
  return {
      pixel_type(view.shape), {view.shape.width_px, view.shape.height_px}, view.row_stride_bytes, view.bytes};
}

Extent extent_of(const ImageShape& shape) { return {shape.width_px, shape.height_px}; }

Extent times(const Extent& extent, int factor) {
  return {extent.width_px * factor, extent.height_px * factor};
}

std::string size_text(const Extent& extent) {
  return std::to_string(extent.width_px) + "x" + std::to_string(extent.height_px);
}

// "tiles: 6 windows of 128x128 pixels, overlap 16x16".
std::string grid_text(const plan::TileGrid& grid, const graph::Halo& halo) {
  return "tiles: " + std::to_string(grid.tiles.size()) +
         (grid.tiles.size() == 1 ? " window of " : " windows of ") + size_text(grid.input_window) +
         " pixels, overlap " + size_text({halo.left_px + halo.right_px, halo.top_px + halo.bottom_px});
}

Result<Image> create_output(const ImageShape& shape) {
  const uint64_t needed_bytes = uint64_t{shape.row_bytes()} * static_cast<uint64_t>(shape.height_px);
  const auto available_bytes = available_memory_bytes();
  if (available_bytes && needed_bytes > *available_bytes) {
    return fail(ErrorCode::input, "the result of " + size_text(extent_of(shape)) + " needs " +
                                      memory_text(needed_bytes) + " of memory, " +
                                      memory_text(*available_bytes) +
                                      " are free; ask for a smaller scale or cut the picture");
  }
  return Image::create(shape);
}

// The input with nothing hidden under transparency; pictures without alpha are not copied.
Result<ImageView> visible_input(const ImageView& input, Image& copy) {
  if (!input.shape.has_alpha()) return input;
  auto created = Image::create(input.shape);
  if (!created) return propagate(created);
  copy = std::move(*created);
  for (int y = 0; y < input.shape.height_px; ++y) {
    const auto row = input.row(y);
    std::copy(row.begin(), row.end(), copy.view().row(y).begin());
  }
  if (auto filled = fill_hidden_colors(copy.view()); !filled) return propagate(filled);
  return copy.view();
}

std::string kind_key(const ImageShape& input, const Extent& output, DType out_dtype, bool resized) {
  std::string key =
      std::to_string(input.channels) + std::string(name(input.dtype)) + std::string(name(out_dtype));
  if (resized) key += size_text(extent_of(input)) + "-" + size_text(output);
  return key;
}

}  // namespace

Result<int> tile_edge_px(const Device& device, const graph::Graph& graph, const Extent& input,
                         std::optional<int> wanted) {
  if (wanted) return *wanted;
  if (device.is_cpu()) return kCpuTilePx;
  const bool with_images = plan::may_use_images(graph, device.info(), *device.tunings()->database());
  return plan::choose_tile_edge(graph, input, device.info().limits, device.options().slots, with_images);
}

Upscaler::Upscaler(const Device& device, PictureModel model, UpscalerOptions options, Precision precision,
                   Log log)
    : device_(device),
      model_(std::move(model)),
      options_(std::move(options)),
      precision_(precision),
      log_(std::move(log)) {
  attempts_.push_back({device_, precision_});
}

Result<Upscaler> Upscaler::create(const Device& device, PictureModel model, const UpscalerOptions& options,
                                  Log log) {
  const auto precision = device.resolve(options.precision, model.model.network);
  if (!precision) return tl::unexpected(precision.error());
  const auto first_use =
      tune_for_first_use(device, model.model.network, *precision, {options.tune_s, options.cancelled});
  Upscaler upscaler(device, std::move(model), options, *precision, std::move(log));
  upscaler.first_use_ = first_use;
  return upscaler;
}

// The index-th way to compute, null when there are no more: as asked for, in fp32, on the CPU.
Upscaler::Attempt* Upscaler::attempt(size_t index) {
  if (index < attempts_.size()) return &attempts_[index];
  if (attempts_.back().precision != Precision::fp32) {
    attempts_.push_back({device_, Precision::fp32});
    return &attempts_.back();
  }
  if (attempts_.back().device.is_cpu() || !options_.fall_back_to_cpu || !device_.options().kernel.empty())
    return nullptr;
  const DeviceEntry entry = cpu_entry(0);
  if (!entry.refusals.empty()) return nullptr;
  auto cpu = Device::open(entry, device_.options(), log_);
  if (!cpu) return nullptr;
  attempts_.push_back({std::move(*cpu), Precision::fp32});
  return &attempts_.back();
}

Result<std::shared_ptr<session::Session>> Upscaler::session_for(Attempt& attempt, const ImageShape& input,
                                                                const Extent& output, DType out_dtype) {
  const bool resized = output != times(extent_of(input), model_.kind.factor);
  const std::string key = kind_key(input, output, out_dtype, resized);
  for (const auto& [kept_key, session] : attempt.sessions) {
    if (kept_key == key) return session;
  }
  graph::PictureOptions options;
  options.channels = input.channels;
  options.in_dtype = input.dtype;
  options.out_dtype = out_dtype;
  if (resized) options.resize = {extent_of(input), output};
  const auto graph = graph::attach_picture_ends(model_.model.network, options);
  if (!graph) return tl::unexpected(graph.error());
  auto session = attempt.device.make_session(*graph, attempt.precision);
  if (!session) return propagate(session);
  if (attempt.sessions.size() == kKeptSessions) attempt.sessions.erase(attempt.sessions.begin());
  attempt.sessions.emplace_back(key, std::move(*session));
  return attempt.sessions.back().second;
}

// Each kernel with its constants once, however many pictures and layers it serves.
void Upscaler::tell_kernels(const std::vector<session::StepTime>& steps) {
  for (const session::StepTime& step : steps) {
    const std::string text = "kernel " + step.kernel + (step.constants.empty() ? "" : " " + step.constants);
    if (told_kernels_.insert(text).second) log_.info(text);
  }
}

Status Upscaler::run_attempt(Attempt& attempt, const ImageView& input, const MutableImageView& output,
                             const RunCallbacks& callbacks) {
  const Extent in = extent_of(input.shape);
  const Extent out = extent_of(output.shape);
  const auto session = session_for(attempt, input.shape, out, output.shape.dtype);
  if (!session) return tl::unexpected(session.error());
  const graph::Graph& graph = (*session)->graph();
  const auto edge_px = tile_edge_px(attempt.device, graph, in, options_.tile_px);
  if (!edge_px) return tl::unexpected(edge_px.error());
  const auto grid = plan::make_tiles(in, out, graph::receptive_field(graph), model_.kind.factor, *edge_px);
  if (!grid) return tl::unexpected(grid.error());
  log_.info(grid_text(*grid, graph::receptive_field(graph)));
  const auto report = run_tiles(**session, *grid, as_tensor(input), as_tensor(output), callbacks);
  if (!report) return tl::unexpected(report.error());
  tell_kernels(report->times.steps);
  return check_result(report->statistics, is_flat(input));
}

Status Upscaler::process_into(const ImageView& input, const MutableImageView& output,
                              const RunCallbacks& callbacks) {
  if (input.shape.channels != output.shape.channels) {
    return fail(ErrorCode::usage, "the result has " + std::to_string(output.shape.channels) +
                                      " channels, the picture " + std::to_string(input.shape.channels));
  }
  Image copy;
  const auto visible = visible_input(input, copy);
  if (!visible) return tl::unexpected(visible.error());
  Status last;
  for (size_t i = 0; Attempt* next = attempt(i); ++i) {
    if (!last) {
      log_.warning(last.error().message + "; computing again on " + next->device.info().name + " in " +
                   std::string(name(next->precision)));
    }
    last = run_attempt(*next, *visible, output, callbacks);
    if (last || last.error().code != ErrorCode::device) break;
  }
  return last;
}

Result<Image> Upscaler::process(const ImageView& input, const ProcessOptions& options) {
  const Extent in = extent_of(input.shape);
  const Extent out = options.output ? *options.output : times(in, model_.kind.factor);
  auto output = create_output({out.width_px, out.height_px, input.shape.channels, options.out_dtype});
  if (!output) return output;
  if (auto done = process_into(input, output->view(), options.callbacks); !done) return propagate(done);
  return output;
}

session::MemoryUse Upscaler::memory_use() const {
  session::MemoryUse total;
  for (const Attempt& attempt : attempts_) {
    for (const auto& [key, session] : attempt.sessions) {
      const session::MemoryUse use = session->memory_use();
      total.device_bytes += use.device_bytes;
      total.host_bytes += use.host_bytes;
    }
  }
  return total;
}

}  // namespace upres::upscale
