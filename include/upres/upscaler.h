// Enlarging pictures from C++, in memory and from file to file.
//
//   auto upscaler = upres::Upscaler::open("espcn_x2");
//   if (!upscaler) return std::cerr << upscaler.error().text() << "\n", 1;
//   auto done = upscaler->upscale_file("photo.jpg", "photo_x2.png");
//
// Every failure is a value (Result, Status) with a reason. Nothing is thrown, printed or kept in globals of
// upres; messages go to the Log that the caller passes. Empty names, and paths that hold a NUL, are usage
// errors. Of the libraries below, libvips (pictures) and OpenMP (the CPU device) keep state of their own in
// the process.
//
// All classes here are handles. Device and Model are shared: copies refer to the same thing, which lives as
// long as anything that uses it, so the order of destruction does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <upres/error.h>
#include <upres/image.h>
#include <upres/log.h>
#include <upres/precision.h>

namespace upres {

// "0.1.0": of the library in use, which with shared libraries may differ from that of the headers.
std::string_view library_version();

// One device of this machine, usable or not.
struct DeviceDescription {
  std::string name;
  std::string kind;                   // "discrete", "integrated", "virtual", "software", "other"; "cpu"
  std::string uuid;                   // 32 hexadecimal digits; empty for the CPU
  std::string driver;                 // with its version; for the CPU the library that computes
  std::vector<std::string> refusals;  // why upres cannot use it; empty: it can
};

// GPUs in Vulkan's order, then the CPU. A machine without Vulkan has its CPU. Errors: device (out of memory).
Result<std::vector<DeviceDescription>> list_devices(const Log& log = {});

struct DeviceOptions {
  int threads = 0;  // of the CPU device, at most 4096; 0: as many as there are cores
  std::string kernel =
      {};  // id of a convolution kernel to use wherever it is legal; empty: the plan's choice
  // Where compiled pipelines, measured precisions and tuned parameters are kept between runs; made if
  // missing; empty: nowhere. Files devices/*.json in it override the device database (devices/README.md). A
  // damaged or unwritable folder costs time, never correctness.
  std::filesystem::path cache_folder = {};
};

// What computes. Thread rule: everything may be called from any thread.
class Device {
 public:
  // `selector`: "auto" (the best real GPU: discrete, integrated, virtual; else the CPU), "cpu", "gpu" (the
  // best real GPU), "gpu:N" (the N-th, from 0), a UUID, or part of a name. Software Vulkan drivers are used
  // only when named. Errors: device (none fits, with every device and why as reasons; it cannot be opened),
  // usage (no such kernel, threads out of range).
  static Result<Device> open(std::string_view selector = "auto", const DeviceOptions& options = {},
                             const Log& log = {});

  [[nodiscard]] const DeviceDescription& description() const;
  [[nodiscard]] bool is_cpu() const;

