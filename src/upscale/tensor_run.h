// A model on a device for raw tensors: no pictures, no guards.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "upscale/device.h"
#include "upscale/model.h"
#include "upscale/tiled_run.h"

namespace upres::upscale {

// Thread rule: one thread at a time.
class TensorRunner {
 public:
  // `precision` as Device::resolve gave it; tile_px as UpscalerOptions. Errors: device.
  static Result<TensorRunner> create(const Device& device, const Model& model, Precision precision,
                                     std::optional<int> tile_px);

  // One tensor per input of the network (planar f32, in its order) to one per output. A network that enlarges
  // one picture runs by windows, so that any size fits; any other runs whole. Errors: model (sizes that the
  // network cannot do), device, usage (tile_px too small), input (memory), cancelled.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, const RunCallbacks& callbacks = {});

 private:
  TensorRunner(const Device& device, std::shared_ptr<session::Session> session, std::optional<int> tile_px);
  Result<std::vector<Tensor>> create_outputs(std::span<const Tensor> inputs) const;
  Status run_by_windows(const Tensor& input, Tensor& output, const RunCallbacks& callbacks);
  Status run_whole(std::span<const Tensor> inputs, std::span<Tensor> outputs);

  Device device_;
  std::shared_ptr<session::Session> session_;
  std::optional<graph::PictureNetwork> kind_;  // of a network that enlarges one picture
  std::optional<int> tile_px_;
};

}  // namespace upres::upscale
