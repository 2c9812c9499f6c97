#include "engine/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "engine/api/layout.h"
#include "engine/checkpoint/load.h"
#include "engine/checkpoint/save.h"
#include "engine/train/host_memory.h"
#include "engine/train/schedule.h"
#include "engine/zero/parameter_blocks.h"

// Returns from the enclosing function unless FAILURE is none.
#define RETURN_IF_FAILED(failure)               \
  do {                                          \
    if (::zs::Failure f = (failure); !f.ok()) { \
      return f;                                 \
    }                                           \
  } while (false)

namespace zs {
namespace {

double MsSince(int64_t start_ns) {
  return static_cast<double>(RealClock().monotonic_ns() - start_ns) * 1e-6;
}

// A lost peer is one in a checkpoint too; a full disk is no lack of memory.
Failure CheckpointFailure(const Status& status) {
  const bool lost = status.code() == StatusCode::kUnavailable ||
                    status.code() == StatusCode::kDeadlineExceeded;
  return {lost ? EngineExit::kPeerLost : EngineExit::kCheckpoint, status};
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : config_(parts.config),
      comm_(parts.comm),
      ops_(parts.ops),
      events_(parts.events),
      stop_(parts.stop),
      threads_(parts.threads),
      steps_ahead_(parts.steps_ahead),
      accumulation_(Accumulation(config_.train, comm_.size())) {}

Failure Trainer::Prepare() {
  const TrainConfig& train = config_.train;
  Result<std::unique_ptr<SampleSource>> samples = OpenSamples(config_);
  if (!samples.ok()) {
    return {EngineExit::kData, samples.status()};
  }
  samples_ = std::move(samples).value();
  Result<std::unique_ptr<Decoder>> decoder = Decoder::Create(
      config_.model, {train.micro_batch, train.seq_len, train.recompute}, ops_);
  if (!decoder.ok()) {
    return FailureOf(decoder.status(), EngineExit::kInternal);
  }
  decoder_ = std::move(decoder).value();
  Result<std::unique_ptr<ShardedUnits>> units =
      ShardedUnits::Create(config_, comm_, ops_);
  if (!units.ok()) {
    return FailureOf(units.status(), EngineExit::kInternal);
  }
  units_ = std::move(units).value();
  hooks_ = std::make_unique<InterruptibleHooks>(*units_, stop_);
  Result<Pinned<StepSums>> sums =
      AllocatePinned<StepSums>(ops_, steps_ahead_ + 1);
  if (!sums.ok()) {
    return FailureOf(sums.status(), EngineExit::kInternal);
  }
  sums_ = std::move(sums).value();
  window_.resize(train.seq_len + 1);
  tokens_.resize(train.micro_batch * train.seq_len);
  targets_.resize(tokens_.size());
  RETURN_IF_FAILED(Load());
  next_sample_ = position_.next_sample;
  return {};
}

// Parameters and position: from the checkpoint, or new.
Failure Trainer::Load() {
  if (config_.checkpoint.load_dir.empty()) {
    return FailureOf(InitializeParameters(config_.model, config_.train.seed,
                                          threads_, *units_, ops_),
                     EngineExit::kInternal);
  }
  const int64_t start_ns = RealClock().monotonic_ns();
  const Result<LoadedCheckpoint> loaded =
      LoadCheckpoint(config_, *units_, ops_, comm_);
  if (!loaded.ok()) {
    return CheckpointFailure(loaded.status());
  }
  position_ = loaded->position;
  return FailureOf(events_.Write(CheckpointEvent{.rank = comm_.rank(),
                                                 .action = "loaded",
                                                 .dir = loaded->dir,
                                                 .step = position_.step,
                                                 .bytes = loaded->bytes,
                                                 .ms = MsSince(start_ns)}),
                   EngineExit::kInternal);
}

Failure Trainer::Run() {
  for (int64_t step = position_.step + 1; step <= config_.train.steps; ++step) {
    RETURN_IF_FAILED(Issue(step));
    const bool save = IsSaveDue(step);
    RETURN_IF_FAILED(CompleteDownTo(save ? 0 : steps_ahead_));
    if (save) {
      RETURN_IF_FAILED(Save());
    }
  }
  RETURN_IF_FAILED(CompleteDownTo(0));
  return Report();
}

Failure Trainer::Issue(int64_t step) {
  IssuedStep issued = {.clock = StepClock(ops_)};
  issued.event.rank = comm_.rank();
  issued.event.step = step;
  issued.event.lr = LearningRate(config_.train, step);
  issued.event.tokens = config_.train.global_batch * config_.train.seq_len;
  for (int64_t m = 0; m < accumulation_; ++m) {
    RETURN_IF_FAILED(MicroBatch(m, issued.clock));
  }
  StepSums* const sums = &sums_[step % (steps_ahead_ + 1)];
  RETURN_IF_FAILED(Optimize(issued.event, sums));
  issued.clock.EndPhase(&StepEvent::optimizer_ms, units_->TakeWaits());
  issued.sums = sums;
  comm_.EndUse();
  next_sample_ += config_.train.global_batch;
  issued.next_sample = next_sample_;
  issued_.push_back(std::move(issued));
  return {};
}

Failure Trainer::MicroBatch(int64_t index, StepClock& clock) {
  RETURN_IF_FAILED(ReadBatch(index));
  clock.EndPhase(&StepEvent::data_ms, units_->TakeWaits());
  units_->BeginMicroBatch(index);
  // Gradients of the mean over the global batch: the ranks' sum needs no
  // further factor.
  const auto passes = static_cast<double>(accumulation_ * comm_.size());
  RETURN_IF_FAILED(
      FailureOf(decoder_->Forward(tokens_, targets_,
                                  static_cast<float>(1 / passes), *hooks_),
                EngineExit::kInternal));
  decoder_->AddLoss(units_->loss());
  clock.EndPhase(&StepEvent::forward_ms, units_->TakeWaits(),
                 decoder_->head_backward());
  RETURN_IF_FAILED(
      FailureOf(decoder_->Backward(*hooks_), EngineExit::kInternal));
  clock.EndPhase(&StepEvent::backward_ms, units_->TakeWaits());
  return {};
}

// Reads micro-batch INDEX of this rank. Sample k of the global batch does not
// depend on the number of ranks.
Failure Trainer::ReadBatch(int64_t index) {
  RETURN_IF_FAILED(FailureOf(stop_(), EngineExit::kCancelled));
  const int64_t rows = config_.train.micro_batch;
  const int64_t length = config_.train.seq_len;
  const int64_t first = (index * comm_.size() + comm_.rank()) * rows;
  for (int64_t row = 0; row < rows; ++row) {
    const Status status = samples_->Read(next_sample_ + first + row, window_);
    if (!status.ok()) {
      return {EngineExit::kData, status};
    }
    std::copy_n(window_.begin(), length, tokens_.begin() + row * length);
    std::copy_n(window_.begin() + 1, length, targets_.begin() + row * length);
  }
  return {};
}

// Issues what follows the passes of the step of EVENT; SUMS gets what the ranks
// know together.
Failure Trainer::Optimize(const StepEvent& event, StepSums* sums) {
  const TrainConfig& train = config_.train;
  RETURN_IF_FAILED(
      FailureOf(units_->Reduce(train.clip_grad), EngineExit::kInternal));
  ops_.Fetch(units_->sums(), sums, sizeof(StepSums));
  const AdamWStep step = {.step = event.step,
                          .lr = event.lr,
                          .beta1 = train.beta1,
                          .beta2 = train.beta2,
                          .eps = train.adam_eps,
                          .weight_decay = train.weight_decay};
  return FailureOf(units_->Update(step), EngineExit::kInternal);
}

Failure Trainer::CompleteDownTo(int count) {
  while (std::ssize(issued_) > count) {
    RETURN_IF_FAILED(CompleteOldest());
  }
  return {};
}

Failure Trainer::CompleteOldest() {
  IssuedStep step = std::move(issued_.front());
  issued_.pop_front();
  const Status reached = ops_.WaitFor(step.clock.end());
  // What a lost peer leaves behind is no result.
  RETURN_IF_FAILED(FailureOf(comm_.status(), EngineExit::kInternal));
  RETURN_IF_FAILED(FailureOf(reached, EngineExit::kInternal));
  StepEvent& event = step.event;
  event.loss =
      step.sums->loss / static_cast<double>(accumulation_ * comm_.size());
  event.grad_norm = step.sums->grad_norm;
  if (!std::isfinite(event.loss) || !std::isfinite(event.grad_norm)) {
    return {EngineExit::kInvalidLoss,
            FailedPreconditionError(
                "step " + std::to_string(event.step) + ": loss " +
                std::to_string(event.loss) + ", gradient norm " +
                std::to_string(event.grad_norm) +
                "; a lower train.lr or a longer train.lr_warmup_steps may "
                "help")};
  }
  step.clock.Fill(event);
  ops_.ReleaseMarks(step.clock.end());
  event.comm = comm_.TakeUse();
  position_ = {event.step, step.next_sample, event.loss};
  return comm_.rank() == 0
             ? FailureOf(events_.Write(event), EngineExit::kInternal)
             : Failure();
}

// Whether a checkpoint follows STEP.
bool Trainer::IsSaveDue(int64_t step) const {
  const CheckpointConfig& checkpoint = config_.checkpoint;
  const bool due =
      checkpoint.save_every > 0 && step % checkpoint.save_every == 0;
  const bool last = step == config_.train.steps;
  return !checkpoint.save_dir.empty() &&
         (due || (last && checkpoint.save_at_end));
}

Failure Trainer::Save() {
  const int64_t start_ns = RealClock().monotonic_ns();
  const Result<SavedCheckpoint> saved =
      SaveCheckpoint(config_, position_, *units_, ops_, comm_);
  if (!saved.ok()) {
    return CheckpointFailure(saved.status());
  }
  return FailureOf(events_.Write(CheckpointEvent{.rank = comm_.rank(),
                                                 .action = "saved",
                                                 .dir = saved->dir,
                                                 .step = position_.step,
                                                 .bytes = saved->bytes,
                                                 .ms = MsSince(start_ns)}),
                   EngineExit::kInternal);
}

Failure Trainer::Report() {
  const Result<std::string> sha256 = ParametersSha256(threads_, *units_, ops_);
  if (!sha256.ok()) {
    return FailureOf(sha256.status(), EngineExit::kInternal);
  }
  MemoryBytes memory = units_->memory();
  const MemoryBytes passes = decoder_->memory();
  memory.activations = passes.activations;
  memory.logits = passes.logits;
  memory.workspace = passes.workspace;
  // A GPU's buffers live as long as the run, but for those on which algorithms
  // are tried, which it can do without: what is in use now is what it needs at
  // its peak.
  const int64_t on_device = ops_.device_bytes_in_use();
  memory.total = on_device > 0 ? on_device : PeakResidentBytes();
  RETURN_IF_FAILED(FailureOf(events_.Write(MemoryEvent{comm_.rank(), memory}),
                             EngineExit::kInternal));
  // No rank ends before all have come this far: an early end would look like a
  // lost peer to those that still gather parameters.
  RETURN_IF_FAILED(FailureOf(comm_.Barrier().Wait(), EngineExit::kInternal));
  return FailureOf(events_.Write(EndEvent{.rank = comm_.rank(),
                                          .steps = position_.step,
                                          .final_loss = position_.loss,
                                          .parameters_sha256 = *sha256}),
                   EngineExit::kInternal);
}

}  // namespace zs
