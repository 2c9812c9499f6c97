// The training loop of one rank.
#ifndef ENGINE_TRAIN_TRAINER_H_
#define ENGINE_TRAIN_TRAINER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engine/api/event.h"
#include "engine/api/run_config.h"
#include "engine/checkpoint/checkpoint_format.h"
#include "engine/comm/communicator.h"
#include "engine/data/sample_source.h"
#include "engine/model/decoder.h"
#include "engine/ops/ops.h"
#include "engine/ops/pinned.h"
#include "engine/train/event_writer.h"
#include "engine/train/failure.h"
#include "engine/train/interruptible_hooks.h"
#include "engine/train/step_clock.h"
#include "engine/zero/sharded_units.h"

namespace zs {

// What a trainer works with; all of it outlives the trainer.
struct TrainerParts {
  const RunConfig& config;
  Communicator& comm;
  Ops& ops;
  EventWriter& events;
  std::function<Status()> stop;  // kCancelled once the training is to end
  int threads = 1;  // of the host, for what is done to all parameters
  // Steps that are issued before the results of an earlier one are read; see
  // Ops::steps_ahead.
  int steps_ahead = 0;
};

// Trains config.train.steps steps, from new parameters or from a checkpoint. A
// step: gradient accumulation over micro-batches, the mean over the global
// batch, clipping by the global norm, AdamW. Not thread-safe.
class Trainer {
 public:
  explicit Trainer(const TrainerParts& parts);

  // Opens the data, builds the model and loads the checkpoint that is named.
  Failure Prepare();

  // Trains, saves and reports. Rank 0 writes "step", every rank "checkpoint",
  // "memory" and "end". A loss or gradient that is no number is kInvalidLoss.
  Failure Run();

 private:
  // A step that was issued and whose results have not been read.
  struct IssuedStep {
    StepEvent event;  // what is known before
    int64_t next_sample = 0;
    StepClock clock;
    const StepSums* sums = nullptr;  // pinned; there once clock.end() is
  };

  Failure Load();
  Failure Issue(int64_t step);
  Failure MicroBatch(int64_t index, StepClock& clock);
  Failure ReadBatch(int64_t index);
  Failure Optimize(const StepEvent& event, StepSums* sums);
  Failure CompleteOldest();
  // Until at most COUNT steps are issued.
  Failure CompleteDownTo(int count);
  Failure Save();
  bool IsSaveDue(int64_t step) const;
  Failure Report();

  const RunConfig& config_;
  Communicator& comm_;
  Ops& ops_;
  EventWriter& events_;
  const std::function<Status()> stop_;
  const int threads_;
  const int steps_ahead_;
  const int64_t accumulation_;
  std::unique_ptr<SampleSource> samples_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<ShardedUnits> units_;
  std::unique_ptr<InterruptibleHooks> hooks_;
  TrainingPosition position_;  // of the last completed step
  int64_t next_sample_ = 0;    // of the next step that is issued
  std::deque<IssuedStep> issued_;
  Pinned<StepSums> sums_;         // of steps_ahead_ + 1 steps in turn
  std::vector<int32_t> window_;   // seq_len + 1
  std::vector<int32_t> tokens_;   // micro_batch x seq_len
  std::vector<int32_t> targets_;  // micro_batch x seq_len
};

}  // namespace zs

#endif  // ENGINE_TRAIN_TRAINER_H_
