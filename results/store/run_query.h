// The two wide queries: runs and experiments with all that belongs to them.
#ifndef RESULTS_STORE_RUN_QUERY_H_
#define RESULTS_STORE_RUN_QUERY_H_

#include <string>
#include <string_view>

#include "results/store/database.h"
#include "results/store/record.h"

namespace zs::results {

// SQL whose rows ReadRun reads. CONDITION may name runs as r, experiments as e
// and sweeps as s; it goes on with ORDER BY and LIMIT where wanted.
std::string RunQuery(std::string_view condition);
RunRow ReadRun(Statement& row);

// The same for experiments (e, s).
std::string ExperimentQuery(std::string_view condition);
ExperimentRow ReadExperiment(Statement& row);

}  // namespace zs::results

#endif  // RESULTS_STORE_RUN_QUERY_H_
