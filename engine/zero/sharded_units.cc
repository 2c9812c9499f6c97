#include "engine/zero/sharded_units.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace zs {
namespace {

constexpr int64_t kFloatsOfDouble = 2;  // buffers count in fp32

// Whether gradients travel after each micro-batch.
bool ReducesEach(const TrainConfig& train, int world_size) {
  return world_size > 1 && (train.zero_stage == 2 || train.deterministic);
}

// COUNT zeros for COMPONENT of UNIT, or an error that says so.
Result<DeviceBuffer> Zeros(Ops& ops, int64_t count, const std::string& what) {
  Result<DeviceBuffer> buffer = DeviceBuffer::Zeros(ops, count);
  if (!buffer.ok()) {
    return buffer.status().WithContext(what);
  }
  return buffer;
}

}  // namespace

ShardedUnits::ShardedUnits(const RunConfig& config, Communicator& comm,
                           Ops& ops)
    : stage_(config.train.zero_stage),
      overlap_(config.train.overlap),
      accumulation_(Accumulation(config.train, comm.size())),
      in_flight_(ReducesEach(config.train, comm.size()) &&
                 (stage_ == 2 || accumulation_ > 1)),
      reduce_each_(ReducesEach(config.train, comm.size())),
      comm_(comm),
      ops_(ops),
      units_(Layout(config.model)),
      state_(units_.size()) {
  for (const Unit& unit : units_) {
    partition_.emplace_back(unit.size, comm.size());
  }
}

ShardedUnits::~ShardedUnits() {
  // The buffers must outlive the operations on them, however these end.
  for (UnitState& unit : state_) {
    (void)unit.gather.Wait();
    (void)unit.reduce.Wait();
  }
}

Result<std::unique_ptr<ShardedUnits>> ShardedUnits::Create(
    const RunConfig& config, Communicator& comm, Ops& ops) {
  std::unique_ptr<ShardedUnits> result(new ShardedUnits(config, comm, ops));
  RETURN_IF_ERROR(result->Allocate());
  return result;
}

Status ShardedUnits::Allocate() {
  for (size_t u = 0; u < units_.size(); ++u) {
    const UnitPartition& p = partition_[u];
    UnitState& unit = state_[u];
    const std::string of = " of " + units_[u].name;
    ASSIGN_OR_RETURN(unit.parameters, Zeros(ops_, p.padded, "parameters" + of));
    const int64_t gradients = stage_ == 2 && reduce_each_ ? p.shard : p.padded;
    ASSIGN_OR_RETURN(unit.gradients, Zeros(ops_, gradients, "gradients" + of));
    const int64_t moments = stage_ == 0 ? p.padded : p.shard;
    ASSIGN_OR_RETURN(unit.m, Zeros(ops_, moments, "optimizer state" + of));
    ASSIGN_OR_RETURN(unit.v, Zeros(ops_, moments, "optimizer state" + of));
    if (ops_.parameter_dtype() == DType::kBF16) {
      ASSIGN_OR_RETURN(unit.compute,
                       Zeros(ops_, p.padded / 2, "bf16 parameters" + of));
    }
  }
  ASSIGN_OR_RETURN(scalars_,
                   Zeros(ops_, kFloatsOfDouble * scalars_each() * comm_.size(),
                         "losses and norms"));
  ASSIGN_OR_RETURN(sums_,
                   Zeros(ops_, sizeof(StepSums) / sizeof(float), "sums"));
  return in_flight_ ? AllocateFlights() : OkStatus();
}

Status ShardedUnits::AllocateFlights() {
  const int64_t last = static_cast<int64_t>(units_.size()) - 1;
  int64_t layer = 0;
  for (int64_t u = 1; u < last; ++u) {
    layer = std::max(layer, partition_[u].padded);
  }
  for (const int64_t size : {partition_[0].padded, partition_[last].padded,
                             layer, last > 2 ? layer : 0}) {
    Flight& flight = flights_.emplace_back();
    if (size > 0) {
      ASSIGN_OR_RETURN(flight.gradients,
                       Zeros(ops_, size, "gradients in flight"));
    }
  }
  return OkStatus();
}

