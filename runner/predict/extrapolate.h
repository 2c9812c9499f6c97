// One experiment on clusters of growing size.
#ifndef RUNNER_PREDICT_EXTRAPOLATE_H_
#define RUNNER_PREDICT_EXTRAPOLATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "results/report/table.h"
#include "runner/plan/spec/experiment.h"
#include "runner/predict/predict.h"

namespace zs {

struct ClusterSize {
  int nodes = 1;
  int ranks_per_node = 0;  // 0: the experiment's
};

// "nodes=128" or "nodes=128,ranks_per_node=8". kInvalidArgument says what is
// allowed.
Result<ClusterSize> ParseTopology(std::string_view text);

struct ScalingPoint {
  Placement placement;
  StepPrediction step;
  double efficiency_pct = 0;  // tokens/s per rank beside one node's
  double memory_bytes = 0;    // of a rank
};

struct Scaling {
  std::string experiment;
  std::vector<ScalingPoint> points;  // 1, 2, 4, ... nodes, and all of them
  int knee_nodes = 0;                // the first size below 90%; 0: none is
};

// EXPERIMENT on 1, 2, 4, ... and SIZE.nodes nodes: with the same micro-batches
// a rank (the global batch grows), or with FIXED_BATCH the same global batch.
Scaling Extrapolate(const Experiment& experiment, const ClusterSize& size,
                    bool fixed_batch, const MachineProfile& profile);

// A row for each size; notes name the knee and what the figures rest on.
results::Table ScalingTable(const Scaling& scaling,
                            const MachineProfile& profile);

// {"profile", "network_assumed", "experiments": [{"experiment", "knee_nodes",
// "points": [{"nodes", "ranks", "efficiency_pct", "memory_bytes", "why",
// terms}]}]}.
Json ScalingJson(const std::vector<Scaling>& all,
                 const MachineProfile& profile);

}  // namespace zs

#endif  // RUNNER_PREDICT_EXTRAPOLATE_H_
