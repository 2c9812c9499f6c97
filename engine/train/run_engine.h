// One engine process from its configuration to its exit status.
#ifndef ENGINE_TRAIN_RUN_ENGINE_H_
#define ENGINE_TRAIN_RUN_ENGINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "engine/api/collectives_config.h"
#include "engine/api/exit_code.h"
#include "engine/api/run_config.h"
#include "engine/comm/rank_environment.h"
#include "engine/train/event_writer.h"
#include "engine/train/failure.h"

namespace zs {

// What a process was started with.
struct EngineRequest {
  RunConfig config;
  // What is measured instead of a training; of `config` the experiment's name,
  // the device, its threads and the timeout are used then.
  std::optional<CollectivesConfig> collectives;
  RankEnvironment env;
  std::string fingerprint;  // of the configuration; equal on all ranks
  int64_t start_ns = 0;     // monotonic, of the process's start
};

// Reads the file at CONFIG_PATH and the environment. kInvalidArgument lists
// every fault, one a line.
Result<EngineRequest> ReadRequest(const std::string& config_path);

// Joins the other ranks and trains, or measures collective operations. Returns
// how the process is to end; after a failure it should end at once, without
// destructors, so that its peers learn of it. An exception of a library is a
// failure too. Where a library never returns from waiting for a peer that is
// gone, END is called on another thread instead, and does not return.
Failure RunEngine(const EngineRequest& request, EventWriter& events,
                  std::function<void(const Failure&)> end);

}  // namespace zs

#endif  // ENGINE_TRAIN_RUN_ENGINE_H_
