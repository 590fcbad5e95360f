/* <upres/upres.h> from C. The first argument is a folder for files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upres/upres.h>

static int failures = 0;

static void check(int condition, const char* what, int line) {
  if (condition) return;
  fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

enum { WIDTH = 20, HEIGHT = 12, CHANNELS = 3 };

static unsigned char input_pixels[WIDTH * HEIGHT * CHANNELS];
static unsigned char output_pixels[4 * WIDTH * HEIGHT * CHANNELS];
static const upres_picture input = {input_pixels, WIDTH, HEIGHT, CHANNELS, UPRES_U8, 0};
static const upres_target output = {output_pixels, 2 * WIDTH, 2 * HEIGHT, CHANNELS, UPRES_U8, 0};

static void make_input(void) {
  size_t i;
  for (i = 0; i < sizeof input_pixels; ++i) input_pixels[i] = (unsigned char)(i * i % 251);
}

static void test_errors(void) {
  upres_error* error = NULL;
  upres_device* device = NULL;
  upres_model* model = NULL;
  upres_upscaler* upscaler = NULL;
  CHECK(upres_device_open("no such device", NULL, &device, &error) == UPRES_DEVICE);
  CHECK(device == NULL && error != NULL && upres_error_status(error) == UPRES_DEVICE);
  CHECK(strstr(upres_error_text(error), "no such device") != NULL);
  upres_error_destroy(&error);
  CHECK(error == NULL);
  upres_error_destroy(&error);
  upres_error_destroy(NULL);
  CHECK(upres_error_status(NULL) == UPRES_OK && upres_error_text(NULL)[0] == '\0');

  CHECK(upres_model_open_embedded("nothing", &model, NULL) == UPRES_MODEL && model == NULL);
  CHECK(upres_model_open_file("no/such.onnx", &model, NULL) == UPRES_MODEL);
  CHECK(upres_model_open_memory("hello", 5, NULL, &model, NULL) == UPRES_MODEL);
  CHECK(upres_model_open_memory(NULL, 5, NULL, &model, NULL) == UPRES_USAGE);
  CHECK(upres_model_open_embedded(NULL, &model, NULL) == UPRES_USAGE);
  CHECK(upres_model_open_embedded("espcn_x2", NULL, NULL) == UPRES_USAGE);
  CHECK(upres_upscaler_open("", "cpu", &upscaler, &error) == UPRES_USAGE && upscaler == NULL);
  CHECK(strstr(upres_error_text(error), "name is empty") != NULL);
  upres_error_destroy(&error);
  CHECK(upres_model_open_memory("hello", 5, "", &model, NULL) == UPRES_USAGE);
}

static void test_null(void) {
  upres_upscaler* upscaler = NULL;
  upres_job* job = NULL;
  int width = 0;
  CHECK(upres_upscaler_create(NULL, NULL, NULL, &upscaler, NULL) == UPRES_USAGE);
  CHECK(upres_upscaler_open(NULL, NULL, &upscaler, NULL) == UPRES_USAGE);
  CHECK(upres_upscale(NULL, &input, &output, NULL, NULL) == UPRES_USAGE);
  CHECK(upres_upscale_file(NULL, "a.png", "b.png", NULL, NULL, NULL) == UPRES_USAGE);
  CHECK(upres_submit(NULL, &input, &output, NULL, &job, NULL) == UPRES_USAGE && job == NULL);
  CHECK(upres_submit_file(NULL, "a.png", "b.png", NULL, NULL, &job, NULL) == UPRES_USAGE);
  CHECK(upres_output_size(NULL, 1, 1, 0, &width, &width, NULL) == UPRES_USAGE);
  CHECK(upres_job_wait(NULL, NULL) == UPRES_USAGE && upres_job_is_done(NULL) == 1);
  CHECK(upres_device_name(NULL)[0] == '\0' && upres_model_name(NULL)[0] == '\0' &&
        upres_model_factor(NULL) == 0);
  CHECK(upres_upscaler_memory(NULL).host_bytes == 0);
  upres_job_cancel(NULL);
  upres_job_destroy(&job);
  upres_job_destroy(NULL);
  upres_device_destroy(NULL);
  upres_model_destroy(NULL);
  upres_upscaler_destroy(NULL);
}

static int64_t seen_px;
static void see(void* user, int64_t done_px, int64_t total_px) {
  *(int64_t*)user = done_px;
  CHECK(total_px == 4 * WIDTH * HEIGHT);
}
static int stop(void* user) {
  (void)user;
  return 1;
}

static void test_pixels(upres_upscaler* upscaler) {
  upres_callbacks callbacks = {see, NULL, NULL};
  upres_picture wrong = input;
  upres_target small = output;
  upres_error* error = NULL;
  int width = 0, height = 0;
  callbacks.user = &seen_px;
  CHECK(upres_output_size(upscaler, WIDTH, HEIGHT, 1.5, &width, &height, NULL) == UPRES_OK);
  CHECK(width == 30 && height == 18);
  CHECK(upres_upscale(upscaler, &input, &output, &callbacks, &error) == UPRES_OK && error == NULL);
  CHECK(seen_px == 4 * WIDTH * HEIGHT);
  CHECK(output_pixels[0] != 0 || output_pixels[100] != 0);
  CHECK(upres_upscaler_memory(upscaler).host_bytes > 0);
  small.width_px = 33;
  CHECK(upres_upscale(upscaler, &input, &small, NULL, NULL) == UPRES_OK);
  small.width_px = 41;
  CHECK(upres_upscale(upscaler, &input, &small, NULL, NULL) == UPRES_USAGE);
  wrong.channels = 7;
  CHECK(upres_upscale(upscaler, &wrong, &output, NULL, &error) == UPRES_USAGE);
  CHECK(strstr(upres_error_text(error), "7 channels") != NULL);
  upres_error_destroy(&error);
  wrong = input;
  wrong.row_stride_bytes = (size_t)-1;
  CHECK(upres_upscale(upscaler, &wrong, &output, NULL, NULL) == UPRES_USAGE);
  wrong = input;
  wrong.height_px = INT_MAX;
  CHECK(upres_upscale(upscaler, &wrong, &output, NULL, &error) == UPRES_USAGE);
  CHECK(strstr(upres_error_text(error), "too large") != NULL);
  upres_error_destroy(&error);
  wrong = input;
  wrong.sample = (upres_sample)17;
  CHECK(upres_upscale(upscaler, &wrong, &output, NULL, NULL) == UPRES_USAGE);
  wrong = input;
  wrong.pixels = NULL;
  CHECK(upres_upscale(upscaler, &wrong, &output, NULL, NULL) == UPRES_USAGE);
  callbacks.cancelled = stop;
  CHECK(upres_upscale(upscaler, &input, &output, &callbacks, NULL) == UPRES_CANCELLED);
}

static void test_jobs(upres_upscaler* upscaler) {
  unsigned char expected[sizeof output_pixels];
  upres_job* jobs[3] = {NULL, NULL, NULL};
  upres_job* none = NULL;
  unsigned char* results[3];
  size_t i;
  CHECK(upres_upscale(upscaler, &input, &output, NULL, NULL) == UPRES_OK);
  memcpy(expected, output_pixels, sizeof expected);
  for (i = 0; i < 3; ++i) {
    upres_target target = output;
    results[i] = malloc(sizeof expected);
    target.pixels = results[i];
    CHECK(upres_submit(upscaler, &input, &target, NULL, &jobs[i], NULL) == UPRES_OK);
  }
  for (i = 0; i < 3; ++i) {
    CHECK(upres_job_wait(jobs[i], NULL) == UPRES_OK && upres_job_is_done(jobs[i]));
    CHECK(memcmp(results[i], expected, sizeof expected) == 0);
    CHECK(upres_job_wait(jobs[i], NULL) == UPRES_USAGE);
    upres_job_destroy(&jobs[i]);
    CHECK(jobs[i] == NULL);
    upres_job_destroy(&jobs[i]);
    free(results[i]);
  }
  CHECK(upres_submit_file(upscaler, "no/such.png", "no/out.png", NULL, NULL, &none, NULL) == UPRES_OK);
  CHECK(upres_job_wait(none, NULL) == UPRES_INPUT);
  upres_job_destroy(&none);
}

static void test_files(upres_upscaler* upscaler, const char* folder) {
  char text[4096], to[4096];
  upres_file_options options = {0, 0, 0, NULL, 0, 1};
  upres_error* error = NULL;
  FILE* file = NULL;
  snprintf(text, sizeof text, "%s/no_picture.png", folder);
  snprintf(to, sizeof to, "%s/out.png", folder);
  file = fopen(text, "wb");
  CHECK(file != NULL && fputs("hello", file) >= 0 && fclose(file) == 0);
  CHECK(upres_upscale_file(upscaler, text, to, &options, NULL, &error) == UPRES_INPUT);
  CHECK(strstr(upres_error_text(error), "not a picture") != NULL);
  upres_error_destroy(&error);
  CHECK(upres_upscale_file(upscaler, NULL, to, NULL, NULL, NULL) == UPRES_USAGE);
  options.format = "bmp";
  CHECK(upres_upscale_file(upscaler, text, to, &options, NULL, NULL) == UPRES_USAGE);
}

static int log_lines;
static void count_line(void* user, upres_log_level level, const char* text) {
  (void)level;
  (void)text;
  ++*(int*)user;
}

int main(int argc, char** argv) {
  upres_device_options device_options = {1, NULL, NULL, {count_line, &log_lines}};
  upres_upscaler_options options = {UPRES_PRECISION_FP32, 0, 0, 1, {count_line, &log_lines}};
  upres_device* device = NULL;
  upres_model* model = NULL;
  upres_upscaler* upscaler = NULL;
  upres_job* job = NULL;
  size_t models = 0;
  make_input();
  test_errors();
  test_null();
  while (upres_embedded_model(models) != NULL) ++models;
  CHECK(models >= 3);
  CHECK(upres_version()[0] == '0');

  CHECK(upres_device_open("cpu", &device_options, &device, NULL) == UPRES_OK);
  CHECK(upres_device_name(device)[0] != '\0');
  CHECK(upres_model_open_embedded("espcn_x2", &model, NULL) == UPRES_OK);
  CHECK(strcmp(upres_model_name(model), "espcn_x2") == 0 && upres_model_factor(model) == 2);
  options.pictures_in_flight = 65;
  CHECK(upres_upscaler_create(device, model, &options, &upscaler, NULL) == UPRES_USAGE && upscaler == NULL);
  options.pictures_in_flight = 2;
  CHECK(upres_upscaler_create(device, model, &options, &upscaler, NULL) == UPRES_OK);
  upres_device_destroy(&device); /* what uses it keeps it */
  upres_device_destroy(&device);
  upres_model_destroy(&model);
  CHECK(device == NULL && model == NULL);
  if (upscaler == NULL) return 1;
  test_pixels(upscaler);
  test_jobs(upscaler);
  if (argc > 1) test_files(upscaler, argv[1]);

  CHECK(upres_submit(upscaler, &input, &output, NULL, &job, NULL) == UPRES_OK);
  upres_upscaler_destroy(&upscaler);
  CHECK(upscaler == NULL);
  upres_upscaler_destroy(&upscaler);
  CHECK(upres_job_is_done(job));
  upres_job_destroy(&job);
  if (failures == 0) printf("all right\n");
  return failures == 0 ? 0 : 1;
}
