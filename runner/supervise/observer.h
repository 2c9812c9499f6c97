// The seam between the supervisor, which moves bytes and keeps clocks, and
// whoever understands what the ranks print.
#ifndef RUNNER_SUPERVISE_OBSERVER_H_
#define RUNNER_SUPERVISE_OBSERVER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/store/record.h"
#include "runner/supervise/outcome.h"

namespace zs {

enum class OutputStream { kStdout = 1, kStderr = 2 };

// Bytes as a rank wrote them, in order within a rank and stream; any bytes, cut
// anywhere.
struct OutputChunk {
  int rank = 0;
  OutputStream stream = OutputStream::kStdout;
  int64_t unix_us = 0;        // the node's clock when they were read
  int64_t dropped_bytes = 0;  // cut out just before BYTES (a flood); then the
                              // line in hand is broken off and BYTES begin a
                              // line, or go on in a line longer than 64 KiB
  std::string_view bytes;     // only during the call
};

// Where a rank is among the collective operations, as it says itself.
struct CollectiveState {
  std::string op;
  int64_t seq = 0;     // of that operation; the same number on all ranks
  int64_t issued = 0;  // operations so far
  int64_t bytes = 0;
  bool waiting = false;  // for the operation's end
  double elapsed_ms = 0;
};

// What an observer tells the supervisor; the hang clocks run by it.
class RunProgress {
 public:
  virtual ~RunProgress() = default;

  // RANK is up (it has joined the others).
  virtual void RankStarted(int rank) = 0;

  // Optimizer step STEP is done; once per step, whichever rank told it.
  virtual void StepDone(int64_t step) = 0;

  // Something else goes on that takes its time (a checkpoint, the evaluation
  // after the last step): the hang clock begins anew.
  virtual void Alive() = 0;

  // RANK has reported an error from which it cannot recover; it must end
  // within after_error_s. The first one is the reason of the run's end.
  virtual void ErrorSeen(int rank, std::string_view what) = 0;

  // RANK has answered RunRequest::status_signal.
  virtual void AtCollective(int rank, const CollectiveState& state) {
    (void)rank;
    (void)state;
  }
};

// Called by Supervise on its own thread; must not block. Not owned by it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  virtual void OnOutput(const OutputChunk& chunk, RunProgress& progress) = 0;

  // The last call for this rank: all of its output has been given.
  virtual void OnRankExit(const RankExit& exit, RunProgress& progress) {
    (void)exit;
    (void)progress;
  }

  // What the driver says of the GPUs of one node.
  virtual void OnGpuSamples(const std::vector<results::GpuSample>& samples) {
    (void)samples;
  }
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_OBSERVER_H_
