// ZeRO: parameters, gradients and optimizer state of all units, what of them
// this rank holds, and their way between the ranks.
#ifndef ENGINE_ZERO_SHARDED_UNITS_H_
#define ENGINE_ZERO_SHARDED_UNITS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/api/event.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/comm/communicator.h"
#include "engine/model/unit_hooks.h"
#include "engine/ops/ops.h"
#include "engine/zero/device_buffer.h"
#include "engine/zero/partition.h"

namespace zs {

// What a rank holds of U elements of a unit, in fp32, N being the world size:
//
//   stage   parameters   gradients   moments   gradients travel by
//     0         U            U         2 U     all-reduce
//     1         U            U         2 U/N   reduce-scatter
//     2         U           U/N        2 U/N   reduce-scatter
//
// In stages 1 and 2 updated parameters travel by all-gather, in the device's
// parameter_dtype() and under the next forward pass. Reduced is after each
// micro-batch (stage 2, and all stages where train.deterministic), from a
// buffer that several units share: one for the embeddings, one for the head,
// two in turn for the layers. Otherwise gradients add up in place and travel
// after the last micro-batch. One rank alone reduces nothing and accumulates in
// place in every stage.
//
// All stages do the same arithmetic on the same ranges in the same order: with
// train.deterministic their bits are equal. `overlap: false` waits for each
// operation and changes no bit either.
//
// A step: for each micro-batch BeginMicroBatch and the model's passes; then
// Reduce, then Update. Nothing here waits for the device beyond what the
// communicator needs. Not thread-safe. Communicator and Ops outlive it.
class ShardedUnits final : public UnitHooks {
 public:
  // Parameters, gradients and moments are zero. kResourceExhausted names the
  // component that did not fit.
  static Result<std::unique_ptr<ShardedUnits>> Create(const RunConfig& config,
                                                      Communicator& comm,
                                                      Ops& ops);
  ~ShardedUnits() override;

  const std::vector<Unit>& units() const { return units_; }
  const UnitPartition& partition(int unit) const { return partition_[unit]; }

  // The micro-batch that comes next, from 0, with which a step begins.
  void BeginMicroBatch(int64_t index);
  // In device memory: where the passes of a step add up this rank's loss.
  double* loss();

  Result<const void*> Parameters(int unit) override;
  Result<UnitGradients> Gradients(int unit) override;
  Status GradientsDone(int unit) override;

  // Exchanges losses and the norms of the shards, once the gradients are
  // there: fills sums(), with the clip that MAX_NORM asks for.
  Status Reduce(double max_norm);
  // In device memory.
  const StepSums* sums() const;

  // Updates the parameters that this rank owns, clipped as sums() says, and
  // sends them on their way. STEP's weight decay is used where parameters
  // decay.
  Status Update(const AdamWStep& step);

  // Waits until the parameters are whole and current on this rank, in fp32.
  // Every rank must call it, since what travelled in bf16 is gathered here.
  Status Settle();

  // The state of a unit as this rank holds it, for checkpoints and tests: all
  // of the parameters (beyond this rank's shard as of the last Settle()), and
  // moments of OptimizerRange(unit), which is this rank's shard, or the padded
  // unit in stage 0.
  float* parameters(int unit) { return state_[unit].parameters.data(); }
  float* first_moments(int unit) { return state_[unit].m.data(); }
  float* second_moments(int unit) { return state_[unit].v.data(); }
  Range OptimizerRange(int unit) const;

  // SHA-256 of all parameters in the order of the units, without padding.
  Result<std::string> ParametersSha256();

  // Marks of the device around each wait of computation for communication,
  // since the last call.
  std::vector<MarkedSpan> TakeWaits() { return std::exchange(waits_, {}); }

  // parameters, gradients, optimizer and communication; `total` is their sum.
  MemoryBytes memory() const;

 private:
  struct UnitState {
    DeviceBuffer parameters;
    DeviceBuffer gradients;  // whole, or the shard in stage 2
    DeviceBuffer m;
    DeviceBuffer v;
    // The parameters in the device's type, where that is not fp32: what the
    // model reads. `rounded` is whether it is current.
    DeviceBuffer compute;
    bool rounded = false;
    // Whether `parameters` are current beyond this rank's shard too.
    bool whole = true;
    Work gather;  // of the parameters
    Work reduce;  // of the gradients
  };
  // A buffer that units share for the gradients of one micro-batch.
  struct Flight {
    DeviceBuffer gradients;
    int unit = -1;  // whose gradients are or were last in it
  };

  ShardedUnits(const RunConfig& config, Communicator& comm, Ops& ops);
  Status Allocate();
  Status AllocateFlights();
  Flight& FlightOf(int unit);
  bool ReducesNow() const;
  float* OwnGradients(int unit);
  Status Wait(Work& work);
  int64_t scalars_each() const { return std::ssize(units_) + 1; }
  double* own_scalars();
  void* RoundedAt(int unit, int64_t at);
  Work GatherUpdated(UnitState& unit);
  void UpdateShard(int unit, int rank, const AdamWStep& step);

  const int stage_;
  const bool overlap_;
  const int64_t accumulation_;
  const bool in_flight_;    // gradients travel from flight buffers
  const bool reduce_each_;  // after each micro-batch
  Communicator& comm_;
  Ops& ops_;
  const std::vector<Unit> units_;
  std::vector<UnitPartition> partition_;
  std::vector<UnitState> state_;
  std::vector<Flight> flights_;  // embeddings, head, layers (two, in turn)
  // Doubles: of each rank its loss, then the sum of squares of each unit's
  // shard.
  DeviceBuffer scalars_;
  DeviceBuffer sums_;  // a StepSums
  int64_t micro_batch_ = 0;
  std::vector<MarkedSpan> waits_;
};

}  // namespace zs

#endif  // ENGINE_ZERO_SHARDED_UNITS_H_