  struct Impl;
  explicit Device(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// A network that enlarges pictures. Immutable; any thread.
class Model {
 public:
  // One that travels in the library; see embedded_models(). Errors: model, listing the names there are.
  static Result<Model> embedded(std::string_view name);
  // An ONNX file. Errors: model (missing, no model, an operator that upres lacks, not a picture network).
  static Result<Model> from_file(const std::filesystem::path& path);
  // The bytes of an ONNX file, not needed afterwards; `label` names it, also in messages. Errors: model.
  static Result<Model> from_memory(std::span<const std::byte> onnx, std::string_view label);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] int factor() const;  // how much larger the result is, on both axes
  [[nodiscard]] uint64_t parameter_count() const;

  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Names of the embedded models, smallest factor first. Errors: model.
Result<std::vector<std::string>> embedded_models();

struct UpscalerOptions {
  Precision precision = Precision::automatic;
  // Largest edge of a window in input pixels, overlap included; 0: from memory and limits. The result does
  // not depend on it.
  int tile_px = 0;
  // Computes on the CPU what a GPU could not. Never with DeviceOptions::kernel.
  bool fall_back_to_cpu = true;
  // Threads for submitted pictures, 1 to 64: as many are read, decoded and written at the same time as others
  // are computed. The device computes one picture at a time, with several windows of it in flight.
  int pictures_in_flight = 2;
  // Spends up to 2 s in create() on the parameters of kernels when a network runs on a GPU for the first
  // time, and keeps what it finds in DeviceOptions::cache_folder; without one it does nothing.
  bool tune = false;
};

// How one picture is to be enlarged. Callbacks come from the thread that computes and must not call the
// Upscaler that calls them. They must not throw; whatever one throws ends the picture with error usage.
struct UpscaleOptions {
  // Above 1 and at most the model's factor: sides are multiplied and rounded to nearest. 0: the model's
  // factor.
  double scale = 0;
  // Or: the size of the result, each side 1 to factor times the input's.
  std::optional<Extent> output_extent = {};
  std::optional<DType> output_dtype = {};  // u8, u16 or f32; absent: the input's
  std::function<void(int64_t done_px, int64_t total_px)> progress = {};  // pixels of the result
  std::function<bool()> cancelled = {};  // asked between two windows; true: stop
};

struct FileOptions {
  UpscaleOptions upscale = {};  // output_dtype absent: as many bits as the input, 8 in JPEG and WebP
  std::string format = {};  // "jpeg", "png", "webp" or "tiff"; empty: by the extension of the output's name
  int quality = 95;         // of JPEG and WebP, 1 to 100
  bool overwrite = false;   // whether an output that exists is replaced
};

// What became of a file.
struct FileReport {
  Extent input;
  Extent output;
  double seconds = 0;
};

// Memory that an Upscaler holds beyond the caller's pictures: sessions for the kinds of pictures seen last.
// It grows to what the largest window so far needed. Weights shared through a Device or Model count for each.
struct MemoryUse {
  uint64_t device_bytes = 0;  // Vulkan allocations, also those that lie in the host's memory
  uint64_t host_bytes = 0;    // rows and weights of the CPU device
};

// A picture that was submitted. Movable; its destructor cancels and waits, so that the caller's pixels are
// free afterwards. T is Image, Extent (of a result in the caller's pixels) or FileReport.
template <typename T>
class Pending {
 public:
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;  // cancels and waits for what was there
  ~Pending();

  [[nodiscard]] bool is_done() const;  // wait() would not block
  // Asks to stop; wait() then tells cancelled, unless the picture was done first.
  void cancel();
  // Waits and hands the result over. Errors: those of the work; cancelled (also when the Upscaler was
  // destroyed first); usage, when it was asked before.
  Result<T> wait();

  struct State;
  explicit Pending(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

// A model made ready on a device. Movable; one that was moved from answers with errors, and what it would
// tell about itself must not be asked. Thread rule: any member from any thread, several at once; pictures are
// computed in some order, one at a time. Different Upscalers are independent, on one device too. Destruction
// cancels what was submitted and waits for it.
//
// Pixels are views of 1 to 4 interleaved channels (see ImageShape) of u8, u16 or f32, any row stride, any
// alignment. f32 (0 to 1, values beyond are clamped) is computed from and to 16-bit samples. Colours under
// full transparency count for nothing. The result has the channels of the input; Image results of pixels have
// no metadata, files keep theirs. A result with NaN or infinite samples, or a flat one of a picture that is
// not flat, is computed again (in fp32, then on the CPU) and otherwise refused, never returned.
//
// Errors of all members that compute: input (too large for memory, NaN in an f32 picture), usage (an option
// or a view that cannot be, naming it), device (the device failed and nothing took over), cancelled.
class Upscaler {
 public:
  // Errors: device (a precision that the device cannot do), usage (an option out of its range).
  static Result<Upscaler> create(const Device& device, const Model& model,
                                 const UpscalerOptions& options = {}, const Log& log = {});
  // Device::open and create, for an embedded model's name or an ONNX file ("./espcn_x2" for a file called
  // like an embedded model). Errors: those of the parts.
  static Result<Upscaler> open(std::string_view model, std::string_view device = "auto", const Log& log = {});

  Upscaler(Upscaler&&) noexcept;
  Upscaler& operator=(Upscaler&&) noexcept;
  ~Upscaler();

  [[nodiscard]] const Device& device() const;
  [[nodiscard]] const Model& model() const;
  [[nodiscard]] Precision precision() const;   // what `automatic` turned out to be
  [[nodiscard]] MemoryUse memory_use() const;  // after the last picture

  // The size that the result will have. Errors: usage, input.
  [[nodiscard]] Result<Extent> output_extent(const Extent& input, const UpscaleOptions& options = {}) const;

  Result<Image> upscale(const ImageView& input, const UpscaleOptions& options = {});
  // Into the caller's pixels, whose shape says size (1 to factor times the input's) and sample type; scale,
  // output_extent and output_dtype are not looked at. After an error they hold nothing of use. Must not
  // overlap the input.
  Status upscale_into(const ImageView& input, const MutableImageView& output,
                      const UpscaleOptions& options = {});
  // From file to file: JPEG, PNG, WebP and TIFF, with colour profile, EXIF, XMP and resolution. The output
  // appears complete or not at all. Errors also: input (cannot be read, cannot be written, exists), usage
  // (unknown format, or a build without picture files).
  Result<FileReport> upscale_file(const std::filesystem::path& input, const std::filesystem::path& output,
                                  const FileOptions& options = {});

  // The same without waiting; the pixels must stay valid until the picture is done. Errors: those of starting
  // a thread; all else comes from wait().
  Result<Pending<Image>> submit(const ImageView& input, const UpscaleOptions& options = {});
  Result<Pending<Extent>> submit_into(const ImageView& input, const MutableImageView& output,
                                      const UpscaleOptions& options = {});
  Result<Pending<FileReport>> submit_file(const std::filesystem::path& input,
                                          const std::filesystem::path& output,
                                          const FileOptions& options = {});

 private:
  struct Impl;
  explicit Upscaler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

extern template class Pending<Image>;
extern template class Pending<Extent>;
extern template class Pending<FileReport>;

}  // namespace upres
