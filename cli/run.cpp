// upres run: raw tensors through a model.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/display_name.h"
#include "base/half.h"
#include "commands.h"
#include "compute.h"
#include "console.h"
#include "exit_code.h"
#include "files.h"
#include "graph/extents.h"
#include "npy.h"
#include "options.h"
#include "signals.h"
#include "upscale/model.h"
#include "upscale/tensor_run.h"

namespace upres::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  upres run espcn_x3 luma.npy -o result.npy       one input, one output
  upres run net.onnx a.npy b.npy -o sum=s.npy -o difference=d.npy
Arrays are [batch, channels, height, width] of the model's type (f4 or f2), inputs in the graph's order.
)";

namespace fs = std::filesystem;

struct RunOptions {
  ConsoleOptions console;
  ComputeOptions compute;
  std::vector<std::string> arguments;  // the model, then its inputs
  std::vector<std::string> outputs;    // FILE or NAME=FILE
  bool overwrite = false;
};

// Which output of the model goes to which file.
struct Target {
  size_t output = 0;
  fs::path file;
};

std::string shown(const fs::path& path) { return display_name(path); }

std::string names_of(const std::vector<onnx::Port>& ports) {
  std::string names;
  for (const onnx::Port& port : ports) names += fmt::format(" {}", display_name(port.name));
  return names;
}

std::optional<Target> named_target(const upscale::Model& model, const std::string& text) {
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const std::string prefix = model.outputs[i].name + "=";
    if (text.starts_with(prefix)) return Target{i, text.substr(prefix.size())};
  }
  return std::nullopt;
}

Result<std::vector<Target>> targets_of(const upscale::Model& model, const std::vector<std::string>& texts) {
  if (texts.empty()) return fail(ErrorCode::usage, "run needs -o OUT.npy");
  std::vector<Target> targets;
  for (const std::string& text : texts) {
    auto target = named_target(model, text);
    if (!target && model.outputs.size() == 1 && texts.size() == 1) target = Target{0, text};
    if (!target || target->file.empty()) {
      return fail(ErrorCode::usage, fmt::format("-o {}: say -o NAME=FILE with one of the outputs:{}",
                                                display_name(text), names_of(model.outputs)));
    }
    for (const Target& other : targets) {
      if (other.file == target->file)
        return fail(ErrorCode::usage, shown(other.file) + " would be written twice");
    }
    targets.push_back(std::move(*target));
  }
  return targets;
}

Status check_target(const fs::path& file, const std::vector<std::string>& inputs, bool overwrite) {
  std::error_code error;
  if (auto folder = check_output_folder(file); !folder) return propagate(folder, shown(file));
  if (!fs::exists(fs::symlink_status(file, error))) return {};
  for (const std::string& input : inputs) {
    if (fs::equivalent(file, input, error))
      return fail(ErrorCode::input, shown(file) + ": the output would be an input itself");
  }
  if (!fs::is_regular_file(file, error)) return fail(ErrorCode::input, shown(file) + " is no regular file");
  if (!overwrite) return fail(ErrorCode::input, shown(file) + " exists (--overwrite)");
  return {};
}

tl::unexpected<Error> wrong_tensor(const onnx::Port& port, const std::string& file, const std::string& what) {
  return fail(ErrorCode::model,
              fmt::format("input {} from {}: {}", display_name(port.name), shown(file), what));
}

// Reads one input and checks it against what the model declares.
Result<NpyArray> read_input(const upscale::Model& model, size_t index, const std::string& file) {
  auto array = read_npy(file);
  if (!array) return array;
  const onnx::Port& port = model.inputs[index];
  const int channels = model.network.value(model.network.inputs()[index]).type.channels;
  if (array->dtype != port.dtype) {
    return wrong_tensor(
        port, file, fmt::format("its type is {}, the model wants {}", name(array->dtype), name(port.dtype)));
  }
  constexpr int64_t kMaxSide = 1 << 30;
  const auto& shape = array->shape;
  const bool fits = shape.size() == 4 && shape[0] >= 1 && shape[1] == channels && shape[2] >= 1 &&
                    shape[3] >= 1 && shape[2] <= kMaxSide && shape[3] <= kMaxSide;
  if (!fits) {
    return wrong_tensor(port, file,
                        fmt::format("its shape is {}, the model wants (batch, {}, height, width)",
                                    shape_text(shape), channels));
  }
  return array;
}

