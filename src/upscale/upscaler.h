// A model on a device, made ready to enlarge pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/image.h"
#include "base/log.h"
#include "upscale/device.h"
#include "upscale/first_use.h"
#include "upscale/model.h"
#include "upscale/precision.h"
#include "upscale/tiled_run.h"

namespace upres::upscale {

struct UpscalerOptions {
  Precision precision = Precision::automatic;
  std::optional<int> tile_px =
      {};  // largest edge of a window in input pixels, overlap included; absent: from memory and limits
  // Looks for the CPU when a GPU fails. Off with a forced kernel, whose result nothing else may stand in for.
  bool fall_back_to_cpu = true;
  // Time to tune for a network that this device did not run before (first_use.h); 0: none.
  double tune_s = 0;
  std::function<bool()> cancelled = {};  // ends tuning
};

struct ProcessOptions {
  std::optional<Extent> output = {};  // absent: the model's factor times the input
  DType out_dtype = DType::u8;        // u8 or u16
  RunCallbacks callbacks = {};
};

// Enlarges pictures of any size, one at a time (one thread at a time). Sessions for the kinds of pictures
// seen last are kept, so a row of like pictures pays once.
//
// What comes out is checked: a picture with NaN or infinite samples, or one that is flat although the input
// is not, is computed again in fp32, then on the CPU, and otherwise refused. A device that fails is replaced
// by the CPU in the same way; the log tells (warning). The log also tells kernels and tiles (info).
class Upscaler {
 public:
  // Errors: device (a precision that the device cannot do, no session), model.
  static Result<Upscaler> create(const Device& device, PictureModel model, const UpscalerOptions& options,
                                 Log log = {});

  // `input`: u8 or u16, 1 to 4 channels. Colours of fully transparent pixels are replaced by those around
  // them. The result has the same channels; metadata is left to the caller. Errors: input (too large for
  // memory), usage (tile_px below what the network sees), device (nothing gave a usable result), cancelled.
  Result<Image> process(const ImageView& input, const ProcessOptions& options = {});

  // The same into the caller's memory: the view's shape says size and type of the result. It must not overlap
  // the input. Errors: as process; usage, when the channels differ.
  Status process_into(const ImageView& input, const MutableImageView& output,
                      const RunCallbacks& callbacks = {});

  // What the sessions kept hold now.
  [[nodiscard]] session::MemoryUse memory_use() const;

  [[nodiscard]] const PictureModel& model() const { return model_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  // What create() spent on tuning; nothing, if there was nothing to tune.
  [[nodiscard]] const std::optional<FirstUse>& first_use() const { return first_use_; }
  [[nodiscard]] std::string device_name() const { return device_.info().name; }

 private:
  // Where and how to compute: the first that gives a usable result counts.
  struct Attempt {
    Device device;
    Precision precision = Precision::fp32;
    // By kind of picture, oldest first.
    std::vector<std::pair<std::string, std::shared_ptr<session::Session>>> sessions = {};
  };

  Upscaler(const Device& device, PictureModel model, UpscalerOptions options, Precision precision, Log log);
  Attempt* attempt(size_t index);
  Result<std::shared_ptr<session::Session>> session_for(Attempt& attempt, const ImageShape& input,
                                                        const Extent& output, DType out_dtype);
  Status run_attempt(Attempt& attempt, const ImageView& input, const MutableImageView& output,
                     const RunCallbacks& callbacks);
  void tell_kernels(const std::vector<session::StepTime>& steps);

  Device device_;
  PictureModel model_;
  UpscalerOptions options_;
  Precision precision_;
  Log log_;
  std::vector<Attempt> attempts_;
  std::optional<FirstUse> first_use_;
  std::set<std::string> told_kernels_;  // in the log already
};

// Largest window edge for a session of this graph on this device, in input pixels: `wanted`, or from memory
// and limits. Errors: device, when nothing fits.
Result<int> tile_edge_px(const Device& device, const graph::Graph& graph, const Extent& input,
                         std::optional<int> wanted);

}  // namespace upres::upscale
