// The plan as people and programs see it: what happens to each experiment,
// its derived figures and its predicted memory.
#ifndef RUNNER_PLAN_DESCRIBE_H_
#define RUNNER_PLAN_DESCRIBE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/api/event.h"
#include "engine/api/run_config.h"
#include "runner/plan/decide.h"
#include "runner/plan/spec/experiment.h"
#include "runner/predict/predict.h"

namespace zs {

// What follows from an experiment's own numbers.
struct Derived {
  int world_size = 0;
  int64_t accumulation = 0;     // micro-batches a rank runs for one step
  int64_t tokens_per_step = 0;  // of the global batch; 0: trains no model
  int64_t parameters = 0;       // of the whole model; 0: no model given
  MemoryBytes memory;           // predicted, of one rank; total 0: unknown
  StepPrediction step;          // step_ms 0: unknown (runner/predict fills it)
  std::string profile;          // the machine profile of that prediction
};

// Predicts the memory of one rank (engine/api/footprint.h has the engine's).
using MemoryPredictor = MemoryBytes (*)(const RunConfig& config,
                                        int world_size);

// The derived figures of each experiment of SWEEP. Equal models and shapes are
// computed once, so that a large matrix costs little.
std::vector<Derived> DeriveAll(const Sweep& sweep, MemoryPredictor predict);

// Memory of a node; 0: unknown, and then everything fits.
struct NodeMemory {
  int64_t host_bytes = 0;
  int64_t gpu_bytes = 0;  // of each GPU
};

// Why the experiment does not fit, with the sums; empty where it does or where
// that is unknown. On CPUs the ranks of a node share its memory.
std::string DoesNotFit(const Experiment& experiment, const Derived& derived,
                       const NodeMemory& node);

// A row for each experiment, in the order in which they run.
struct PlanRow {
  size_t index = 0;  // in Sweep::experiments
  Decision decision;
  Derived derived;
};

// Rows in the order of GRAPH from what was decided and derived for each.
std::vector<PlanRow> PlanRows(const Graph& graph,
                              const std::vector<Decision>& decisions,
                              const std::vector<Derived>& derived);

// A table of text, for a writer to lay out.
struct TextTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<bool> is_number;  // of each column: set to the right
  std::vector<std::vector<std::string>> rows;
};

// What happens to each experiment and why, stage, ranks, batch arithmetic,
// parameters and needs; then the memory of a rank by component, and the step
// with its interval, for those where they were predicted. Narrow enough for a
// terminal.
std::vector<TextTable> PlanTables(const Sweep& sweep,
                                  const std::vector<PlanRow>& rows);

// {"sweep", "experiments": [{"name", "action", "cause", "reason", "repeats",
// "backend", "zero_stage", "needs", "nodes", "world_size", "accumulation",
// "tokens_per_step", "parameters", "mem_predicted_bytes": {...},
// "step_predicted": {"profile", "step", "lo", "hi", ...}}]}.
Json PlanJson(const Sweep& sweep, const std::vector<PlanRow>& rows);

// "1.72B", "124M", "850k", "12"; three significant digits.
std::string ShortCount(int64_t count);
// "6.4 GiB", "210 MiB", "12 B".
std::string ShortBytes(int64_t bytes);

}  // namespace zs

#endif  // RUNNER_PLAN_DESCRIBE_H_
