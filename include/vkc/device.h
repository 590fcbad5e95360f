// An open device: the owner of everything that computes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <vkc/error.h>
#include <vkc/instance.h>

namespace vkc {

namespace detail {
class DeviceState;
}

struct DeviceOptions {
  // Where compiled pipelines are kept between runs; made if missing; empty: nowhere. One file per device and
  // driver, checked by header and hash: a damaged or foreign file costs time, never correctness, and is
  // replaced. The caller bounds the folder's size.
  std::filesystem::path pipeline_cache_folder = {};
  // Opens the device's queue that only copies, too, where there is one (DeviceProperties::transfer_queue), so
  // that transfers overlap with kernels; see Queue. Buffers and images then belong to both queues at once: no
  // ownership has to be handed over, and a few devices cannot compress such images.
  bool transfer_queue = false;
  // Features that are true here stay off even where the device has them, and Device::properties() says so:
  // to see how a program does on a lesser device, or to go round a driver's fault. The features of an
  // adopted device are its owner's business.
  DeviceFeatures without_features = {};
};

// A shared handle: copies refer to the same VkDevice, which lives as long as anything made from it, so the
// order of destruction does not matter. Threads: everything here, and creating things on one device, may be
// done from any thread; submits are serialised inside.
class Device {
 public:
  // Opens with one compute queue (one without graphics if there is one, because it waits for no desktop) and
  // every optional feature of DeviceFeatures that the options do not exclude. Errors: no_device (vkc cannot
  // use it; reasons say why), out_of_memory, device_lost, vulkan. A pipeline cache that cannot be read is
  // reported to the log only.
  static Result<Device> open(const PhysicalDevice& physical_device, const DeviceOptions& options = {});
  // The same for the outcome of best_device: `Device::open(best_device(instance))`. An error is passed on.
  static Result<Device> open(const Result<PhysicalDevice>& physical_device,
                             const DeviceOptions& options = {});

  [[nodiscard]] const PhysicalDevice& physical_device() const;
  [[nodiscard]] const DeviceProperties& properties() const;

  // Whether it was opened with a queue of its own for transfers.
  [[nodiscard]] bool has_transfer_queue() const;

  // Waits until nothing is in flight. Errors: device_lost, out_of_memory.
  Status wait_idle() const;

  // True once any call found the device lost. From then on calls that need the device fail with device_lost
  // at once (the log is told once); everything can still be destroyed.
  [[nodiscard]] bool is_lost() const;

  // Writes the pipelines made so far, together with those that other processes wrote meanwhile, to the cache
  // folder (a temporary file there, then a rename). Does nothing without a folder or without new pipelines.
  // The last handle's destruction does it too and reports failure to the log. Errors: file, out_of_memory.
  Status save_pipeline_cache() const;

  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::DeviceState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::DeviceState> state_;
};

}  // namespace vkc
