// upres [upscale]: the main job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "base/display_name.h"
#include "batch.h"
#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "graph/extents.h"
#include "graph/picture.h"
#include "image/format.h"
#include "naming.h"
#include "options.h"
#include "plan/tiles.h"
#include "signals.h"
#include "upscale/model.h"
#include "upscale/scale.h"
#include "upscale/upscaler.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres photo.jpg                           photo_x2.jpg beside it
  upres photo.jpg -s 3 -o big.png           three times the size, as PNG
  upres photo.jpg -s 1920x1080              fits into 1920x1080, keeps the aspect
  upres photo.jpg -m my_x4.onnx             with a model of your own
  upres a.png b.png -o out                  out/a.png and out/b.png; out is made
  upres scans/ -o big/ --format webp        every picture directly in scans
  cat a.png | upres - > b.png               from and to a pipe
A file called like a subcommand is given as ./models.
)";

struct UpscaleOptions {
  ConsoleOptions console;
  ComputeOptions compute;
  std::vector<std::string> inputs;
  std::string output;  // empty: not given
  std::string scale;
  std::string model;
  std::optional<image::Format> format;
  int quality = 95;
  bool overwrite = false;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int64_t output_px(const BatchJob& job) { return int64_t{job.output.width_px} * job.output.height_px; }

// The models of a call: the one named, or for each input the smallest embedded one that enlarges enough.
class Models {
 public:
  static Result<Models> open(const std::string& name) {
    Models models;
    if (name.empty()) {
      auto embedded = upscale::list_embedded_models();
      if (!embedded) return propagate(embedded);
      if (embedded->empty())
        return fail(ErrorCode::usage, "this build has no embedded models; give one with -m FILE.onnx");
      models.embedded_ = std::move(*embedded);
    } else {
      auto model = upscale::open_picture_model(name);
      if (!model) return propagate(model);
      models.named_ = std::move(*model);
    }
    return models;
  }

  // The scale of the call: what was asked for, else the model's factor.
  [[nodiscard]] Result<upscale::Scale> scale(const std::string& text) const {
    if (text.empty())
      return upscale::Scale{named_ ? static_cast<double>(named_->kind.factor) : kDefaultScale, {}};
    auto scale = upscale::parse_scale(text);
    if (scale && !scale->box && scale->factor > largest_factor()) return too_large(text);
    return scale;
  }

  // The name given with -m; empty without.
  [[nodiscard]] std::string given_name() const { return named_ ? named_->model.name : ""; }

  [[nodiscard]] int largest_factor() const { return named_ ? named_->kind.factor : embedded_.back().factor; }

  // Why no model enlarges `input` to `output`.
  [[nodiscard]] tl::unexpected<Error> too_large(const Extent& input, const Extent& output) const {
    const double factor = std::max(static_cast<double>(output.width_px) / input.width_px,
                                   static_cast<double>(output.height_px) / input.height_px);
    return fail(ErrorCode::input,
                fmt::format("{}x{} is {:.2f} times its {}x{}, more than the {} {}", output.width_px,
                            output.height_px, std::ceil(factor * 100) / 100, input.width_px, input.height_px,
                            largest_factor(), what_is_largest()));
  }

  // The model for an enlargement of at least `factor`.
  [[nodiscard]] Result<upscale::PictureModel> for_factor(int factor) const {
    if (factor > largest_factor()) return too_large(std::to_string(factor));
    if (named_) return *named_;
    for (const upscale::EmbeddedModelInfo& info : embedded_) {
      if (info.factor >= factor) return upscale::open_picture_model(info.name);
    }
    return too_large(std::to_string(factor));
  }

 private:
  static constexpr double kDefaultScale = 2;

  [[nodiscard]] tl::unexpected<Error> too_large(const std::string& scale) const {
    return fail(ErrorCode::usage, "scale " + scale + " is more than the " + std::to_string(largest_factor()) +
                                      " " + what_is_largest());
  }

  [[nodiscard]] std::string what_is_largest() const {
    return std::string("that ") + (named_ ? "this model" : "the largest model") +
           " does in this version; ask for less, or enlarge twice";
  }

  std::optional<upscale::PictureModel> named_;
  std::vector<upscale::EmbeddedModelInfo> embedded_;  // by factor
};

// One call of the command, after its arguments are understood.
class Call {
 public:
  Call(const UpscaleOptions& options, Console& console) : options_(options), console_(console) {}

  int run() {
    auto prepared = prepare();
    if (!prepared) return report_failure(console_, prepared.error());
    const auto begin = std::chrono::steady_clock::now();
    report_refused();
    if (!batch_.jobs.empty()) console_.progress(0, batch_.total_px);
    for (const BatchJob& job : batch_.jobs) {
      if (is_cancelled()) break;
      process(job);
    }
    summarize(seconds_since(begin));
    device_->options().cache.trim();
    return is_cancelled() ? signal_exit_code() : exit_code_;
  }

