// What an engine process says: one JSON object a line on stdout, each with
// "event" and "rank". Everything else (warnings, library output) goes to
// stderr. Rank 0 alone prints steps; every rank prints the others.
#ifndef ENGINE_API_EVENT_H_
#define ENGINE_API_EVENT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs {

// "start": the rank has read its configuration and joined the others.
struct StartEvent {
  int rank = 0;
  int world_size = 0;
  int local_rank = 0;
  std::string host;
  int64_t pid = 0;
  std::string device;        // "cpu" | "cuda"
  int zero_stage = 0;        // in effect
  int64_t accumulation = 1;  // micro-batches a step and rank
  int64_t parameters = 0;    // of the whole model
  int threads = 1;           // computing threads of this rank
  double init_ms = 0;        // from process start to here
  std::map<std::string, std::string> versions;  // "gloo", "blas", "compiler"...
};

// Traffic of one collective operation over one step, on one rank.
struct CommUse {
  std::string op;  // "all_reduce" | "reduce_scatter" | "all_gather" | ...
  int64_t calls = 0;
  int64_t bytes = 0;  // that this rank sent
  double ms = 0;      // time inside the operation, hidden or not
};

// "step": one optimizer step is done. Times are rank 0's.
struct StepEvent {
  int rank = 0;
  int64_t step = 0;      // from 1
  double loss = 0;       // mean over all tokens of the global batch; may be NaN
  double grad_norm = 0;  // before clipping; may be NaN
  double lr = 0;
  int64_t tokens = 0;  // of the global batch
  double step_ms = 0;
  double data_ms = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double comm_exposed_ms = 0;  // spent waiting for communication
  std::vector<CommUse> comm;
};

// Bytes by component; the same struct holds the prediction.
struct MemoryBytes {
  int64_t parameters = 0;
  int64_t gradients = 0;  // persistent: whole in stages 0, 1; 1/N in 2
  int64_t optimizer = 0;  // moments (and master weights)
  int64_t activations = 0;
  int64_t logits = 0;         // logits of the chunk in flight
  int64_t workspace = 0;      // scratch of operators
  int64_t communication = 0;  // buckets in flight, staging
  int64_t total = 0;          // the sum; measured: the process's peak
};

// "memory": peaks of this rank, once, before "end".
struct MemoryEvent {
  int rank = 0;
  MemoryBytes mem_peak_bytes;
};

// "checkpoint": a checkpoint is complete on disk, or was loaded.
struct CheckpointEvent {
  int rank = 0;
  std::string action;  // "saved" | "loaded"
  std::string dir;
  int64_t step = 0;   // the last step it contains
  int64_t bytes = 0;  // of this rank's file
  double ms = 0;
};

// "collective": what one operation on one size took, the slowest rank's mean
// over the calls (rank 0 alone).
struct CollectiveEvent {
  int rank = 0;
  int64_t number = 0;  // of the measurement, from 1
  std::string op;      // "all_reduce", ... (kCollectiveOps)
  bool in_place = false;
  int64_t size_bytes = 0;  // of the whole buffer
  int64_t calls = 0;
  double time_us = 0;  // of a call
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  int64_t wrong = -1;  // elements, on all ranks; -1: not looked at
};

// "end": all steps are done and this rank ends with exit status 0.
struct EndEvent {
  int rank = 0;
  int64_t steps = 0;
  double final_loss = 0;
  // Of all parameters (zero/parameter_blocks.h), equal on every rank.
  std::string parameters_sha256;
};

// "error": the cause for which this rank ends (see exit_code.h).
struct ErrorEvent {
  int rank = 0;
  std::string code;     // name of the exit code: "peer_lost"
  std::string message;  // what, where, what next
};

// "position": where this rank is among the collective operations; printed when
// it is asked by SIGUSR1, whatever it waits for.
struct PositionEvent {
  int rank = 0;
  std::string op;      // that it waits for, or else issued last; "none"
  int64_t seq = 0;     // of that operation, from 1; equal on all ranks
  int64_t issued = 0;  // operations so far
  int64_t bytes = 0;   // of the operation's memory
  bool waiting = false;
  double elapsed_ms = 0;  // since it waits, or issued it
};

using Event =
    std::variant<StartEvent, StepEvent, MemoryEvent, CheckpointEvent,
                 CollectiveEvent, EndEvent, ErrorEvent, PositionEvent>;

// The line (without line feed). NaN and infinities are written as the strings
// "nan", "inf", "-inf", since JSON has no numbers for them.
std::string EventLine(const Event& event);

// The event that LINE holds. kNotFound where the line is no event at all (any
// other text); kInvalidArgument where it claims to be one and is damaged.
// LINE may hold any bytes; lines beyond 1 MiB are kInvalidArgument.
Result<Event> ParseEventLine(std::string_view line);

}  // namespace zs

#endif  // ENGINE_API_EVENT_H_
