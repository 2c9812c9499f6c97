// What a sweep tells the record of its experiments.
#ifndef RUNNER_SWEEP_SWEEP_ROWS_H_
#define RUNNER_SWEEP_SWEEP_ROWS_H_

#include <string>
#include <vector>

#include "results/store/record.h"
#include "runner/plan/decide.h"
#include "runner/plan/describe.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// EXPERIMENT as the record wants it; SPEC_JSON as evaluated, secrets masked.
results::Experiment RecordOf(const Experiment& experiment, const Key& key,
                             const std::string& spec_json);

// Why an experiment that DECISION does not run is not run.
results::NotRun NotRunOf(const Decision& decision);

// What was predicted of an experiment, term by term.
std::vector<results::PredictionRow> PredictionsOf(const Derived& derived);

}  // namespace zs

#endif  // RUNNER_SWEEP_SWEEP_ROWS_H_
