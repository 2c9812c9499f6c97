// What a run has told so far, in words that all backends share.
#ifndef RUNNER_BACKEND_RUN_RECORD_H_
#define RUNNER_BACKEND_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/event.h"
#include "results/store/record.h"

namespace zs {

// Filled by a backend's observer. Unknown is absence, never zero: a rank that
// has not spoken is not in the maps, a figure that was not told is nullopt.
struct RunRecord {
  results::Effective effective;         // what the ranks that told it agree on
  std::vector<results::StepRow> steps;  // in order of arrival
  std::map<int, results::MemoryRow> mem_peak_bytes;  // by rank
  std::vector<CheckpointEvent> checkpoints;          // of all ranks
  std::map<int, EndEvent> ends;                      // by rank
  std::map<int, ErrorEvent> errors;     // by rank, the first of each
  std::optional<int> first_error_rank;  // whose error came first
  // Of what ranks print that are no events (runner/observe).
  std::vector<results::FindingRow> findings;  // the root cause first
  std::string root_cause;                     // one line; empty: none was found
  std::string nccl_health;  // "healthy", "degraded", "failed", "unknown";
                            // empty: NCCL was not used
  // Whether each step has a row; a trainer's log may speak for several at once.
  bool every_step = true;
  bool amended = false;   // steps hold more than when they were told
  bool replaced = false;  // some that were told are not among them
  // What it should have told and has not, each in one line: figures of the
  // last step, steps of a rank.
  std::vector<std::string> missing;
  // "step 7: loss nan", where a rank told it whose steps are not these.
  std::optional<std::string> invalid_loss;
  int64_t damaged_lines = 0;  // that claimed to be events and were not
};

// What a run must have told before it counts as measured and may pass.
struct Completion {
  int64_t steps = 0;       // in a row; 0: at least one where `any_step` says so
  bool any_step = false;   // the number of steps is not known beforehand
  bool step_times = true;  // how long they took
  bool zero_stage = true;  // the stage in effect
  bool any_stage = false;  // another stage than that asked for is accepted
  bool world_size = true;  // the number of ranks in effect
  bool parameters = false;  // the parameters that each rank ended with
};

}  // namespace zs

#endif  // RUNNER_BACKEND_RUN_RECORD_H_
