// <upres/upres.h> on top of <upres/upscaler.h>.
#include <upres/upres.h>
#include <upres/upscaler.h>

#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include "embedded_models.h"
#include "upscale/api/no_exceptions.h"
#include "upscale/version.h"

struct upres_error {
  upres_status status;
  std::string text;
};
struct upres_device {
  upres::Device device;
};
struct upres_model {
  upres::Model model;
};
struct upres_upscaler {
  upres::Upscaler upscaler;
};
struct upres_job {
  std::variant<upres::Pending<upres::Extent>, upres::Pending<upres::FileReport>> pending;
};

namespace {

using upres::Error;
using upres::ErrorCode;
using upres::Result;
using upres::Status;

upres_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::input:
      return UPRES_INPUT;
    case ErrorCode::usage:
      return UPRES_USAGE;
    case ErrorCode::device:
      return UPRES_DEVICE;
    case ErrorCode::model:
      return UPRES_MODEL;
    case ErrorCode::cancelled:
      return UPRES_CANCELLED;
  }
  return UPRES_INPUT;
}

upres_status report(const Error& error, upres_error** to) {
  const upres_status status = status_of(error.code);
  try {
    if (to != nullptr) *to = new upres_error{status, error.text()};
  } catch (const std::bad_alloc&) {  // the status alone must do
  }
  return status;
}

// Runs what gives a Status and reports it.
template <typename F>
upres_status run(upres_error** error, F&& work) {
  if (error != nullptr) *error = nullptr;
  const Status done = upres::without_exceptions(std::forward<F>(work));
  return done ? UPRES_OK : report(done.error(), error);
}

Status is_null(const char* what) { return upres::fail(ErrorCode::usage, std::string(what) + " is NULL"); }

// Runs what gives a Result<Value> and puts a new Handle of it into *to.
template <typename Handle, typename F>
upres_status make(Handle** to, upres_error** error, F&& work) {
  if (to != nullptr) *to = nullptr;
  return run(error, [&]() -> Status {
    if (to == nullptr) return is_null("the pointer for the new object");
    auto made = work();
    if (!made) return propagate(made);
    *to = new Handle{std::move(*made)};
    return {};
  });
}

template <typename Handle>
void destroy(Handle** handle) {
  if (handle != nullptr) delete std::exchange(*handle, nullptr);
}

const char* text_or(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

upres::Log log_of(const upres_log& log) {
  if (log.write == nullptr) return {};
  return upres::Log([log](upres::LogLevel level, std::string_view text) {
    constexpr upres_log_level kLevels[] = {UPRES_LOG_DEBUG, UPRES_LOG_INFO, UPRES_LOG_WARNING};
    log.write(log.user, kLevels[static_cast<size_t>(level)], std::string(text).c_str());
  });
}

// The number that C left in an enum: it may be any, which C++ must not even load as one.
template <typename Enum>
int number_of(const Enum& value) {
  int number = 0;
  static_assert(sizeof(value) == sizeof(number));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

Result<upres::Precision> precision_of(int precision) {
  switch (precision) {
    case UPRES_PRECISION_AUTO:
      return upres::Precision::automatic;
    case UPRES_PRECISION_FP32:
      return upres::Precision::fp32;
    case UPRES_PRECISION_FP16:
      return upres::Precision::fp16;
    case UPRES_PRECISION_BF16:
      return upres::Precision::bf16;
  }
  return upres::fail(ErrorCode::usage, "there is no upres_precision " + std::to_string(precision));
}

std::optional<upres::DType> dtype_of(int sample) {
  switch (sample) {
    case UPRES_U8:
      return upres::DType::u8;
    case UPRES_U16:
      return upres::DType::u16;
    case UPRES_F32:
      return upres::DType::f32;
  }
  return std::nullopt;
}

// Bytes from the first sample to the last; 0 where no memory can be that large.
size_t span_bytes(const upres::ImageShape& shape, size_t stride_bytes) {
  size_t before_last = 0;
  size_t all = 0;
  const auto rows = static_cast<size_t>(shape.height_px - 1);
  const bool is_beyond = __builtin_mul_overflow(rows, stride_bytes, &before_last) ||
                         __builtin_add_overflow(before_last, shape.row_bytes(), &all) ||
                         all > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max());
  return is_beyond ? 0 : all;
}

// A view of C's pixels. What the shape cannot be, the Upscaler refuses.
template <typename Byte, typename Picture>
Result<upres::BasicImageView<Byte>> view_of(const Picture* picture, const char* what) {
  if (picture == nullptr || picture->pixels == nullptr)
    return upres::fail(ErrorCode::usage, std::string(what) + " is NULL");
  const auto dtype = dtype_of(number_of(picture->sample));
  if (!dtype) return upres::fail(ErrorCode::usage, std::string(what) + " has no known upres_sample");
  const upres::ImageShape shape = {picture->width_px, picture->height_px, picture->channels, *dtype};
  const bool is_possible =
      shape.width_px > 0 && shape.height_px > 0 && shape.channels > 0 && shape.channels <= 4;
  if (!is_possible) return upres::BasicImageView<Byte>{shape, 0, {}};
  const size_t stride_bytes = picture->row_stride_bytes == 0 ? shape.row_bytes() : picture->row_stride_bytes;
  return upres::BasicImageView<Byte>{
      shape, stride_bytes, {static_cast<Byte*>(picture->pixels), span_bytes(shape, stride_bytes)}};
}

upres::UpscaleOptions options_of(const upres_callbacks* callbacks) {
  upres::UpscaleOptions options;
  if (callbacks == nullptr) return options;
  if (callbacks->progress != nullptr) {
    options.progress = [calls = *callbacks](int64_t done_px, int64_t total_px) {
      calls.progress(calls.user, done_px, total_px);
    };
  }
  if (callbacks->cancelled != nullptr)
    options.cancelled = [calls = *callbacks] { return calls.cancelled(calls.user) != 0; };
  return options;
}

upres::FileOptions file_options_of(const upres_file_options* given, const upres_callbacks* callbacks) {
  upres::FileOptions options;
  options.upscale = options_of(callbacks);
  if (given == nullptr) return options;
  options.upscale.scale = given->scale;
  if (given->width_px != 0 || given->height_px != 0)
    options.upscale.output_extent = upres::Extent{given->width_px, given->height_px};
  options.format = text_or(given->format, "");
  if (given->quality != 0) options.quality = given->quality;
  options.overwrite = given->overwrite != 0;
  return options;
}

struct Views {
  upres::ImageView input;
  upres::MutableImageView output;
};

Result<Views> views_of(const upres_upscaler* upscaler, const upres_picture* input,
                       const upres_target* output) {
  if (upscaler == nullptr) return upres::fail(ErrorCode::usage, "the upscaler is NULL");
  const auto from = view_of<const std::byte>(input, "the input");
  if (!from) return tl::unexpected(from.error());
  const auto to = view_of<std::byte>(output, "the output");
  if (!to) return tl::unexpected(to.error());
  return Views{*from, *to};
}

Status check_files(const upres_upscaler* upscaler, const char* input, const char* output) {
  if (upscaler == nullptr) return is_null("the upscaler");
  if (input == nullptr) return is_null("the input's name");
  if (output == nullptr) return is_null("the output's name");
  return {};
}

template <typename T>
Status without_value(Result<T> result) {
  if (!result) return propagate(result);
  return {};
}

}  // namespace

