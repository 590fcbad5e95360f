/* A device that is lost while jobs are in flight, from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upres/upres.h>

#include "lose_device.h"

static int failures = 0;

static void check(int condition, const char* what, int line) {
  if (condition) return;
  fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

enum { WIDTH = 24, HEIGHT = 20, JOBS = 3 };

static unsigned char input_pixels[WIDTH * HEIGHT];
static unsigned char output_pixels[JOBS][4 * WIDTH * HEIGHT];
static const upres_picture input = {input_pixels, WIDTH, HEIGHT, 1, UPRES_U8, 0};

static upres_target target_of(int job) {
  upres_target target = {NULL, 2 * WIDTH, 2 * HEIGHT, 1, UPRES_U8, 0};
  target.pixels = output_pixels[job];
  return target;
}

/* NULL where there is no such device. */
static upres_upscaler* open_upscaler(int no_cpu_fall_back) {
  upres_upscaler_options options = {UPRES_PRECISION_FP32, 0, 0, 3, {NULL, NULL}};
  upres_device* device = NULL;
  upres_model* model = NULL;
  upres_upscaler* upscaler = NULL;
  options.no_cpu_fall_back = no_cpu_fall_back;
  if (upres_device_open("llvmpipe", NULL, &device, NULL) != UPRES_OK) return NULL;
  CHECK(upres_model_open_embedded("espcn_x2", &model, NULL) == UPRES_OK);
  CHECK(upres_upscaler_create(device, model, &options, &upscaler, NULL) == UPRES_OK);
  upres_device_destroy(&device);
  upres_device_destroy(&device);
  upres_model_destroy(&model);
  upres_model_destroy(&model);
  return upscaler;
}

static void destroy_twice(upres_upscaler* upscaler, upres_job** jobs) {
  int i;
  for (i = 0; i < JOBS; ++i) {
    upres_job_destroy(&jobs[i]);
    CHECK(jobs[i] == NULL);
    upres_job_destroy(&jobs[i]);
  }
  upres_upscaler_destroy(&upscaler);
  CHECK(upscaler == NULL);
  upres_upscaler_destroy(&upscaler);
}

/* Each job tells the loss once. */
static void test_errors(upres_upscaler* upscaler) {
  upres_job* jobs[JOBS] = {NULL, NULL, NULL};
  upres_error* error = NULL;
  upres_target target;
  int i;
  lose_device_after(0);
  for (i = 0; i < JOBS; ++i) {
    target = target_of(i);
    CHECK(upres_submit(upscaler, &input, &target, NULL, &jobs[i], NULL) == UPRES_OK);
  }
  for (i = 0; i < JOBS; ++i) {
    CHECK(upres_job_wait(jobs[i], &error) == UPRES_DEVICE);
    CHECK(strstr(upres_error_text(error), "LOST") != NULL || strstr(upres_error_text(error), "lost") != NULL);
    upres_error_destroy(&error);
    CHECK(upres_job_wait(jobs[i], NULL) == UPRES_USAGE && upres_job_is_done(jobs[i]));
  }
  target = target_of(0);
  CHECK(upres_upscale(upscaler, &input, &target, NULL, NULL) == UPRES_DEVICE);
  destroy_twice(upscaler, jobs);
}

/* The CPU takes over. */
static void test_fall_back(upres_upscaler* upscaler) {
  upres_job* jobs[JOBS] = {NULL, NULL, NULL};
  int i;
  lose_device_after(1);
  memset(output_pixels, 0, sizeof output_pixels);
  for (i = 0; i < JOBS; ++i) {
    const upres_target target = target_of(i);
    CHECK(upres_submit(upscaler, &input, &target, NULL, &jobs[i], NULL) == UPRES_OK);
  }
  for (i = 0; i < JOBS; ++i) {
    CHECK(upres_job_wait(jobs[i], NULL) == UPRES_OK);
    CHECK(output_pixels[i][100] != 0 &&
          memcmp(output_pixels[i], output_pixels[0], sizeof output_pixels[0]) == 0);
  }
  destroy_twice(upscaler, jobs);
}

/* What is in flight may be dropped, and the upscaler go first. */
static void test_dropped(upres_upscaler* upscaler) {
  upres_job* jobs[JOBS] = {NULL, NULL, NULL};
  int i;
  lose_device_after(2);
  for (i = 0; i < JOBS; ++i) {
    const upres_target target = target_of(i);
    CHECK(upres_submit(upscaler, &input, &target, NULL, &jobs[i], NULL) == UPRES_OK);
  }
  upres_job_destroy(&jobs[1]);
  upres_upscaler_destroy(&upscaler);
  CHECK(upres_job_is_done(jobs[0]) && upres_job_is_done(jobs[2]));
  destroy_twice(upscaler, jobs);
}

typedef void (*test)(upres_upscaler* upscaler);

int main(void) {
  const test tests[] = {test_errors, test_fall_back, test_dropped};
  size_t i;
  for (i = 0; i < sizeof input_pixels; ++i) input_pixels[i] = (unsigned char)(40 + i * i % 171);
  for (i = 0; i < sizeof tests / sizeof *tests; ++i) {
    upres_upscaler* upscaler = NULL;
    lose_device_after(-1);
    upscaler = open_upscaler(tests[i] != test_fall_back);
    if (upscaler == NULL) {
      if (getenv("UPRES_REQUIRE_DEVICE") != NULL) return 1;
      printf("EVERY TEST SKIPPED: llvmpipe is not there\n");
      return 0;
    }
    tests[i](upscaler);
  }
  if (failures == 0) printf("all right\n");
  return failures == 0 ? 0 : 1;
}
