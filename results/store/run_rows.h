// Rows of experiments and runs. Errors are those of the database; each function
// belongs into a transaction of its caller's.
#ifndef RESULTS_STORE_RUN_ROWS_H_
#define RESULTS_STORE_RUN_ROWS_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "results/store/database.h"
#include "results/store/record.h"

namespace zs::results {

// The new row's id.
Result<int64_t> InsertExperiment(Database& database, int64_t sweep_id,
                                 const Experiment& e);

// Replaces the key of an experiment; kNotFound.
Status SetExperimentKey(Database& database, int64_t experiment_id,
                        const std::string& key,
                        const std::string& key_parts_json);

// Why an experiment was not run; CACHED_RUN_ID is the run that stands for it,
// 0: there is none. kNotFound.
Status SetExperimentNotRun(Database& database, int64_t experiment_id,
                           NotRun state, const std::string& reason,
                           int64_t cached_run_id);

// The new row's id; kNotFound for an unknown experiment.
Result<int64_t> InsertRun(Database& database, const RunStart& start);

// Sets the final state of a run that has none.
Status WriteOutcome(Database& database, int64_t run_id,
                    const RunOutcome& outcome);

// The same of RUN, whose runner has died, there and in RUN.
Status CloseLostRun(Database& database, RunRow& run, int64_t now_unix_ms);

}  // namespace zs::results

#endif  // RESULTS_STORE_RUN_ROWS_H_
