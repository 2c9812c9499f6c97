// What of an experiment has passed before and still counts. What a run had to
// satisfy (`expect`) is no part of its key, so it is held against the figures
// on record whenever it has changed since.
#ifndef RUNNER_SWEEP_PAST_PASSES_H_
#define RUNNER_SWEEP_PAST_PASSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/reader.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

struct PastPasses {
  int count = 0;
  int64_t run_id = 0;  // the newest that counts; 0: none does
  std::string newest;  // it, for people: "run 12, 2026-11-30 07:40"
  // Of the newest run that passed and does not count, why:
  // "expect.min_busbw_gb_s changed: 0.0097, at least 300 (run 12)"; empty:
  // there is none.
  std::string outdated;
};

// Those of RUNS, valid ones that passed, newest first, that satisfy what
// EXPERIMENT expects: by what they were judged by then, else by the figures on
// record. A figure that the record does not have satisfies nothing. Errors are
// those of RECORD.
Result<PastPasses> FindPastPasses(const results::Reader& record,
                                  const std::vector<results::RunRow>& runs,
                                  const Experiment& experiment);

}  // namespace zs

#endif  // RUNNER_SWEEP_PAST_PASSES_H_
