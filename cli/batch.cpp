#include "batch.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

#include "base/display_name.h"
#include "files.h"
#include "image/write.h"
#include "signals.h"

namespace upres::cli {
namespace {

namespace fs = std::filesystem;

// A file of the file system, whatever it is called.
using FileId = std::pair<dev_t, ino_t>;

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<FileId> file_id(const fs::path& path) {
  const auto status = status_of(path);
  return status ? std::optional<FileId>({status->st_dev, status->st_ino}) : std::nullopt;
}

tl::unexpected<Error> refused(const fs::path& input, const std::string& why) {
  return fail(ErrorCode::input, shown_name(input) + ": " + why);
}

Status check_existing(const fs::path& input, const fs::path& output, bool overwrite) {
  const std::string shown = display_name(output);
  struct stat status = {};
  if (::lstat(output.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return refused(input, shown + " cannot be written: " + std::generic_category().message(errno));
  }
  const auto target = status_of(output);
  if (target && !S_ISREG(target->st_mode)) {
    return refused(input,
                   shown + (S_ISDIR(target->st_mode) ? " is a folder"
                                                     : " is no regular file (-o - is standard output)"));
  }
  if (!overwrite) return refused(input, shown + " exists (--overwrite)");
  return {};
}

// For functions that make a name printable themselves.
std::string label_of(const fs::path& input) { return input == kPipe ? "standard input" : input.native(); }

class Preparation {
 public:
  Preparation(const NamedJobs& named, const upscale::Scale& scale, bool overwrite)
      : named_(named), scale_(scale), overwrite_(overwrite) {
    for (const NamedJob& job : named.jobs) {
      if (const auto id = file_id(job.input); id && job.input != kPipe) inputs_.insert(*id);
    }
  }

  Batch run() {
    batch_.failed = named_.failed;
    const Status folder = make_folder();
    for (const NamedJob& named : named_.jobs) {
      if (is_cancelled()) break;
      BatchJob job{named};
      auto checked = folder ? check(job) : refused_by_folder(named, folder.error());
      if (checked) {
        batch_.total_px += int64_t{job.output.width_px} * job.output.height_px;
        batch_.jobs.push_back(std::move(job));
      } else {
        batch_.failed.push_back({named.input, std::move(checked.error())});
      }
    }
    return std::move(batch_);
  }

 private:
  // The last component only: its parent must exist.
  Status make_folder() {
    if (!named_.output_folder || named_.jobs.empty()) return {};
    const fs::path& folder = *named_.output_folder;
    if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return {};
    return fail(ErrorCode::input, "the output folder " + display_name(folder) +
                                      " cannot be made: " + std::generic_category().message(errno));
  }

  static Status refused_by_folder(const NamedJob& named, const Error& error) {
    return refused(named.input, error.message);
  }

  Status check(BatchJob& job) {
    if (auto probed = probe(job); !probed) return probed;
    const auto output = upscale::output_extent({job.shape.width_px, job.shape.height_px}, scale_);
    if (!output) return tl::unexpected(output.error().in_context(shown_name(job.named.input)));
    job.output = *output;
    if (auto checked = check_output(job.named); !checked) return checked;
    ImageShape result = job.shape;
    result.width_px = output->width_px;
    result.height_px = output->height_px;
    auto can = image::can_write(result, job.named.format);
    if (!can) return propagate(can, shown_name(job.named.input));
    return {};
  }

  // Pipes can be read only once, so they are read here.
  static Status probe(BatchJob& job) {
    const fs::path& input = job.named.input;
    if (input != kPipe && !is_stream(input)) return keep_shape(job, image::probe(input));
    auto contents = input == kPipe ? read_standard_input(label_of(input)) : read_input_file(input);
    if (!contents) return propagate(contents);
    job.contents = std::move(*contents);
    return keep_shape(job, image::probe(*job.contents, label_of(input)));
  }

  static Status keep_shape(BatchJob& job, const Result<image::PictureInfo>& info) {
    if (!info) return tl::unexpected(info.error());
    job.shape = info->shape;
    return {};
  }

  Status check_output(const NamedJob& job) {
    if (job.output == kPipe) return {};
    if (const auto id = file_id(job.output); id && inputs_.count(*id) > 0) {
      return refused(job.input, file_id(job.input) == id
                                    ? "the output would be the input itself; choose another name with -o"
                                    : "the output " + display_name(job.output) + " is an input of this call");
    }
    if (const auto checked = check_output_folder(job.output); !checked)
      return refused(job.input, checked.error().message);
    return check_existing(job.input, job.output, overwrite_);
  }

  const NamedJobs& named_;
  const upscale::Scale& scale_;
  bool overwrite_;
  std::set<FileId> inputs_;
  Batch batch_;
};

Status write_to_standard_output(std::span<const std::byte> bytes) {
  const bool is_written =
      std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  if (is_written) return {};
  if (is_cancelled()) return fail(ErrorCode::cancelled, "stopped");
  return fail(ErrorCode::input,
              "standard output cannot be written: " + std::generic_category().message(errno));
}

// Messages of the encoder with the file's name in front.
Log with_name(const fs::path& output, const Log& log) {
  const std::string name = output == kPipe ? "standard output" : display_name(output);
  return Log([name, log](LogLevel level, std::string_view text) {
    const std::string line = name + ": " + std::string(text);
    if (level == LogLevel::warning) log.warning(line);
    if (level == LogLevel::info) log.info(line);
  });
}

}  // namespace

std::string shown_name(const fs::path& input) {
  return input == kPipe ? "standard input" : display_name(input);
}

Batch prepare_batch(const NamedJobs& named, const upscale::Scale& scale, bool overwrite) {
  return Preparation(named, scale, overwrite).run();
}

Result<image::Picture> read_input(const BatchJob& job, const Log& log) {
  if (job.contents) return image::read(*job.contents, label_of(job.named.input), log);
  return image::read(job.named.input, log);
}

Status write_output(const BatchJob& job, const Image& result, int quality, bool overwrite, const Log& log) {
  const auto bytes = image::encode(result.view(), result.metadata, job.named.format, {quality},
                                   with_name(job.named.output, log));
  if (!bytes) return tl::unexpected(bytes.error().in_context(shown_name(job.named.input)));
  if (is_cancelled()) return fail(ErrorCode::cancelled, "stopped");
  if (job.named.output == kPipe) return write_to_standard_output(*bytes);
  return write_output_file(job.named.output, *bytes, overwrite ? IfExists::replace : IfExists::fail);
}

}  // namespace upres::cli
