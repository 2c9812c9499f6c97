// The training loop of one rank.
#ifndef ENGINE_TRAIN_TRAINER_H_
#define ENGINE_TRAIN_TRAINER_H_

#include <cstdint>
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
#include "engine/train/event_writer.h"
#include "engine/train/failure.h"
#include "engine/train/interruptible_hooks.h"
#include "engine/zero/sharded_units.h"

namespace zs {

// What a trainer works with; all of it outlives the trainer.
struct TrainerParts {
  const RunConfig& config;
  Communicator& comm;
  Ops& ops;
  EventWriter& events;
  std::function<Status()> stop;  // kCancelled once the training is to end
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
  Failure Load();
  Failure Step(int64_t step);
  Failure MicroBatch(int64_t index, StepEvent& event, double& loss);
  Failure ReadBatch(int64_t index);
  Failure Optimize(StepEvent& event, double loss);
  Failure Save();
  Failure SaveIfDue();
  Failure Report();
  double TakeMs(StepEvent& event);

  const RunConfig& config_;
  Communicator& comm_;
  Ops& ops_;
  EventWriter& events_;
  const std::function<Status()> stop_;
  const int64_t accumulation_;
  std::unique_ptr<SampleSource> samples_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<ShardedUnits> units_;
  std::unique_ptr<InterruptibleHooks> hooks_;
  TrainingPosition position_;
  std::vector<int32_t> window_;   // seq_len + 1
  std::vector<int32_t> tokens_;   // micro_batch x seq_len
  std::vector<int32_t> targets_;  // micro_batch x seq_len
  int64_t mark_ns_ = 0;           // of the last TakeMs
};

}  // namespace zs

#endif  // ENGINE_TRAIN_TRAINER_H_
