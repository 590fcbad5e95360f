// The part of an Upscaler that its jobs share: one model on one device, used by one picture at a time.
#pragma once

#include <upres/upscaler.h>

#include <atomic>
#include <functional>
#include <string>

#include "upscale/api/workers.h"
#include "upscale/upscaler.h"

namespace upres {

// The callbacks of one picture, together with the other ways in which it may be stopped. An exception of the
// caller's counts as a wish to stop.
class Watch {
 public:
  Watch(const UpscaleOptions& options, std::function<bool()> stopped)
      : options_(options), stopped_(std::move(stopped)) {}

  [[nodiscard]] bool cancelled();
  void progress(int64_t done_px, int64_t total_px);
  [[nodiscard]] bool threw() const { return threw_; }
  // The error of a picture that was stopped.
  [[nodiscard]] Error reason() const;

 private:
  const UpscaleOptions& options_;
  std::function<bool()> stopped_;
  std::atomic<bool> threw_ = false;
};

// Thread rule: any thread.
class Engine {
 public:
  struct Parts {
    Device device;
    Model model;
    upscale::Upscaler upscaler;
  };
  explicit Engine(Parts parts)
      : device_(std::move(parts.device)),
        model_(std::move(parts.model)),
        upscaler_(std::move(parts.upscaler)) {}

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Precision precision() const { return upscaler_.precision(); }
  [[nodiscard]] MemoryUse memory_use() const { return {device_bytes_, host_bytes_}; }

  // Pixels to an owned picture of the size and type asked for. Errors: see Upscaler.
  Result<Image> upscale(const ImageView& input, const UpscaleOptions& options, Watch& watch);
  // Pixels to pixels. Errors: see Upscaler.
  Status upscale_into(const ImageView& input, const MutableImageView& output, Watch& watch);

 private:
  Status compute(const ImageView& input, const MutableImageView& output, Watch& watch);

  Device device_;
  Model model_;
  Turn turn_;
  upscale::Upscaler upscaler_;  // of who has the turn
  std::atomic<uint64_t> device_bytes_ = 0;
  std::atomic<uint64_t> host_bytes_ = 0;
};

}  // namespace upres