Status check_count(const upscale::Model& model, const std::vector<std::string>& files) {
  if (files.size() != model.inputs.size()) {
    const bool is_missing = files.size() < model.inputs.size();
    return fail(is_missing ? ErrorCode::model : ErrorCode::usage,
                fmt::format("{} wants {} inputs:{}; {} files were given", display_name(model.name),
                            model.inputs.size(), names_of(model.inputs), files.size()));
  }
  return {};
}

Result<std::vector<NpyArray>> read_inputs(const upscale::Model& model,
                                          const std::vector<std::string>& files) {
  std::vector<NpyArray> arrays;
  for (size_t i = 0; i < files.size(); ++i) {
    auto array = read_input(model, i, files[i]);
    if (!array) return propagate(array);
    if (array->shape[0] != (arrays.empty() ? array->shape[0] : arrays.front().shape[0])) {
      return wrong_tensor(model.inputs[i], files[i], "its batch differs from that of the first input");
    }
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

// Item `item` of a batch as the f32 tensor that sessions take.
Tensor tensor_of(const NpyArray& array, int64_t item) {
  Tensor tensor({DType::f32, Layout::planar, static_cast<int>(array.shape[1])},
                {static_cast<int>(array.shape[3]), static_cast<int>(array.shape[2])});
  auto samples = tensor.as<float>();
  const size_t begin = static_cast<size_t>(item) * samples.size() * size_bytes(array.dtype);
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::byte* at = array.bytes.data() + begin + i * size_bytes(array.dtype);
    if (array.dtype == DType::f16) {
      uint16_t half = 0;
      std::memcpy(&half, at, sizeof half);
      samples[i] = half_to_float(half);
    } else {
      std::memcpy(&samples[i], at, sizeof samples[i]);
    }
  }
  return tensor;
}

// Appends one item to a batch of the model's type.
void append(NpyArray& array, const Tensor& tensor) {
  array.shape = {array.shape.empty() ? 1 : array.shape[0] + 1, tensor.type.channels, tensor.extent.height_px,
                 tensor.extent.width_px};
  for (const float sample : tensor.as<float>()) {
    const uint16_t half = float_to_half(sample);
    const std::span<const std::byte> bytes =
        array.dtype == DType::f16 ? std::as_bytes(std::span(&half, 1)) : std::as_bytes(std::span(&sample, 1));
    array.bytes.insert(array.bytes.end(), bytes.begin(), bytes.end());
  }
}

Status stopped() { return fail(ErrorCode::cancelled, "stopped"); }

// The CPU computes any window at the same pace, and between two of them it can be stopped.
std::optional<int> window_px(const upscale::Device& device, const graph::Graph& network,
                             const std::optional<int>& wanted) {
  constexpr int kCpuWindow_px = 512;
  if (wanted || !device.is_cpu()) return wanted;
  const graph::Halo halo = graph::receptive_field(network);
  // Where the network sees far, most of a small window would be overlap.
  return std::max(kCpuWindow_px, 4 * std::max(halo.left_px + halo.right_px, halo.top_px + halo.bottom_px));
}

Result<std::vector<NpyArray>> compute(const upscale::Device& device, const upscale::Model& model,
                                      upscale::Precision precision, const std::vector<NpyArray>& inputs,
                                      const RunOptions& options) {
  auto runner = upscale::TensorRunner::create(device, model, precision,
                                              window_px(device, model.network, options.compute.tile_px));
  if (!runner) return propagate(runner);
  std::vector<NpyArray> outputs;
  for (const onnx::Port& port : model.outputs) outputs.push_back({port.dtype, {}, {}});
  for (int64_t item = 0; item < inputs.front().shape[0]; ++item) {
    std::vector<Tensor> tensors;
    for (const NpyArray& array : inputs) tensors.push_back(tensor_of(array, item));
    const auto results = runner->run(tensors, {{}, is_cancelled});
    if (!results) return tl::unexpected(in_tile_context(results.error(), options.compute));
    if (is_cancelled()) return tl::unexpected(stopped().error());
    for (size_t i = 0; i < outputs.size(); ++i) append(outputs[i], (*results)[i]);
  }
  return outputs;
}

// One call, after its arguments are understood.
class Run {
 public:
  Run(const RunOptions& options, std::vector<std::string> files, Console& console)
      : options_(options), files_(std::move(files)), console_(console) {}

  int run(const std::string& model_name) {
    const auto begin = std::chrono::steady_clock::now();
    auto done = prepare(model_name);
    const bool is_started = done.has_value();
    if (done) done = compute_and_write(begin);
    const int code = done ? kDone : report_failure(console_, done.error());
    if (is_started) {
      console_.event("summary", {{"done", done ? 1 : 0},
                                 {"skipped", 0},
                                 {"failed", done || is_cancelled() ? 0 : 1},
                                 {"seconds", seconds_since(begin)}});
    }
    return code;
  }

 private:
  static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  // Everything that can be known before a file is read.
  Status prepare(const std::string& model_name) {
    auto model = upscale::open_model(model_name);
    if (!model) return propagate(model);
    model_ = std::move(*model);
    auto targets = targets_of(*model_, options_.outputs);
    if (!targets) return propagate(targets);
    targets_ = std::move(*targets);
    if (auto checked = check_count(*model_, files_); !checked) return checked;
    auto device = open_device(options_.compute, console_);
    if (!device) return propagate(device);
    device_ = std::move(*device);
    auto precision = device_->resolve(options_.compute.precision, model_->network);
    if (!precision) return propagate(precision);
    precision_ = *precision;
    announce(console_, "run", *device_, model_->name, precision_);
    return {};
  }

  Status compute_and_write(std::chrono::steady_clock::time_point begin) {
    for (const Target& target : targets_) {
      if (auto checked = check_target(target.file, files_, options_.overwrite); !checked) return checked;
    }
    const auto inputs = read_inputs(*model_, files_);
    if (!inputs) return tl::unexpected(inputs.error());
    const auto outputs = compute(*device_, *model_, precision_, *inputs, options_);
    if (!outputs) return tl::unexpected(outputs.error());
    for (const Target& target : targets_) {
      if (auto written = write(target, (*outputs)[target.output], begin); !written) return written;
    }
    device_->options().cache.trim();
    return {};
  }

  Status write(const Target& target, const NpyArray& array, std::chrono::steady_clock::time_point begin) {
    const auto if_exists = options_.overwrite ? IfExists::replace : IfExists::fail;
    if (auto written = write_npy(target.file, array, if_exists); !written) return written;
    const double seconds = seconds_since(begin);
    console_.event("done", {{"input", files_.front()},
                            {"output", target.file.native()},
                            {"seconds", seconds},
                            {"width", array.shape[3]},
                            {"height", array.shape[2]}});
    console_.detail(fmt::format("{} {} in {:.3f} s", shown(target.file), shape_text(array.shape), seconds));
    return {};
  }

  const RunOptions& options_;
  const std::vector<std::string> files_;
  Console& console_;
  std::optional<upscale::Model> model_;
  std::vector<Target> targets_;
  std::optional<upscale::Device> device_;
  upscale::Precision precision_ = upscale::Precision::fp32;
};

int run_run(const RunOptions& options) {
  const std::vector<std::string>& arguments = options.arguments;
  Console console(options.console);
  if (arguments.size() < 2) {
    return report_failure(console,
                          {ErrorCode::usage, "run needs a model and its inputs; see upres run --help"});
  }
  const std::vector<std::string> files(arguments.begin() + 1, arguments.end());
  return Run(options, files, console).run(arguments.front());
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  Subcommand command(app, "run", "Run raw tensors (.npy) through a model", kExamples);
  command.add_plain("MODEL IN.npy", "the model, then its inputs", options->arguments);
  command.add_list({"-o,--output", "OUT.npy", "the output's file; with several outputs NAME=FILE, repeated"},
                   options->outputs);
  command.add_flag("--overwrite", options->overwrite, "replace outputs that exist");
  add_compute_options(command, options->compute, upscale::Precision::fp32);
  add_console_options(command, options->console);
  command.sets(action, [options] { return run_run(*options); });
}

}  // namespace upres::cli
