// Writes what a run told and how it ended into the record.
#ifndef RUNNER_SWEEP_RECORD_RUN_H_
#define RUNNER_SWEEP_RECORD_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/record.h"
#include "results/store/store.h"
#include "runner/backend/run_record.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/outcome.h"

namespace zs {

// A run that has ended; all outlive the call.
struct EndedRun {
  const Experiment& experiment;
  int64_t sweep_id = 0;
  int64_t run_id = 0;
  const std::string& folder;
  const RunOutcome& ended;
  const RunRecord& record;
  int64_t now_unix_ms = 0;
};

// The nodes of EXPERIMENT as rows; nothing is known of them yet.
std::vector<results::NodeRow> NodesOf(const Experiment& experiment);

// What was found, as rows: the observer's findings, errors that ranks reported
// themselves, and the supervisor's notes.
std::vector<results::FindingRow> FindingsOf(const EndedRun& run);

// ROWS, the last ones to be written, become all steps of RECORD where these
// were amended (marks, second lines) since they were told.
void AddAmendedSteps(const RunRecord& record,
                     std::vector<results::StepRow>& rows);

// Everything but the steps and the final state: what was in effect, ranks,
// nodes, memory, findings, logs.
Status RecordDetails(results::Store& store, const EndedRun& run);

}  // namespace zs

#endif  // RUNNER_SWEEP_RECORD_RUN_H_