ShardedUnits::Flight& ShardedUnits::FlightOf(int unit) {
  if (unit == 0) {
    return flights_[0];
  }
  if (unit == static_cast<int>(units_.size()) - 1) {
    return flights_[1];
  }
  // A single layer has one buffer to itself.
  return flights_[flights_[3].gradients.count() == 0 ? 2 : 2 + unit % 2];
}

bool ShardedUnits::ReducesNow() const {
  return comm_.size() > 1 &&
         (reduce_each_ || micro_batch_ == accumulation_ - 1);
}

Range ShardedUnits::OptimizerRange(int unit) const {
  return stage_ == 0 ? Range{0, partition_[unit].padded}
                     : partition_[unit].Shard(comm_.rank());
}

// The first of this rank's shard of the reduced gradients.
float* ShardedUnits::OwnGradients(int unit) {
  DeviceBuffer& gradients = state_[unit].gradients;
  const UnitPartition& p = partition_[unit];
  const bool whole = gradients.count() == p.padded;
  return gradients.data() + (whole ? p.Shard(comm_.rank()).begin : 0);
}

Status ShardedUnits::Wait(Work& work) {
  if (!work.pending()) {
    return work.Wait();
  }
  const int64_t begin = ops_.Mark();
  Status status = std::exchange(work, Work()).Wait();
  waits_.push_back({begin, ops_.Mark()});
  return status;
}

Result<const void*> ShardedUnits::Parameters(int unit) {
  UnitState& state = state_[unit];
  RETURN_IF_ERROR(Wait(state.gather));
  const DType dtype = ops_.parameter_dtype();
  if (dtype == DType::kF32) {
    return static_cast<const void*>(state.parameters.data());
  }
  if (!state.rounded) {
    const int64_t size = partition_[unit].padded;
    ops_.Convert(View(state.parameters.data(), 1, size),
                 View(state.compute.data(), 1, size, dtype));
    state.rounded = true;
  }
  return static_cast<const void*>(state.compute.data());
}

Result<UnitGradients> ShardedUnits::Gradients(int unit) {
  DeviceBuffer* buffer = &state_[unit].gradients;
  if (in_flight_) {
    Flight& flight = FlightOf(unit);
    if (flight.unit >= 0) {
      RETURN_IF_ERROR(Wait(state_[flight.unit].reduce));
    }
    flight.unit = unit;
    buffer = &flight.gradients;
  }
  // The padding at the buffer's end has been zero from the start.
  return UnitGradients{buffer->data(), !in_flight_ && micro_batch_ > 0};
}

Status ShardedUnits::GradientsDone(int unit) {
  if (!ReducesNow()) {
    return OkStatus();
  }
  UnitState& state = state_[unit];
  const UnitPartition& p = partition_[unit];
  float* from =
      in_flight_ ? FlightOf(unit).gradients.data() : state.gradients.data();
  const std::span<float> in(from, static_cast<size_t>(p.padded));
  const Combine combine =
      in_flight_ && micro_batch_ > 0 ? Combine::kAdd : Combine::kAssign;
  if (stage_ == 0) {
    state.reduce = comm_.AllReduce(in, state.gradients.span(), combine);
  } else {
    const std::span<float> out(OwnGradients(unit),
                               static_cast<size_t>(p.shard));
    state.reduce = comm_.ReduceScatter(in, out, combine);
  }
  return overlap_ ? OkStatus() : Wait(state.reduce);
}

double* ShardedUnits::own_scalars() {
  return reinterpret_cast<double*>(scalars_.data()) +
         scalars_each() * comm_.rank();
}

double* ShardedUnits::loss() {
  return own_scalars();
}

const StepSums* ShardedUnits::sums() const {
  return reinterpret_cast<const StepSums*>(sums_.data());
}

void ShardedUnits::BeginMicroBatch(int64_t index) {
  micro_batch_ = index;
  if (index == 0) {
    ops_.Zero(View(loss(), 1, kFloatsOfDouble));
  }
}