 private:
  // Usage, model and device first: nothing is looked at before these are right.
  Status prepare() {
    auto models = Models::open(options_.model);
    if (!models) return propagate(models);
    models_ = std::move(*models);
    const auto scale = models_->scale(options_.scale);
    if (!scale) return tl::unexpected(scale.error());
    scale_ = *scale;
    const auto named = name_outputs(naming(), console_.log());
    if (!named) return tl::unexpected(named.error());
    if (auto checked = check_pipes(*named); !checked) return checked;
    auto device = open_device(options_.compute, console_);
    if (!device) return propagate(device);
    device_ = std::move(*device);
    batch_ = prepare_batch(*named, scale_, options_.overwrite);
    return start();
  }

  [[nodiscard]] NamingOptions naming() const {
    NamingOptions naming;
    naming.inputs = options_.inputs;
    if (!options_.output.empty()) naming.output = options_.output;
    naming.scale_suffix = upscale::scale_suffix(scale_);
    naming.format = options_.format;
    return naming;
  }

  [[nodiscard]] Status check_pipes(const NamedJobs& named) const {
    for (const NamedJob& job : named.jobs) {
      const bool has_pipe = job.input == kPipe || job.output == kPipe;
      if (has_pipe && console_.json())
        return fail(ErrorCode::usage, "pipes (-) and --json exclude each other");
      if (job.output == kPipe && ::isatty(STDOUT_FILENO) == 1) {
        return fail(ErrorCode::usage,
                    "the picture would go to the terminal; send standard output to a file or pipe");
      }
    }
    return {};
  }

  // Opens the upscalers of all jobs, so that what a model or device cannot do is found before any input. A
  // size that needs more than the largest factor is the fault of one input.
  Status start() {
    std::vector<BatchJob> jobs;
    std::optional<upscale::Precision> precision;
    if (options_.compute.precision != upscale::Precision::automatic) precision = options_.compute.precision;
    for (BatchJob& job : batch_.jobs) {
      if (is_cancelled()) return fail(ErrorCode::cancelled, "stopped");
      auto upscaler = upscaler_for(job);
      if (!upscaler && upscaler.error().code != ErrorCode::input) return propagate(upscaler);
      if (upscaler) {
        if (auto checked = check_tile(job, (*upscaler)->model()); !checked) return checked;
        precision = (*upscaler)->precision();
        jobs.push_back(std::move(job));
      } else {
        batch_.total_px -= output_px(job);
        batch_.failed.push_back({job.named.input, upscaler.error().in_context(shown_name(job.named.input))});
      }
    }
    batch_.jobs = std::move(jobs);
    announce(console_, "upscale", *device_, model_names(), precision);
    return {};
  }

  // --tile holds for the whole call, so one that leaves nothing between two overlaps is told once.
  [[nodiscard]] Status check_tile(const BatchJob& job, const upscale::PictureModel& model) const {
    if (!options_.compute.tile_px) return {};
    const Extent input{job.shape.width_px, job.shape.height_px};
    const int factor = model.kind.factor;
    graph::PictureOptions ends;
    ends.channels = job.shape.channels;
    ends.in_dtype = job.shape.dtype;
    if (job.output != Extent{input.width_px * factor, input.height_px * factor})
      ends.resize = {input, job.output};
    const auto graph = graph::attach_picture_ends(model.model.network, ends);
    if (!graph) return tl::unexpected(graph.error());
    const auto grid = plan::make_tiles(input, job.output, graph::receptive_field(*graph), factor,
                                       *options_.compute.tile_px);
    return grid ? Status() : tl::unexpected(in_tile_context(grid.error(), options_.compute));
  }

  [[nodiscard]] std::string model_names() const {
    std::string names = models_->given_name();
    if (!names.empty()) return names;
    for (const auto& [factor, upscaler] : upscalers_) {
      if (upscaler) names += (names.empty() ? "" : ",") + upscaler->model().model.name;
    }
    return names;
  }

  // One upscaler for each factor that is needed.
  Result<upscale::Upscaler*> upscaler_for(const BatchJob& job) {
    const Extent input{job.shape.width_px, job.shape.height_px};
    const int factor = upscale::needed_factor(input, job.output, scale_);
    if (factor > models_->largest_factor()) return models_->too_large(input, job.output);
    auto model = models_->for_factor(factor);
    if (!model) return propagate(model);
    auto& upscaler = upscalers_[model->kind.factor];
    if (upscaler) return upscaler.get();
    upscale::UpscalerOptions options;
    options.precision = options_.compute.precision;
    options.tile_px = options_.compute.tile_px;
    if (!options_.compute.no_tune) options.tune_s = std::max(0.0, upscale::kFirstUseS - tuned_s_);
    options.cancelled = is_cancelled;
    auto created = upscale::Upscaler::create(*device_, std::move(*model), options, console_.log());
    if (!created) return propagate(created);
    upscaler = std::make_unique<upscale::Upscaler>(std::move(*created));
    note_first_use(upscaler->first_use());
    return upscaler.get();
  }

  void note_first_use(const std::optional<upscale::FirstUse>& first_use) {
    if (!first_use) return;
    tuned_s_ += first_use->seconds;
    console_.note(fmt::format("tuned for {} in {:.1f} s; --no-tune leaves it out", device_->info().name,
                              first_use->seconds));
  }

