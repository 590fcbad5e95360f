// The CPU device as a server for compare_peers.py: makes one model ready and runs it once for each line on
// standard input.
//
//   bench_cpu_network MODEL.onnx WIDTHxHEIGHT fp32|bf16 THREADS [BAND_ROWS]
//
// Lines: "network" (planar f32 in, planar f32 out, pixel shuffle included), "picture" (interleaved 8-bit RGB
// in and out), "layers" (milliseconds of each step of the last run), "describe". Answers are one JSON object
// a line.
#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "graph/extents.h"
#include "graph/passes/passes.h"
#include "graph/picture.h"
#include "onnx/import.h"
#include "session/cpu/cpu_info.h"
#include "session/cpu/cpu_session.h"

namespace {

using namespace upres;

struct Arguments {
  std::string model;
  Extent size;
  session::CpuOptions options;
};

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<Arguments> parse(int argc, char** argv) {
  if (argc < 5) {
    return fail(ErrorCode::usage, "bench_cpu_network MODEL.onnx WIDTHxHEIGHT fp32|bf16 THREADS [BAND_ROWS]");
  }
  Arguments arguments;
  arguments.model = argv[1];
  const std::string_view size = argv[2];
  const size_t cross = size.find('x');
  if (cross == size.npos) return fail(ErrorCode::usage, "a size is WIDTHxHEIGHT, such as 1280x720");
  arguments.size = {number(size.substr(0, cross)), number(size.substr(cross + 1))};
  if (std::string_view(argv[3]) == "bf16") arguments.options.precision = session::CpuPrecision::bf16;
  arguments.options.threads = number(argv[4]);
  if (argc > 5) arguments.options.band_rows = number(argv[5]);
  return arguments;
}

double processor_time_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// A graph with a session, an input of noise and room for the output.
struct Runner {
  std::unique_ptr<session::CpuSession> session;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  session::JobReport last;
  double processor_ms = 0;  // of all threads in the last run

  static Result<Runner> create(graph::Graph graph, const Arguments& arguments) {
    Runner runner;
    auto session = session::CpuSession::create(graph, arguments.options, Log());
    if (!session) return propagate(session);
    runner.session = std::move(*session);
    auto extents = graph::infer_extents(graph, std::vector<Extent>{arguments.size});
    if (!extents) return propagate(extents);
    for (const graph::ValueId id : graph.inputs())
      runner.inputs.push_back(noise(graph.value(id).type, (*extents)[id]));
    for (const graph::ValueId id : graph.outputs())
      runner.outputs.emplace_back(graph.value(id).type, (*extents)[id]);
    return runner;
  }

  static Tensor noise(const TensorType& type, const Extent& extent) {
    Tensor tensor(type, extent);
    std::mt19937 random(1);
    if (type.dtype == DType::f32) {
      std::uniform_real_distribution<float> value(0, 1);
      for (float& sample : tensor.as<float>()) sample = value(random);
    } else {
      for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(random());
    }
    return tensor;
  }

  Result<double> run() {
    session::Job job;
    for (const Tensor& input : inputs) job.inputs.push_back(input.view());
    for (Tensor& output : outputs) job.outputs.push_back(output.view());
    const double before = processor_time_ms();
    auto report = session->run(job);
    processor_ms = processor_time_ms() - before;
    if (!report) return propagate(report);
    last = std::move(*report);
    return last.total_ms;
  }
};

Result<graph::Graph> load(const std::string& path) {
  auto model = onnx::import_file(path);
  if (!model) return propagate(model);
  if (auto status = graph::simplify(model->graph); !status) return propagate(status);
  return model->graph;
}

int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

nlohmann::json layers(const session::JobReport& report) {
  nlohmann::json all = nlohmann::json::array();
  for (const session::StepTime& step : report.steps) {
    const double gflops = step.device_ms > 0 ? static_cast<double>(step.flops) / step.device_ms / 1e6 : 0;
    all.push_back({{"name", step.node}, {"kernel", step.kernel}, {"ms", step.device_ms}, {"gflops", gflops}});
  }
  return all;
}

Status serve(const Arguments& arguments) {
  auto network = load(arguments.model);
  if (!network) return propagate(network);
  auto picture = graph::attach_picture_ends(*network, {});
  if (!picture) return propagate(picture);
  auto network_runner = Runner::create(*network, arguments);
  if (!network_runner) return propagate(network_runner);
  auto picture_runner = Runner::create(*picture, arguments);
  if (!picture_runner) return propagate(picture_runner);
  const session::CpuInfo cpu = session::cpu_info();
  std::cout << nlohmann::json{{"device", cpu.name}, {"library", cpu.library}, {"isa", cpu.isa}} << std::endl;
  Runner* last = &*network_runner;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "layers") {
      std::cout << layers(last->last) << std::endl;
      continue;
    }
    if (line == "describe") {
      auto text = last->session->describe(std::vector<Extent>{arguments.size}, {});
      std::cout << nlohmann::json(text ? *text : text.error().text()) << std::endl;
      continue;
    }
    last = line == "picture" ? &*picture_runner : &*network_runner;
    auto ms = last->run();
    if (!ms) return propagate(ms);
    std::cout << nlohmann::json{{"ms", *ms},
                                {"processor_ms", last->processor_ms},
                                {"peak_rss_bytes", peak_rss_bytes()}}
              << std::endl;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  auto arguments = parse(argc, argv);
  const Status status = arguments ? serve(*arguments) : Status(tl::unexpected(arguments.error()));
  if (status) return 0;
  std::fprintf(stderr, "bench_cpu_network: %s\n", status.error().text().c_str());
  return status.error().code == ErrorCode::usage ? 2 : 1;
}
