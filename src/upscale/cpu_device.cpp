#include "upscale/cpu_device.h"

#include "upscale/devices.h"

#ifdef UPRES_WITH_CPU
#include "session/cpu/cpu_info.h"
#include "session/cpu/cpu_session.h"
#endif

namespace upres::upscale {

#ifdef UPRES_WITH_CPU

DeviceEntry cpu_entry(int index) {
  const session::CpuInfo cpu = session::cpu_info();
  DeviceEntry entry;
  entry.index = index;
  entry.info.name = cpu.name;
  entry.info.kind = kCpuKind;
  entry.info.driver = cpu.library + ", " + cpu.isa;
  return entry;
}

bool cpu_has_bf16() { return session::cpu_info().bf16; }

std::string cpu_library() { return session::cpu_info().library; }

Result<std::unique_ptr<session::Session>> make_cpu_session(const graph::Graph& graph, Precision precision,
                                                           int threads, const Log& log) {
  session::CpuOptions options;
  options.precision =
      precision == Precision::bf16 ? session::CpuPrecision::bf16 : session::CpuPrecision::fp32;
  options.threads = threads;
  auto session = session::CpuSession::create(graph, options, log);
  if (!session) return propagate(session);
  return std::unique_ptr<session::Session>(std::move(*session));
}

#else

DeviceEntry cpu_entry(int index) {
  DeviceEntry entry;
  entry.index = index;
  entry.info.name = "CPU";
  entry.info.kind = kCpuKind;
  entry.refusals = {"this build is without the CPU device (UPRES_CPU=OFF)"};
  return entry;
}

bool cpu_has_bf16() { return false; }

std::string cpu_library() { return ""; }

Result<std::unique_ptr<session::Session>> make_cpu_session(const graph::Graph&, Precision, int, const Log&) {
  return fail(ErrorCode::device, "this build is without the CPU device (UPRES_CPU=OFF)");
}

#endif

}  // namespace upres::upscale
