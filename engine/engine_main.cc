// The training engine: one process a rank.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/api/exit_code.h"
#include "engine/cuda/backend.h"
#include "engine/loaded_libraries.h"
#include "engine/train/event_writer.h"
#include "engine/train/run_engine.h"
#include "engine/train/status_signal.h"
#include "engine/train/stop_signal.h"

namespace zs {
namespace {

constexpr const char* kVersion = "zerosweep engine 0.1.0";

constexpr const char* kHelp =
    R"(usage: engine --config FILE
       engine --version [cpu | cuda] | --help

Trains a language model as one rank of a run, or measures collective
operations. FILE is a run configuration (JSON). Rank, world size and rendezvous come from torchrun's environment: RANK,
LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT; unset, the
process is a run of one rank. Writes one JSON object a line to stdout.
--version tells, after the engine's own, the build of each shared library that
it runs with on that device.

Two ranks on this machine:
  export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500
  RANK=1 engine --config run.json & RANK=0 engine --config run.json

Exit status: 0 done, 64 bad configuration, 65 data, 66 rendezvous, 67 peer lost,
68 out of memory, 69 invalid loss, 71 checkpoint, 72 unavailable, 75 stopped.
)";

// The engine's version and its libraries on DEVICE; those of CUDA are loaded
// for that device alone.
int PrintVersion(std::string_view device) {
  if (device == "cuda") {
    if (const Status loaded = LoadCudaPlugin(); !loaded.ok()) {
      std::fprintf(stderr, "engine: %s\n", loaded.message().c_str());
      return static_cast<int>(EngineExit::kUnavailable);
    }
  }
  return std::printf("%s\n%s", kVersion, LoadedLibraries().c_str()) < 0 ? 1 : 0;
}

// Reports FAILURE on stdout and stderr and ends the process at once: without
// destructors, so that nothing holds up what the peers wait for.
[[noreturn]] void End(const Failure& failure, int rank, EventWriter& events) {
  const int exit = static_cast<int>(failure.exit);
  if (!failure.ok()) {
    const std::string& message = failure.status.message();
    std::fprintf(stderr, "engine: rank %d: %s\n", rank, message.c_str());
    // Where nobody reads stdout, stderr has said it.
    (void)events.Write(
        ErrorEvent{rank, std::string(EngineExitName(exit)), message});
  }
  std::fflush(nullptr);
  std::_Exit(exit);
}

[[noreturn]] void Main(std::string_view config_path) {
  EventWriter events(1);
  CatchStopSignals(0);
  const Result<EngineRequest> request = ReadRequest(std::string(config_path));
  if (!request.ok()) {
    End({EngineExit::kBadConfig, request.status()}, 0, events);
  }
  CatchStopSignals(request->env.rank);
  CatchStatusSignal(request->env.rank);
  const int rank = request->env.rank;
  const auto end = [rank, &events](const Failure& failure) {
    End(failure, rank, events);
  };
  end(RunEngine(*request, events, end));
  std::abort();  // END does not return
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  // What libraries print (NCCL with NCCL_DEBUG) goes out by whole lines, so
  // that no event is written into the middle of one.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const std::string_view first = argc > 1 ? argv[1] : "";
  const std::string_view second = argc > 2 ? argv[2] : "cpu";
  if (argc <= 3 && first == "--version" &&
      (second == "cpu" || second == "cuda")) {
    return zs::PrintVersion(second);
  }
  if (argc == 2 && (first == "--help" || first == "-h")) {
    return std::fputs(zs::kHelp, stdout) < 0 ? 1 : 0;
  }
  if (argc == 3 && first == "--config") {
    zs::Main(argv[2]);
  }
  std::fprintf(stderr, "engine: wrong arguments\n%s", zs::kHelp);
  return static_cast<int>(zs::EngineExit::kBadConfig);
}
