// Which runs of an experiment are compared, and what speaks against them.
#ifndef RESULTS_REPORT_CHOSEN_RUNS_H_
#define RESULTS_REPORT_CHOSEN_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

struct RunChoice {
  std::string key;
  int64_t sweep_id = 0;      // 0: of all sweeps
  int64_t after_run_id = 0;  // later ones alone
};

// The valid runs that count: the newest of each repeat, oldest first.
Result<std::vector<RunRow>> ValidRepeats(const Reader& reader,
                                         const RunChoice& choice);

// Adds to SIDE what the verdicts of RUNS, which CHOICE gave, say against them,
// and that the newest attempt is none of them because it failed.
Status NoteFaults(const Reader& reader, const RunChoice& choice,
                  const std::vector<RunRow>& runs, ComparedExperiment& side);

// Why the attempts at EXPERIMENT, RUNS, newest first, gave no measurement.
std::string WhyMissing(const ExperimentRow& experiment,
                       const std::vector<RunRow>& runs);

}  // namespace zs::results

#endif  // RESULTS_REPORT_CHOSEN_RUNS_H_
