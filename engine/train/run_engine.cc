#include "engine/train/run_engine.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "base/clock.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "engine/collectives/measure.h"
#include "engine/comm/collective_trace.h"
#include "engine/comm/gloo_communicator.h"
#include "engine/comm/pattern.h"
#include "engine/comm/rendezvous.h"
#include "engine/comm/traced_communicator.h"
#include "engine/train/device.h"
#include "engine/train/host_memory.h"
#include "engine/train/memory_check.h"
#include "engine/train/stop_signal.h"
#include "engine/train/trainer.h"

namespace zs {
namespace {

// What a rank will need.
MemoryBytes Need(const EngineRequest& request) {
  if (!request.collectives) {
    RunConfig config = request.config;
    config.threads_per_rank = Threads(config, request.env);
    return PredictMemory(config, request.env.world_size);
  }
  MemoryBytes need;
  need.communication = 2 * request.collectives->max_bytes;
  need.total = need.communication;
  return need;
}

// Before any rank of this host has taken memory.
Failure CheckMemory(const EngineRequest& request) {
  const auto available = AvailableMemoryBytes();
  if (!available.has_value()) {
    return {};
  }
  return FailureOf(
      CheckFits(Need(request), request.env.local_world_size, *available),
      EngineExit::kOutOfMemory);
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
  if (!request.collectives) {
    event.zero_stage = config.train.zero_stage;
    event.accumulation = Accumulation(config.train, request.env.world_size);
    event.parameters = ParameterCount(config.model);
  }
  event.threads = device.threads;
  event.init_ms =
      static_cast<double>(RealClock().monotonic_ns() - request.start_ns) * 1e-6;
  event.versions =
      device.cuda ? device.cuda->Versions()
                  : std::map<std::string, std::string>{{"gloo", GlooVersion()}};
  event.versions["compiler"] = __VERSION__;
  return event;
}

// Prepares and runs TRAINER; an exception of a library is a failure.
Failure RunGuarded(Trainer& trainer) {
  try {
    Failure failure = trainer.Prepare();
    return failure.ok() ? trainer.Run() : failure;
  } catch (const std::bad_alloc&) {
    return {EngineExit::kOutOfMemory,
            ResourceExhaustedError("the host's memory is used up")};
  } catch (const std::exception& e) {
    return {EngineExit::kInternal, InternalError(e.what())};
  }
}

// Trains among ranks that have met.
Failure Train(const EngineRequest& request, const Device& device,
              Communicator& comm, EventWriter& events) {
  const Status started = events.Write(StartOf(request, device));
  if (!started.ok()) {
    return FailureOf(started, EngineExit::kInternal);
  }
  auto trainer = std::make_unique<Trainer>(
      TrainerParts{.config = request.config,
                   .comm = comm,
                   .ops = device.ops(),
                   .events = events,
                   .stop = StopRequested,
                   .threads = device.threads,
                   .steps_ahead = device.ops().steps_ahead()});
  Failure failure = RunGuarded(*trainer);
  if (!failure.ok()) {
    // Not taken down in good order: the process ends at once, and gradients
    // under way would hold it up until the peers have theirs.
    (void)trainer.release();
  }
  if (device.cuda) {
    std::fputs(device.cuda->Describe().c_str(), stderr);
  }
  return failure;
}

Status Measure(const EngineRequest& request, const Device& device,
               Communicator& comm, EventWriter& events) {
  RETURN_IF_ERROR(events.Write(StartOf(request, device)));
  std::unique_ptr<PatternMemory> own;
  if (device.cuda) {
    ASSIGN_OR_RETURN(own, device.cuda->Pattern());
  }
  ASSIGN_OR_RETURN(
      const int64_t measurements,
      MeasureCollectives(*request.collectives,
                         {.comm = comm,
                          .ops = device.ops(),
                          .pattern = own ? *own : HostPattern(),
                          .stop = StopRequested,
                          .report = [&events](const CollectiveEvent& event) {
                            return events.Write(event);
                          }}));
  return events.Write(EndEvent{
      .rank = comm.rank(), .steps = measurements, .final_loss = std::nan("")});
}

// Does what REQUEST asks for among ranks that have met.
Failure RunAmong(const EngineRequest& request, const Device& device,
                 Communicator& comm, EventWriter& events) {
  if (!request.collectives) {
    return Train(request, device, comm, events);
  }
  try {
    return FailureOf(Measure(request, device, comm, events),
                     EngineExit::kInternal);
  } catch (const std::exception& e) {
    return {EngineExit::kInternal, InternalError(e.what())};
  }
}

// Ranks that fail while this one is asked to end are no failure of their own.
Failure PreferStop(Failure failure) {
  const Status stop = StopRequested();
  if (failure.exit == EngineExit::kPeerLost && !stop.ok()) {
    return {EngineExit::kCancelled, stop};
  }
  return failure;
}

Failure MeetAndTrain(const EngineRequest& request, EventWriter& events,
                     std::function<void(const Failure&)> end) {
  Result<Device> device = OpenDevice(request.config, request.env);
  if (!device.ok()) {
    const bool memory =
        device.status().code() == StatusCode::kResourceExhausted;
    return {memory ? EngineExit::kOutOfMemory : EngineExit::kUnavailable,
            device.status()};
  }
  if (device->cuda) {
    const Status fits = CheckGpuFits(Need(request), device->cuda->UsedBytes(),
                                     device->cuda->TotalBytes());
    if (!fits.ok()) {
      return {EngineExit::kOutOfMemory, fits};
    }
  }
  if (request.env.world_size == 1) {
    return RunAmong(request, *device, *SingleRank(), events);
  }
  const double timeout_s = request.config.collective_timeout_s;
  Result<std::unique_ptr<Rendezvous>> met =
      Rendezvous::Join(request.env, request.fingerprint, timeout_s);
  if (!met.ok()) {
    return {EngineExit::kRendezvous, met.status()};
  }
  Result<std::unique_ptr<Communicator>> comm =
      device->cuda
          ? device->cuda->Connect(
                **met, {.timeout_s = timeout_s,
                        .on_stuck =
                            [end = std::move(end)](const Status& status) {
                              end(PreferStop(
                                  FailureOf(status, EngineExit::kPeerLost)));
                            }})
          : ConnectGloo(**met, timeout_s);
  if (!comm.ok()) {
    return {EngineExit::kRendezvous, comm.status()};
  }
  TracedCommunicator traced(**comm, TheCollectiveTrace());
  Failure failure = PreferStop(RunAmong(request, *device, traced, events));
  if (!failure.ok()) {
    (*met)->LeaveWord(failure.status.message());
    // Neither the communicator nor the rendezvous is taken down in good order:
    // an operation under way would hold up this rank's end.
    (void)std::move(comm).value().release();
    (void)std::move(met).value().release();
    (void)device->cuda.release();
    (void)device->cpu.release();
  }
  return failure;
}

}  // namespace

Failure RunEngine(const EngineRequest& request, EventWriter& events,
                  std::function<void(const Failure&)> end) {
  if (request.config.device == "cpu") {
    if (Failure failure = CheckMemory(request); !failure.ok()) {
      return failure;
    }
  }
  return MeetAndTrain(request, events, std::move(end));
}

}  // namespace zs
