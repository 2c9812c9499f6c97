// What a run has told so far, in words that all backends share.
#ifndef RUNNER_BACKEND_RUN_RECORD_H_
#define RUNNER_BACKEND_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/event.h"

namespace zs {

// Filled by a backend's observer. A rank that has not spoken is not in the
// maps: unknown is absence, never zero.
struct RunRecord {
  std::map<int, StartEvent> starts;           // by rank
  std::vector<StepEvent> steps;               // in order of arrival
  std::map<int, MemoryBytes> mem_peak_bytes;  // by rank
  std::vector<CheckpointEvent> checkpoints;   // of all ranks
  std::map<int, EndEvent> ends;               // by rank
  std::map<int, ErrorEvent> errors;           // by rank, the first of each
  std::optional<int> first_error_rank;        // whose error came first
  int64_t damaged_lines = 0;  // that claimed to be events and were not
};

}  // namespace zs

#endif  // RUNNER_BACKEND_RUN_RECORD_H_