Status ShardedUnits::Reduce(double max_norm) {
  // The backward pass goes from the last unit to the first, and so do the
  // reductions; each norm is computed while the rest is under way.
  for (int unit = static_cast<int>(units_.size()) - 1; unit >= 0; --unit) {
    RETURN_IF_ERROR(Wait(state_[unit].reduce));
    ops_.SquaredNorm(OwnGradients(unit), partition_[unit].shard,
                     own_scalars() + 1 + unit);
  }
  auto* const all = reinterpret_cast<double*>(scalars_.data());
  const auto count = static_cast<size_t>(scalars_each() * comm_.size());
  Work work = comm_.AllGather(std::span<double>(all, count));
  RETURN_IF_ERROR(Wait(work));
  ops_.SumStep(all, comm_.size(), scalars_each(), max_norm,
               reinterpret_cast<StepSums*>(sums_.data()));
  return OkStatus();
}

// Where element AT of UNIT is rounded to; null on devices that compute in fp32.
void* ShardedUnits::RoundedAt(int unit, int64_t at) {
  DeviceBuffer& compute = state_[unit].compute;
  return compute.count() == 0
             ? nullptr
             : reinterpret_cast<std::byte*>(compute.data()) + 2 * at;
}

// Updates the shard of RANK, in every stage by the same calls.
void ShardedUnits::UpdateShard(int unit, int rank, const AdamWStep& step) {
  UnitState& state = state_[unit];
  const UnitPartition& p = partition_[unit];
  const int64_t gradients =
      state.gradients.count() == p.padded ? 0 : p.Shard(rank).begin;
  const int64_t moments = OptimizerRange(unit).begin;
  for (const DecayRange& part : DecayRanges(units_[unit], p.Owned(rank))) {
    AdamWStep own = step;
    own.weight_decay = part.decay ? step.weight_decay : 0;
    own.gradient_scale = &sums()->clip;
    const int64_t at = part.range.begin;
    ops_.AdamW(own, {.parameters = state.parameters.data() + at,
                     .gradients = state.gradients.data() + at - gradients,
                     .m = state.m.data() + at - moments,
                     .v = state.v.data() + at - moments,
                     .size = part.range.size(),
                     .rounded = RoundedAt(unit, at)});
  }
}

Status ShardedUnits::Update(const AdamWStep& step) {
  for (size_t u = 0; u < units_.size(); ++u) {
    const int unit = static_cast<int>(u);
    // In stage 0 all of the unit is updated here, and rounded with it.
    state_[u].rounded = stage_ == 0;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (stage_ == 0 || rank == comm_.rank()) {
        UpdateShard(unit, rank, step);
      }
    }
    if (stage_ == 0) {
      continue;
    }
    state_[u].gather = GatherUpdated(state_[u]);
    if (!overlap_) {
      RETURN_IF_ERROR(Wait(state_[u].gather));
    }
  }
  return OkStatus();
}

// Sends what the model reads. Two bf16 elements travel as one of fp32, which
// moves their bits only: shards are multiples of 32 elements.
Work ShardedUnits::GatherUpdated(UnitState& unit) {
  if (unit.compute.count() == 0) {
    return comm_.AllGather(unit.parameters.span());
  }
  unit.rounded = true;
  unit.whole = false;
  return comm_.AllGather(unit.compute.span());
}

Status ShardedUnits::Settle() {
  for (UnitState& unit : state_) {
    RETURN_IF_ERROR(Wait(unit.gather));
    if (!unit.whole) {
      unit.gather = comm_.AllGather(unit.parameters.span());
      RETURN_IF_ERROR(Wait(unit.gather));
      unit.whole = true;
    }
  }
  return OkStatus();
}

MemoryBytes ShardedUnits::memory() const {
  MemoryBytes bytes;
  for (const UnitState& unit : state_) {
    bytes.parameters += unit.parameters.bytes() + unit.compute.bytes();
    bytes.gradients += unit.gradients.bytes();
    bytes.optimizer += unit.m.bytes() + unit.v.bytes();
  }
  bytes.communication = comm_.staging_bytes();
  for (const Flight& flight : flights_) {
    bytes.communication += flight.gradients.bytes();
  }
  bytes.total = bytes.parameters + bytes.gradients + bytes.optimizer +
                bytes.communication;
  return bytes;
}

}  // namespace zs
