// Which file each input becomes. Nothing is read but folders and what is needed to tell a name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "image/format.h"

namespace upres::cli {

inline constexpr std::string_view kPipe = "-";  // standard input or output

struct NamingOptions {
  std::vector<std::string> inputs;           // files, folders, or "-"
  std::optional<std::string> output;         // -o
  std::string scale_suffix = "_x2";          // in names beside the input (upscale::scale_suffix)
  std::optional<image::Format> format = {};  // --format
};

// One input and where its result goes; both may be kPipe.
struct NamedJob {
  std::filesystem::path input;
  std::filesystem::path output;
  image::Format format = image::Format::png;
};

// An input that cannot be worked on, with why: what happened, to what.
struct FailedJob {
  std::filesystem::path input;
  Error error;
};

struct NamedJobs {
  std::vector<NamedJob> jobs;
  std::vector<FailedJob> failed;                       // folders that cannot be listed, empty names
  std::optional<std::filesystem::path> output_folder;  // to be made if it is missing
};

// Contract, "Outputs". Folders stand for the pictures directly in them, in the order of their names; what
// else they hold is logged (info; warning for pictures that upres does not read, and where a folder has none
// that it does). Errors: usage: no inputs;
// several inputs for one file; pipes where a name is needed; an output whose extension is no format, or
// contradicts --format.
Result<NamedJobs> name_outputs(const NamingOptions& options, const Log& log = {});

// Whether the name ends like a picture's, also of formats that upres does not write.
bool has_picture_extension(const std::filesystem::path& path);

}  // namespace upres::cli
