/* upres from C: enlarging pictures in memory and from file to file.
 *
 *   upres_upscaler* upscaler = NULL;
 *   upres_error* error = NULL;
 *   if (upres_upscaler_open("espcn_x2", "auto", &upscaler, &error) != UPRES_OK ||
 *       upres_upscale_file(upscaler, "photo.jpg", "photo_x2.png", NULL, NULL, &error) != UPRES_OK)
 *     fprintf(stderr, "%s\n", upres_error_text(error));
 *   upres_error_destroy(&error);
 *   upres_upscaler_destroy(&upscaler);
 *
 * Objects are opaque. What a function makes it puts into the pointer given to it, which on failure becomes
 * NULL; it ends with the destroy function of its kind, which takes the address of the pointer and sets it to
 * NULL: twice, or on NULL, does nothing. Devices and models live as long as anything that uses them, whatever
 * the order of destruction. Every function takes NULL for an object or a pointer that it needs and answers
 * UPRES_USAGE.
 *
 * Functions that can fail return a status and, where `error` is not NULL, put an object with the reason into
 * *error: NULL after success, and for want of memory. They overwrite what was in *error: destroy it first.
 *
 * Options are structs: NULL or all zero means the defaults. Strings are UTF-8 or, for file names, what the
 * system takes; those returned live as long as the object they came from.
 *
 * Thread rule: different objects from different threads; one upres_upscaler from several at once; one
 * upres_job or upres_error from one thread at a time; destroying something while another thread uses it is an
 * error of the caller.
 *
 * <upres/upscaler.h> describes the behaviour of each function in full.
 */
#ifndef UPRES_UPRES_H
#define UPRES_UPRES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum upres_status {
  UPRES_OK = 0,
  UPRES_INPUT = 1,    /* a picture or file: missing, damaged, too large, unsupported, cannot be written */
  UPRES_USAGE = 2,    /* a wrong argument or option */
  UPRES_DEVICE = 3,   /* no such device, a capability it lacks, a fault that nothing could take over */
  UPRES_MODEL = 4,    /* not a model, an unsupported operator, not a picture network */
  UPRES_CANCELLED = 5 /* the caller asked to stop */
} upres_status;

typedef struct upres_error upres_error;
typedef struct upres_device upres_device;
typedef struct upres_model upres_model;
typedef struct upres_upscaler upres_upscaler;
typedef struct upres_job upres_job;

/* "0.1.0", of the library in use. */
const char* upres_version(void);

/* --- errors */

/* UPRES_OK for NULL. */
upres_status upres_error_status(const upres_error* error);
/* What happened, to what, and what to do; further reasons on lines of their own. "" for NULL. */
const char* upres_error_text(const upres_error* error);
void upres_error_destroy(upres_error** error);

/* --- messages of the library */

typedef enum upres_log_level {
  UPRES_LOG_DEBUG = 0,
  UPRES_LOG_INFO = 1,
  UPRES_LOG_WARNING = 2
} upres_log_level;

/* Receives one line; may be called from any thread as long as anything made with it lives. */
typedef struct upres_log {
  void (*write)(void* user, upres_log_level level, const char* text); /* NULL: messages are dropped */
  void* user;
} upres_log;

/* --- devices */

typedef struct upres_device_options {
  int threads;              /* of the CPU device, at most 4096; 0: as many as there are cores */
  const char* kernel;       /* a convolution kernel to force; NULL: the plan's choice */
  const char* cache_folder; /* where measured results are kept; NULL: nowhere */
  upres_log log;
} upres_device_options;

/* selector: "auto" (also NULL), "cpu", "gpu", "gpu:N", a UUID, or part of a name. */
upres_status upres_device_open(const char* selector, const upres_device_options* options,
                               upres_device** device, upres_error** error);
const char* upres_device_name(const upres_device* device); /* "" for NULL */
void upres_device_destroy(upres_device** device);

/* --- models */

/* Names of the embedded models by index, in alphabetical order; NULL beyond the last. */
const char* upres_embedded_model(size_t index);

upres_status upres_model_open_embedded(const char* name, upres_model** model, upres_error** error);
upres_status upres_model_open_file(const char* path, upres_model** model, upres_error** error);
/* The bytes of an ONNX file, not needed afterwards; label (may be NULL) names them in messages. */
upres_status upres_model_open_memory(const void* bytes, size_t size_bytes, const char* label,
                                     upres_model** model, upres_error** error);
const char* upres_model_name(const upres_model* model); /* "" for NULL */
int upres_model_factor(const upres_model* model);       /* 0 for NULL */
void upres_model_destroy(upres_model** model);

