#include "upscale/tiled_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "upscale/windows.h"

namespace upres::upscale {
namespace {

// A job in flight with the memory that it uses.
struct Slot {
  std::optional<session::Ticket> ticket;
  const plan::Tile* tile = nullptr;
  const Picture* picture = nullptr;
  Tensor input;   // only where the window is no view of the whole
  Tensor output;  // only where not all of the window is kept
  bool output_is_copied = false;
  kernels::StatisticsWords statistics = {};
};

double add_known(double total, double part) { return total < 0 || part < 0 ? -1 : total + part; }

void add_steps(std::vector<session::StepTime>& total, const std::vector<session::StepTime>& part) {
  if (total.size() != part.size()) {
    total = part;
    return;
  }
  for (size_t i = 0; i < part.size(); ++i) {
    total[i].device_ms = add_known(total[i].device_ms, part[i].device_ms);
    total[i].flops += part[i].flops;
    total[i].bytes += part[i].bytes;
  }
}

void add_transfers(session::TransferTimes& total, const session::TransferTimes& part) {
  total.host_in_ms = add_known(total.host_in_ms, part.host_in_ms);
  total.upload_ms = add_known(total.upload_ms, part.upload_ms);
  total.download_ms = add_known(total.download_ms, part.download_ms);
  total.host_out_ms = add_known(total.host_out_ms, part.host_out_ms);
}

class TiledRun {
 public:
  TiledRun(session::Session& session, const plan::TileGrid& grid, std::span<const Picture> pictures,
           const RunCallbacks& callbacks)
      : session_(session),
        grid_(grid),
        pictures_(pictures),
        callbacks_(callbacks),
        slots_(static_cast<size_t>(std::max(1, session.slots()))),
        has_statistics_(session.graph().outputs().size() > 1),
        resamples_(resamples(session.graph())) {
    report_.times.compute_ms = 0;
    report_.times.total_ms = 0;
    report_.times.transfers = {0, 0, 0, 0};
  }

  Result<RunReport> run() {
    auto status = run_all();
    // The views of jobs that are still in flight must outlive them, also after an error.
    for (Slot& slot : slots_) {
      if (auto finished = finish(slot); status && !finished) status = std::move(finished);
    }
    if (!status) return propagate(status);
    return report_;
  }

 private:
  Status run_all() {
    for (const Picture& picture : pictures_) {
      if (auto status = run_picture(picture); !status) return status;
    }
    return {};
  }

  Status run_picture(const Picture& picture) {
    for (const plan::Tile& tile : grid_.tiles) {
      if (callbacks_.cancelled && callbacks_.cancelled()) return fail(ErrorCode::cancelled, "stopped");
      Slot& slot = slots_[next_slot_++ % slots_.size()];
      if (auto finished = finish(slot); !finished) return finished;
      slot.picture = &picture;
      if (auto started = start(slot, tile); !started) return started;
    }
    return {};
  }

  Status start(Slot& slot, const plan::Tile& tile) {
    session::Job job;
    job.inputs.push_back(input_window(slot, tile));
    job.outputs.push_back(output_window(slot, tile));
    if (has_statistics_) job.outputs.push_back(statistics_view(slot));
    job.window.input = tile.input;
    if (resamples_) {
      job.window.resampled = tile.output;
      job.window.resampled_extent = grid_.output_window;
    }
    auto ticket = session_.submit(job);
    if (!ticket) return propagate(ticket);
    slot.ticket = *ticket;
    slot.tile = &tile;
    return {};
  }

  TensorView input_window(Slot& slot, const plan::Tile& tile) {
    const TensorView& input = slot.picture->input;
    if (const auto window = window_of(input, tile.input, grid_.input_window)) return *window;
    slot.input = Tensor(input.type, grid_.input_window);
    copy_window(input, tile.input, slot.input.view(), {}, grid_.input_window);
    return std::as_const(slot.input).view();
  }

  MutableTensorView output_window(Slot& slot, const plan::Tile& tile) {
    const MutableTensorView& output = slot.picture->output;
    if (tile.keep_extent == grid_.output_window) {
      if (const auto window = window_of(output, tile.keep, tile.keep_extent)) {
        slot.output_is_copied = false;
        return *window;
      }
    }
    if (slot.output.bytes.empty()) slot.output = Tensor(output.type, grid_.output_window);
    slot.output_is_copied = true;
    return slot.output.view();
  }

  static MutableTensorView statistics_view(Slot& slot) {
    const TensorType type{DType::u32, Layout::flat, 4};
    return {type, {1, 1}, row_bytes(type, {1, 1}), std::as_writable_bytes(std::span(slot.statistics))};
  }

  // Waits for the slot's job, if it has one, and keeps what is to be kept.
  Status finish(Slot& slot) {
    if (!slot.ticket) return {};
    auto done = session_.wait(*std::exchange(slot.ticket, std::nullopt));
    if (!done) return propagate(done);
    const plan::Tile& tile = *slot.tile;
    if (slot.output_is_copied) {
      const Origin inside{tile.keep.x_px - tile.output.x_px, tile.keep.y_px - tile.output.y_px};
      copy_window(std::as_const(slot.output).view(), inside, slot.picture->output, tile.keep,
                  tile.keep_extent);
    }
    add(*done, slot.statistics);
    if (callbacks_.tile_done) callbacks_.tile_done(*done);
    done_px_ += int64_t{tile.keep_extent.width_px} * tile.keep_extent.height_px;
    if (callbacks_.progress) callbacks_.progress(done_px_, total_px());
    return {};
  }

  [[nodiscard]] int64_t total_px() const {
    int64_t total = 0;
    for (const Picture& picture : pictures_)
      total += int64_t{picture.output.extent.width_px} * picture.output.extent.height_px;
    return total;
  }

  void add(const session::JobReport& job, const kernels::StatisticsWords& words) {
    if (has_statistics_) kernels::merge(report_.statistics, kernels::read_statistics(words));
    report_.times.compute_ms = add_known(report_.times.compute_ms, job.compute_ms);
    report_.times.total_ms = add_known(report_.times.total_ms, job.total_ms);
    add_steps(report_.times.steps, job.steps);
    add_transfers(report_.times.transfers, job.transfers);
  }

  session::Session& session_;
  const plan::TileGrid& grid_;
  const std::span<const Picture> pictures_;
  const RunCallbacks& callbacks_;
  std::vector<Slot> slots_;
  bool has_statistics_;
  bool resamples_;
  size_t next_slot_ = 0;
  int64_t done_px_ = 0;
  RunReport report_;
};

}  // namespace

bool resamples(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const graph::Node& node) {
    return std::holds_alternative<graph::Resample>(node.op);
  });
}

Result<RunReport> run_tiles(session::Session& session, const plan::TileGrid& grid, const TensorView& input,
                            const MutableTensorView& output, const RunCallbacks& callbacks) {
  const Picture picture{input, output};
  return run_pictures(session, grid, std::span(&picture, 1), callbacks);
}

Result<RunReport> run_pictures(session::Session& session, const plan::TileGrid& grid,
                               std::span<const Picture> pictures, const RunCallbacks& callbacks) {
  return TiledRun(session, grid, pictures, callbacks).run();
}

}  // namespace upres::upscale
