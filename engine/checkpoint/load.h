// Reading checkpoints.
#ifndef ENGINE_CHECKPOINT_LOAD_H_
#define ENGINE_CHECKPOINT_LOAD_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "engine/checkpoint/checkpoint_format.h"
#include "engine/comm/communicator.h"
#include "engine/ops/ops.h"
#include "engine/zero/sharded_units.h"

namespace zs {

struct LoadedCheckpoint {
  std::string dir;
  TrainingPosition position;
  int64_t bytes = 0;  // that this rank read
};

// The checkpoint that DIR names: DIR itself where it has a manifest, else its
// folder step_N with the largest N. kNotFound where there is neither.
Result<std::string> FindCheckpoint(const std::string& dir);

// Loads the checkpoint that config.checkpoint.load_dir names into UNITS,
// whatever ZeRO stage and world size it was saved under; every rank calls it.
// Each file is checked against its checksum by one of the ranks. kDataLoss
// names a file that is missing, cut short or damaged; kFailedPrecondition says
// why a checkpoint does not suit. After an error UNITS are of no more use.
Result<LoadedCheckpoint> LoadCheckpoint(const RunConfig& config,
                                        ShardedUnits& units, Ops& ops,
                                        Communicator& comm);

}  // namespace zs

#endif  // ENGINE_CHECKPOINT_LOAD_H_
