// Everything about a call's inputs that can be known before any pixel is computed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/image.h"
#include "base/log.h"
#include "image/picture.h"
#include "naming.h"
#include "upscale/scale.h"

namespace upres::cli {

// An input that can be worked on.
struct BatchJob {
  NamedJob named;
  std::optional<std::vector<std::byte>> contents = {};  // of a pipe, read already
  ImageShape shape = {};                                // of the input
  Extent output = {};
};

struct Batch {
  std::vector<BatchJob> jobs;
  std::vector<FailedJob> failed;
  int64_t total_px = 0;  // of all outputs
};

// Looks at inputs and outputs: what the input is, how large the result becomes, whether the output may be
// written: it exists and `overwrite` is off, is an input of this call, its folder is missing or not writable,
// its format cannot hold it. Makes the output folder if that is missing and anything is to be put there.
// Reads pipes. After a signal it looks no further.
Batch prepare_batch(const NamedJobs& named, const upscale::Scale& scale, bool overwrite);

// The picture of a job. Errors: input.
Result<image::Picture> read_input(const BatchJob& job, const Log& log);

// Writes the result; nothing is left of a file that could not be finished, or after a signal.
// Errors: input, cancelled.
Status write_output(const BatchJob& job, const Image& result, int quality, bool overwrite, const Log& log);

// How an input is called in messages: its name, or "standard input".
std::string shown_name(const std::filesystem::path& input);

}  // namespace upres::cli
