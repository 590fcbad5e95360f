/* Loads a library, uses it and lets it go, several times: dlopen LIBUPRES LIBVKC. */
#include <dlfcn.h>
#include <stdio.h>
#include <upres/upres.h>

/* POSIX turns what dlsym gives into a function this way. */
#define LOAD(library, name) (*(void**)(&name) = dlsym(library, "upres_" #name))

static int use(const char* path) {
  static unsigned char from[64 * 64 * 3], to[128 * 128 * 3];
  const upres_picture input = {from, 64, 64, 3, UPRES_U8, 0};
  const upres_target output = {to, 128, 128, 3, UPRES_U8, 0};
  upres_status (*upscaler_open)(const char*, const char*, upres_upscaler**, upres_error**);
  upres_status (*upscale)(upres_upscaler*, const upres_picture*, const upres_target*, const upres_callbacks*,
                          upres_error**);
  upres_status (*submit_file)(upres_upscaler*, const char*, const char*, const upres_file_options*,
                              const upres_callbacks*, upres_job**, upres_error**);
  upres_status (*job_wait)(upres_job*, upres_error**);
  void (*job_destroy)(upres_job**);
  void (*upscaler_destroy)(upres_upscaler**);
  upres_upscaler* upscaler = NULL;
  upres_job* job = NULL;
  int ok = 0;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 0;
  LOAD(library, upscaler_open);
  LOAD(library, upscale);
  LOAD(library, submit_file);
  LOAD(library, job_wait);
  LOAD(library, job_destroy);
  LOAD(library, upscaler_destroy);
  ok = upscaler_open("espcn_x2", "cpu", &upscaler, NULL) == UPRES_OK &&
       upscale(upscaler, &input, &output, NULL, NULL) == UPRES_OK &&
       submit_file(upscaler, "no/such.png", "out.png", NULL, NULL, &job, NULL) == UPRES_OK &&
       job_wait(job, NULL) == UPRES_INPUT;
  job_destroy(&job);
  upscaler_destroy(&upscaler);
  return dlclose(library) == 0 && ok;
}

int main(int argc, char** argv) {
  int i;
  if (argc != 3) return 2;
  for (i = 0; i < 3; ++i) {
    void* vkc = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (vkc == NULL || dlclose(vkc) != 0) return fprintf(stderr, "libvkc: round %d\n", i), 1;
    if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) != NULL) return fprintf(stderr, "libvkc is still there\n"), 1;
  }
  for (i = 0; i < 3; ++i) {
    if (!use(argv[1])) return fprintf(stderr, "libupres: round %d\n", i), 1;
  }
  puts("loaded and unloaded");
  return 0;
}
