// Writing checkpoints.
#ifndef ENGINE_CHECKPOINT_SAVE_H_
#define ENGINE_CHECKPOINT_SAVE_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "engine/checkpoint/checkpoint_format.h"
#include "engine/comm/communicator.h"
#include "engine/ops/ops.h"
#include "engine/zero/sharded_units.h"

namespace zs {

struct SavedCheckpoint {
  std::string dir;
  int64_t bytes = 0;  // of this rank's file
};

// Saves UNITS as config.checkpoint.save_dir/step_N, a folder that all ranks
// share; every rank calls it. The checkpoint is there whole, flushed to the
// disk, or not at all: it is written to ".step_N.tmp" and renamed. An older
// checkpoint of the same step is replaced, and ".step_*.tmp" that an
// interrupted save left is removed: save_dir belongs to one run at a time. On
// an error (a full disk; parameters that are not finite, kFailedPrecondition)
// what was written is removed and all other checkpoints are as they were.
Result<SavedCheckpoint> SaveCheckpoint(const RunConfig& config,
                                       const TrainingPosition& position,
                                       ShardedUnits& units, Ops& ops,
                                       Communicator& comm);

}  // namespace zs

#endif  // ENGINE_CHECKPOINT_SAVE_H_
