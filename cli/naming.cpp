#include "naming.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <system_error>

#include "base/display_name.h"
#include "image/picture.h"

namespace upres::cli {
namespace {

namespace fs = std::filesystem;

// Extensions of pictures that upres does not write: an output of such a name is a file, and an error.
constexpr std::array<std::string_view, 22> kForeignExtensions = {
    ".apng", ".arw", ".avif", ".bmp", ".cr2", ".dng", ".exr", ".gif", ".hdr", ".heic", ".heif",
    ".ico",  ".j2k", ".jp2",  ".jxl", ".nef", ".pbm", ".pgm", ".pnm", ".ppm", ".svg",  ".tga"};

enum class Destination { beside_input, folder, file, standard_output };

struct InputFile {
  fs::path path;
  bool is_from_folder = false;
};

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().native();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

tl::unexpected<Error> wrong(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

// A file that upres reads, by its extension, or by its content where the extension says nothing.
bool is_readable(const fs::path& path) {
  if (image::format_from_name(path)) return true;
  return !has_picture_extension(path) && image::probe(path).has_value();
}

void log_ignored(const fs::path& path, const Log& log) {
  const std::string text = "ignored " + display_name(path);
  if (is_folder(path)) {
    log.info(text + ": a folder");
  } else if (has_picture_extension(path) && !image::format_from_name(path)) {
    log.warning(text + ": a format that upres does not read");
  } else {
    log.info(text + ": no picture");
  }
}

struct Inputs {
  std::vector<InputFile> files;
  std::vector<FailedJob> failed;
};

// Whether the entry is to be taken; one whose kind cannot be told is, by its name, so that the failure shows.
bool is_picture_entry(const fs::directory_entry& entry) {
  const fs::path& path = entry.path();
  if (path.filename().native().starts_with('.')) return false;
  std::error_code error;
  if (entry.is_regular_file(error)) return is_readable(path);
  return error == std::errc::permission_denied && image::format_from_name(path).has_value();
}

// Hidden files are not listed: other programs' temporaries are among them, and ours.
void add_folder(const fs::path& folder, Inputs& inputs, const Log& log) {
  std::vector<InputFile> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_picture_entry(*it)) {
      files.push_back({it->path(), true});
    } else {
      log_ignored(it->path(), log);
    }
  }
  const std::string shown = display_name(folder);
  if (error) {
    inputs.failed.push_back(
        {folder, {ErrorCode::input, "cannot list folder " + shown + ": " + error.message(), {}}});
  } else if (files.empty()) {
    log.warning("folder " + shown + " holds no pictures that upres reads");
  }
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.path < b.path; });
  inputs.files.insert(inputs.files.end(), files.begin(), files.end());
}

Inputs expand(const std::vector<std::string>& names, const Log& log) {
  Inputs inputs;
  for (const std::string& name : names) {
    if (name.empty()) {
      inputs.failed.push_back({"", {ErrorCode::input, "an input has an empty name", {}}});
    } else if (name != kPipe && is_folder(name)) {
      add_folder(name, inputs, log);
    } else {
      inputs.files.push_back({name, false});
    }
  }
  return inputs;
}

bool names_folder(const std::string& output, bool is_batch) {
  return is_folder(output) || output.ends_with('/') || (is_batch && !has_picture_extension(output));
}

Result<Destination> destination_of(const NamingOptions& options) {
  const auto& inputs = options.inputs;
  const bool has_pipe = std::find(inputs.begin(), inputs.end(), kPipe) != inputs.end();
  const bool is_batch =
      inputs.size() > 1 || std::any_of(inputs.begin(), inputs.end(), [](const std::string& input) {
        return input != kPipe && is_folder(input);
      });
  if (has_pipe && is_batch) return wrong("standard input (-) cannot be one of several inputs; give it alone");
  if (!options.output) return has_pipe ? Destination::standard_output : Destination::beside_input;
  if (*options.output == kPipe) {
    if (is_batch) return wrong("several inputs cannot go to standard output (-o -); give a folder");
    return Destination::standard_output;
  }
  if (options.output->empty()) return wrong("-o needs a name");
  if (names_folder(*options.output, is_batch)) {
    if (has_pipe) return wrong("standard input has no name to keep in a folder; give -o a file name");
    return Destination::folder;
  }
  if (is_batch) {
    return wrong("several inputs cannot become the one file " + display_name(fs::path(*options.output)) +
                 "; give a folder");
  }
  return Destination::file;
}