/* --- upscalers */

typedef enum upres_precision {
  UPRES_PRECISION_AUTO = 0,
  UPRES_PRECISION_FP32 = 1,
  UPRES_PRECISION_FP16 = 2,
  UPRES_PRECISION_BF16 = 3
} upres_precision;

typedef struct upres_upscaler_options {
  upres_precision precision;
  int tile_px;            /* 0: from memory and limits */
  int no_cpu_fall_back;   /* not 0: what a GPU could not compute is an error */
  int pictures_in_flight; /* 1 to 64; 0: 2 */
  upres_log log;
} upres_upscaler_options;

upres_status upres_upscaler_create(const upres_device* device, const upres_model* model,
                                   const upres_upscaler_options* options, upres_upscaler** upscaler,
                                   upres_error** error);
/* A device (see upres_device_open) and a model (an embedded one's name, or an ONNX file) at once. */
upres_status upres_upscaler_open(const char* model, const char* device, upres_upscaler** upscaler,
                                 upres_error** error);
/* Cancels what was submitted and waits for it. */
void upres_upscaler_destroy(upres_upscaler** upscaler);

typedef struct upres_memory_use {
  uint64_t device_bytes;
  uint64_t host_bytes;
} upres_memory_use;

upres_memory_use upres_upscaler_memory(const upres_upscaler* upscaler); /* zeros for NULL */

/* --- pictures */

typedef enum upres_sample { UPRES_U8 = 0, UPRES_U16 = 1, UPRES_F32 = 2 } upres_sample;

/* Interleaved samples of somebody else, rows from top to bottom. channels: 1 grey, 2 grey + alpha, 3 RGB, 4
 * RGB + alpha. row_stride_bytes 0: rows follow each other without padding. */
typedef struct upres_picture {
  const void* pixels;
  int width_px;
  int height_px;
  int channels;
  upres_sample sample;
  size_t row_stride_bytes;
} upres_picture;

typedef struct upres_target {
  void* pixels;
  int width_px;
  int height_px;
  int channels;
  upres_sample sample;
  size_t row_stride_bytes;
} upres_target;

/* Called from the thread that computes; must not call the upscaler that calls them. */
typedef struct upres_callbacks {
  void (*progress)(void* user, int64_t done_px, int64_t total_px); /* pixels of the result; may be NULL */
  int (*cancelled)(void* user);                                    /* not 0: stop; may be NULL */
  void* user;
} upres_callbacks;

typedef struct upres_file_options {
  double scale; /* above 1, at most the model's factor; 0: the model's factor */
  int width_px; /* or the size of the result; both 0: by scale */
  int height_px;
  const char* format; /* "jpeg", "png", "webp", "tiff"; NULL: by the output's name */
  int quality;        /* of JPEG and WebP, 1 to 100; 0: 95 */
  int overwrite;      /* not 0: replaces an output that exists */
} upres_file_options;

/* The size that a picture of this size will have with this scale (0: the model's factor). */
upres_status upres_output_size(const upres_upscaler* upscaler, int width_px, int height_px, double scale,
                               int* output_width_px, int* output_height_px, upres_error** error);

/* From the caller's pixels to the caller's pixels: the target's size (1 to factor times the input's) and
 * sample type are those of the result. They must not overlap. */
upres_status upres_upscale(upres_upscaler* upscaler, const upres_picture* input, const upres_target* output,
                           const upres_callbacks* callbacks, upres_error** error);
upres_status upres_upscale_file(upres_upscaler* upscaler, const char* input, const char* output,
                                const upres_file_options* options, const upres_callbacks* callbacks,
                                upres_error** error);

/* The same without waiting. Pixels, and what the callbacks use, must stay valid until the job is done. */
upres_status upres_submit(upres_upscaler* upscaler, const upres_picture* input, const upres_target* output,
                          const upres_callbacks* callbacks, upres_job** job, upres_error** error);
upres_status upres_submit_file(upres_upscaler* upscaler, const char* input, const char* output,
                               const upres_file_options* options, const upres_callbacks* callbacks,
                               upres_job** job, upres_error** error);

int upres_job_is_done(const upres_job* job); /* 1 also for NULL */
void upres_job_cancel(upres_job* job);
/* Waits; once per job. */
upres_status upres_job_wait(upres_job* job, upres_error** error);
/* Cancels and waits, so that the pixels are free afterwards. */
void upres_job_destroy(upres_job** job);

#ifdef __cplusplus
}
#endif

#endif