extern "C" {

const char* upres_version(void) { return upres::upscale::kVersion.data(); }

upres_status upres_error_status(const upres_error* error) {
  return error == nullptr ? UPRES_OK : error->status;
}
const char* upres_error_text(const upres_error* error) { return error == nullptr ? "" : error->text.c_str(); }
void upres_error_destroy(upres_error** error) { destroy(error); }

upres_status upres_device_open(const char* selector, const upres_device_options* options,
                               upres_device** device, upres_error** error) {
  return make(device, error, [&] {
    upres::DeviceOptions inner;
    upres::Log log;
    if (options != nullptr) {
      inner.threads = options->threads;
      inner.kernel = text_or(options->kernel, "");
      inner.cache_folder = text_or(options->cache_folder, "");
      log = log_of(options->log);
    }
    return upres::Device::open(text_or(selector, "auto"), inner, log);
  });
}
const char* upres_device_name(const upres_device* device) {
  return device == nullptr ? "" : device->device.description().name.c_str();
}
void upres_device_destroy(upres_device** device) { destroy(device); }

const char* upres_embedded_model(size_t index) {
  const auto models = upres::models::all();
  return index < models.size() ? models[index].name.data() : nullptr;  // made from a literal, so it ends in 0
}

upres_status upres_model_open_embedded(const char* name, upres_model** model, upres_error** error) {
  return make(model, error, [&]() -> Result<upres::Model> {
    if (name == nullptr) return upres::fail(ErrorCode::usage, "the model's name is NULL");
    return upres::Model::embedded(name);
  });
}
upres_status upres_model_open_file(const char* path, upres_model** model, upres_error** error) {
  return make(model, error, [&]() -> Result<upres::Model> {
    if (path == nullptr) return upres::fail(ErrorCode::usage, "the model's file name is NULL");
    return upres::Model::from_file(path);
  });
}
upres_status upres_model_open_memory(const void* bytes, size_t size_bytes, const char* label,
                                     upres_model** model, upres_error** error) {
  return make(model, error, [&]() -> Result<upres::Model> {
    if (bytes == nullptr) return upres::fail(ErrorCode::usage, "the model's bytes are NULL");
    return upres::Model::from_memory({static_cast<const std::byte*>(bytes), size_bytes},
                                     text_or(label, "model"));
  });
}
const char* upres_model_name(const upres_model* model) {
  return model == nullptr ? "" : model->model.name().c_str();
}
int upres_model_factor(const upres_model* model) { return model == nullptr ? 0 : model->model.factor(); }
void upres_model_destroy(upres_model** model) { destroy(model); }

upres_status upres_upscaler_create(const upres_device* device, const upres_model* model,
                                   const upres_upscaler_options* options, upres_upscaler** upscaler,
                                   upres_error** error) {
  return make(upscaler, error, [&]() -> Result<upres::Upscaler> {
    if (device == nullptr) return upres::fail(ErrorCode::usage, "the device is NULL");
    if (model == nullptr) return upres::fail(ErrorCode::usage, "the model is NULL");
    upres::UpscalerOptions inner;
    if (options == nullptr) return upres::Upscaler::create(device->device, model->model, inner);
    const auto precision = precision_of(number_of(options->precision));
    if (!precision) return tl::unexpected(precision.error());
    inner.precision = *precision;
    inner.tile_px = options->tile_px;
    inner.fall_back_to_cpu = options->no_cpu_fall_back == 0;
    if (options->pictures_in_flight != 0) inner.pictures_in_flight = options->pictures_in_flight;
    return upres::Upscaler::create(device->device, model->model, inner, log_of(options->log));
  });
}
upres_status upres_upscaler_open(const char* model, const char* device, upres_upscaler** upscaler,
                                 upres_error** error) {
  return make(upscaler, error, [&]() -> Result<upres::Upscaler> {
    if (model == nullptr) return upres::fail(ErrorCode::usage, "the model's name is NULL");
    return upres::Upscaler::open(model, text_or(device, "auto"));
  });
}
void upres_upscaler_destroy(upres_upscaler** upscaler) { destroy(upscaler); }

upres_memory_use upres_upscaler_memory(const upres_upscaler* upscaler) {
  if (upscaler == nullptr) return {0, 0};
  const upres::MemoryUse use = upscaler->upscaler.memory_use();
  return {use.device_bytes, use.host_bytes};
}

upres_status upres_output_size(const upres_upscaler* upscaler, int width_px, int height_px, double scale,
                               int* output_width_px, int* output_height_px, upres_error** error) {
  return run(error, [&]() -> Status {
    if (upscaler == nullptr) return is_null("the upscaler");
    if (output_width_px == nullptr || output_height_px == nullptr) return is_null("the pointer for the size");
    upres::UpscaleOptions options;
    options.scale = scale;
    const auto extent = upscaler->upscaler.output_extent({width_px, height_px}, options);
    if (!extent) return tl::unexpected(extent.error());
    *output_width_px = extent->width_px;
    *output_height_px = extent->height_px;
    return {};
  });
}

upres_status upres_upscale(upres_upscaler* upscaler, const upres_picture* input, const upres_target* output,
                           const upres_callbacks* callbacks, upres_error** error) {
  return run(error, [&]() -> Status {
    auto views = views_of(upscaler, input, output);
    if (!views) return propagate(views);
    return upscaler->upscaler.upscale_into(views->input, views->output, options_of(callbacks));
  });
}

upres_status upres_upscale_file(upres_upscaler* upscaler, const char* input, const char* output,
                                const upres_file_options* options, const upres_callbacks* callbacks,
                                upres_error** error) {
  return run(error, [&]() -> Status {
    if (auto checked = check_files(upscaler, input, output); !checked) return checked;
    return without_value(upscaler->upscaler.upscale_file(input, output, file_options_of(options, callbacks)));
  });
}

upres_status upres_submit(upres_upscaler* upscaler, const upres_picture* input, const upres_target* output,
                          const upres_callbacks* callbacks, upres_job** job, upres_error** error) {
  return make(job, error, [&]() -> Result<upres::Pending<upres::Extent>> {
    auto views = views_of(upscaler, input, output);
    if (!views) return propagate(views);
    return upscaler->upscaler.submit_into(views->input, views->output, options_of(callbacks));
  });
}

upres_status upres_submit_file(upres_upscaler* upscaler, const char* input, const char* output,
                               const upres_file_options* options, const upres_callbacks* callbacks,
                               upres_job** job, upres_error** error) {
  return make(job, error, [&]() -> Result<upres::Pending<upres::FileReport>> {
    if (auto checked = check_files(upscaler, input, output); !checked) return propagate(checked);
    return upscaler->upscaler.submit_file(input, output, file_options_of(options, callbacks));
  });
}

int upres_job_is_done(const upres_job* job) {
  if (job == nullptr) return 1;
  return std::visit([](const auto& pending) { return pending.is_done(); }, job->pending) ? 1 : 0;
}
void upres_job_cancel(upres_job* job) {
  if (job != nullptr) std::visit([](auto& pending) { pending.cancel(); }, job->pending);
}
upres_status upres_job_wait(upres_job* job, upres_error** error) {
  return run(error, [&]() -> Status {
    if (job == nullptr) return is_null("the job");
    return std::visit([](auto& pending) { return without_value(pending.wait()); }, job->pending);
  });
}
void upres_job_destroy(upres_job** job) { destroy(job); }

}  // extern "C"