// The format of a file that keeps its name: by its extension, else by its content, else PNG.
image::Format own_format(const fs::path& input) {
  if (const auto format = image::format_from_name(input)) return *format;
  std::error_code ignored;
  if (!fs::is_regular_file(input, ignored)) return image::Format::png;
  const auto info = image::probe(input);
  return info ? info->format : image::Format::png;
}

// Extension for a result in `format` that is called after `input`.
std::string kept_extension(const fs::path& input, image::Format format) {
  return image::format_from_name(input) == format ? input.extension().native()
                                                  : std::string(image::extension(format));
}

NamedJob named_after(const fs::path& input, const fs::path& folder, const std::string& suffix,
                     std::optional<image::Format> wanted) {
  const image::Format format = wanted ? *wanted : own_format(input);
  const fs::path name = input.stem().native() + suffix + kept_extension(input, format);
  return {input, folder / name, format};
}

Result<NamedJob> into_file(const fs::path& input, const fs::path& output,
                           std::optional<image::Format> wanted) {
  const auto by_name = image::format_from_name(output);
  const std::string shown = display_name(output);
  if (wanted && by_name && *wanted != *by_name) {
    return wrong(shown + " is the name of a " + std::string(image::name(*by_name)) +
                 " file, but --format says " + std::string(image::name(*wanted)) + "; change one of them");
  }
  if (wanted && !by_name && has_picture_extension(output)) {
    return wrong(shown + " is the name of another kind of picture, but --format says " +
                 std::string(image::name(*wanted)) + "; change one of them");
  }
  if (!wanted && !by_name) {
    return wrong(shown +
                 ": its extension is none of .jpg .jpeg .png .webp .tif .tiff; change it, or say --format");
  }
  return NamedJob{input, output, wanted ? *wanted : *by_name};
}

// What two paths of one file have in common: the real folder and the name.
std::string identity(const fs::path& path) {
  std::error_code error;
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  const fs::path real = fs::weakly_canonical(folder, error);
  return ((error ? folder : real) / path.filename()).lexically_normal().native();
}

Status check_unique(const std::vector<NamedJob>& jobs) {
  std::map<std::string, const NamedJob*> seen;
  for (const NamedJob& job : jobs) {
    const auto [first, is_new] = seen.emplace(identity(job.output), &job);
    if (!is_new) {
      return wrong(display_name(first->second->input) + " and " + display_name(job.input) +
                   " would both become " + display_name(job.output) + "; process them in separate calls");
    }
  }
  return {};
}

fs::path without_trailing_slashes(std::string text) {
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

Result<NamedJob> name_one(const InputFile& file, Destination destination, const NamingOptions& options,
                          const std::optional<fs::path>& folder) {
  switch (destination) {
    case Destination::standard_output:
      return NamedJob{file.path, kPipe, options.format.value_or(image::Format::png)};
    case Destination::file:
      return into_file(file.path, *options.output, options.format);
    case Destination::folder:
      return named_after(file.path, *folder, "", options.format);
    case Destination::beside_input:
      break;
  }
  return named_after(file.path, file.path.parent_path(), options.scale_suffix, options.format);
}

}  // namespace

bool has_picture_extension(const fs::path& path) {
  return image::format_from_name(path).has_value() ||
         std::find(kForeignExtensions.begin(), kForeignExtensions.end(), lower_extension(path)) !=
             kForeignExtensions.end();
}

Result<NamedJobs> name_outputs(const NamingOptions& options, const Log& log) {
  if (options.inputs.empty()) return wrong("no inputs; name a picture, a folder, or - for standard input");
  const auto destination = destination_of(options);
  if (!destination) return tl::unexpected(destination.error());
  NamedJobs named;
  if (*destination == Destination::folder) named.output_folder = without_trailing_slashes(*options.output);
  Inputs inputs = expand(options.inputs, log);
  named.failed = std::move(inputs.failed);
  for (const InputFile& file : inputs.files) {
    auto job = name_one(file, *destination, options, named.output_folder);
    if (!job) return propagate(job);
    named.jobs.push_back(std::move(*job));
  }
  if (auto unique = check_unique(named.jobs); !unique) return propagate(unique);
  return named;
}

}  // namespace upres::cli
