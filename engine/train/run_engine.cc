#include "engine/train/run_engine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "engine/api/layout.h"
#include "engine/comm/gloo_communicator.h"
#include "engine/comm/rendezvous.h"
#include "engine/cuda/backend.h"
#include "engine/ops/cpu_ops.h"
#include "engine/train/stop_signal.h"
#include "engine/train/trainer.h"

namespace zs {
namespace {

// The cores that this process may run on.
int UsableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0
             ? std::max(CPU_COUNT(&cores), 1)
             : 1;
}

int Threads(const RunConfig& config, const RankEnvironment& env) {
  return config.threads_per_rank > 0
             ? config.threads_per_rank
             : std::max(UsableCores() / env.local_world_size, 1);
}

// What a rank computes on.
struct Device {
  std::unique_ptr<CudaBackend> cuda;  // null on CPUs
  std::unique_ptr<Ops> cpu;
  int threads = 1;

  Ops& ops() const { return cuda ? cuda->ops() : *cpu; }
};

// The file that keeps the fastest GEMM algorithms between runs: ZS_GEMM_CACHE,
// or one below HOME; empty where neither is set.
std::string GemmCachePath() {
  if (const char* path = std::getenv("ZS_GEMM_CACHE")) {
    return path;
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr) {
    return "";
  }
  const std::string folder = std::string(home) + "/.cache/zerosweep";
  return MakeFolders(folder).ok() ? folder + "/gemm_algorithms" : "";
}

Result<Device> OpenDevice(const EngineRequest& request) {
  Device device;
  device.threads = Threads(request.config, request.env);
  if (request.config.device == "cpu") {
    device.cpu = MakeCpuOps(device.threads);
    return device;
  }
  ASSIGN_OR_RETURN(
      device.cuda,
      OpenCudaBackend({.device = request.env.local_rank,
                       .deterministic = request.config.train.deterministic,
                       .gemm_cache_path = GemmCachePath()}));
  return device;
}

StartEvent StartOf(const EngineRequest& request, const Device& device) {
  std::array<char, 256> host = {};
  ::gethostname(host.data(), host.size() - 1);
  const RunConfig& config = request.config;
  StartEvent event;
  event.rank = request.env.rank;
  event.world_size = request.env.world_size;
  event.local_rank = request.env.local_rank;
  event.host = host.data();
  event.pid = ::getpid();
  event.device = config.device;
  event.zero_stage = config.train.zero_stage;
  event.accumulation = Accumulation(config.train, request.env.world_size);
  event.parameters = ParameterCount(config.model);
  event.threads = device.threads;
  event.init_ms =
      static_cast<double>(RealClock().monotonic_ns() - request.start_ns) * 1e-6;
  event.versions =
      device.cuda ? device.cuda->Versions()
                  : std::map<std::string, std::string>{{"gloo", GlooVersion()}};
  event.versions["compiler"] = __VERSION__;
  return event;
}

// Trains among ranks that have met.
Failure Train(const EngineRequest& request, const Device& device,
              Communicator& comm, EventWriter& events) {
  const Status started = events.Write(StartOf(request, device));
  if (!started.ok()) {
    return FailureOf(started, EngineExit::kInternal);
  }
  Trainer trainer({.config = request.config,
                   .comm = comm,
                   .ops = device.ops(),
                   .events = events,
                   .stop = StopRequested});
  Failure failure = trainer.Prepare();
  if (failure.ok()) {
    failure = trainer.Run();
  }
  if (device.cuda) {
    std::fputs(device.cuda->Describe().c_str(), stderr);
  }
  return failure;
}

// Ranks that fail while this one is asked to end are no failure of their own.
Failure PreferStop(Failure failure) {
  const Status stop = StopRequested();
  if (failure.exit == EngineExit::kPeerLost && !stop.ok()) {
    return {EngineExit::kCancelled, stop};
  }
  return failure;
}

Failure MeetAndTrain(const EngineRequest& request, EventWriter& events) {
  Result<Device> device = OpenDevice(request);
  if (!device.ok()) {
    const bool memory =
        device.status().code() == StatusCode::kResourceExhausted;
    return {memory ? EngineExit::kOutOfMemory : EngineExit::kUnavailable,
            device.status()};
  }
  if (request.env.world_size == 1) {
    return Train(request, *device, *SingleRank(), events);
  }
  const double timeout_s = request.config.collective_timeout_s;
  Result<std::unique_ptr<Rendezvous>> met =
      Rendezvous::Join(request.env, request.fingerprint, timeout_s);
  if (!met.ok()) {
    return {EngineExit::kRendezvous, met.status()};
  }
  Result<std::unique_ptr<Communicator>> comm =
      device->cuda ? device->cuda->Connect(**met, timeout_s)
                   : ConnectGloo(**met, timeout_s);
  if (!comm.ok()) {
    return {EngineExit::kRendezvous, comm.status()};
  }
  Failure failure = PreferStop(Train(request, *device, **comm, events));
  if (!failure.ok()) {
    (*met)->LeaveWord(failure.status.message());
    // Neither the communicator nor the rendezvous is taken down in good order:
    // an operation under way would hold up this rank's end.
    (void)std::move(comm).value().release();
    (void)std::move(met).value().release();
    (void)device->cuda.release();
  }
  return failure;
}

}  // namespace

Failure RunEngine(const EngineRequest& request, EventWriter& events) {
  try {
    return MeetAndTrain(request, events);
  } catch (const std::bad_alloc&) {
    return {EngineExit::kOutOfMemory,
            ResourceExhaustedError("the host's memory is used up")};
  } catch (const std::exception& e) {
    return {EngineExit::kInternal, InternalError(e.what())};
  }
}

}  // namespace zs