  void report_refused() {
    for (const FailedJob& job : batch_.failed) fail_input(job.input, job.error);
  }

  void fail_input(const std::filesystem::path& input, const Error& error) {
    if (error.code == ErrorCode::cancelled) return;
    const int code = exit_code(error.code);
    exit_code_ = std::max(exit_code_, code);
    ++failed_;
    console_.event("failed", {{"input", input.native()}, {"code", code}, {"message", error.text()}});
    console_.error(error);
  }

  void process(const BatchJob& job) {
    const auto begin = std::chrono::steady_clock::now();
    if (auto done = enlarge(job); !done) return fail_input(job.named.input, done.error());
    ++done_;
    const double seconds = seconds_since(begin);
    console_.event("done", {{"input", job.named.input.native()},
                            {"output", job.named.output.native()},
                            {"seconds", seconds},
                            {"width", job.output.width_px},
                            {"height", job.output.height_px}});
    if (job.named.output == kPipe) return;
    console_.note(fmt::format("{} -> {} ({}x{} -> {}x{}, {:.2f} s)", shown_name(job.named.input),
                              display_name(job.named.output), job.shape.width_px, job.shape.height_px,
                              job.output.width_px, job.output.height_px, seconds));
  }

  Status enlarge(const BatchJob& job) {
    auto picture = read_input(job, console_.log());
    if (!picture) return propagate(picture);
    if (picture->image.shape != job.shape) {
      return fail(ErrorCode::input, shown_name(job.named.input) + ": changed while it was worked on");
    }
    auto upscaler = upscaler_for(job);
    if (!upscaler) return propagate(upscaler);
    if (image::file_dtype(job.named.format, job.shape.dtype) != job.shape.dtype) {
      console_.note(shown_name(job.named.input) + ": 16 bits a sample become the 8 that " +
                    std::string(image::name(job.named.format)) + " holds; PNG and TIFF keep 16");
    }
    auto result = (*upscaler)->process(picture->image.view(), process_options(job));
    if (!result) return propagate(result, shown_name(job.named.input));
    result->metadata = std::move(picture->image.metadata);
    auto written = write_output(job, *result, options_.quality, options_.overwrite, console_.log());
    done_px_ += output_px(job);
    return written;
  }

  upscale::ProcessOptions process_options(const BatchJob& job) {
    upscale::ProcessOptions options;
    options.output = job.output;
    options.out_dtype = image::file_dtype(job.named.format, job.shape.dtype);
    options.callbacks.cancelled = is_cancelled;
    options.callbacks.progress = [this](int64_t done_px, int64_t) {
      console_.progress(done_px_ + done_px, batch_.total_px);
    };
    return options;
  }

  void summarize(double seconds) {
    console_.event("summary", {{"done", done_}, {"skipped", 0}, {"failed", failed_}, {"seconds", seconds}});
    if (done_ + failed_ > 1)
      console_.note(fmt::format("{} done, {} failed, {:.1f} s", done_, failed_, seconds));
  }

  const UpscaleOptions& options_;
  Console& console_;
  std::optional<Models> models_;
  upscale::Scale scale_;
  std::optional<upscale::Device> device_;
  std::map<int, std::unique_ptr<upscale::Upscaler>> upscalers_;
  Batch batch_;
  int64_t done_px_ = 0;
  double tuned_s_ = 0;
  int done_ = 0;
  int failed_ = 0;
  int exit_code_ = kDone;
};

int run_upscale(const UpscaleOptions& options) {
  Console console(options.console);
  return Call(options, console).run();
}

std::string read_format(const std::string& text, std::optional<image::Format>& format) {
  format = image::format_from_text(text);
  return format ? "" : "'" + text + "' is none of jpeg, png, webp, tiff";
}

void add_output_options(Subcommand& command, UpscaleOptions& options) {
  command.add_text({"-o,--output", "OUT", "a file, a folder, or - for standard output (beside the input)"},
                   options.output);
  command.add_text(
      {"-s,--scale", "SCALE", "a number above 1, or WxH to fit into (the model's factor with -m, else 2)"},
      options.scale);
  add_model_option(command, options.model, "an ONNX file or an embedded model (see upres models)");
  command.add_read({"--format", "F", "jpeg, png, webp or tiff (from the name)"},
                   [&options](const std::string& text) { return read_format(text, options.format); });
  command.add_number({"--quality", "Q", "of JPEG and WebP", true}, {1, 100}, options.quality);
  command.add_flag("--overwrite", options.overwrite, "replace outputs that exist");
}

}  // namespace

void add_upscale(CLI::App& app, Action& action) {
  const auto options = std::make_shared<UpscaleOptions>();
  Subcommand command(app, "upscale", "Enlarge pictures; the word may be left out", kExamples);
  command.add_plain("INPUT", "pictures, folders, or - for standard input", options->inputs);
  add_output_options(command, *options);
  add_compute_options(command, options->compute, upscale::Precision::automatic);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_upscale(*options); });
}

}  // namespace upres::cli
