// What a sweep as a whole says about the machines that it ran on. Pure.
#ifndef RUNNER_SWEEP_MACHINE_FINDINGS_H_
#define RUNNER_SWEEP_MACHINE_FINDINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/reader.h"

namespace zs {

// What the step times of a sentinel's runs, in order, say about the machine;
// empty where the last run is like the first (their interval holds 1, or they
// differ by 1% at most).
std::string DriftText(const std::string& name,
                      const std::vector<std::vector<double>>& runs);

// What one run of collective operations alone reached.
struct LinkRun {
  std::vector<std::string> hosts;
  std::string op;
  // With the largest size: buffers on the way hide the link from small ones.
  double busbw_gb_s = 0;
};

// A node whose best link carries less than three quarters of what the middle
// node's best link carries.
struct SlowNode {
  std::string host;
  std::string op;
  double busbw_gb_s = 0;
  double others_gb_s = 0;  // of the middle node
};

// The slow nodes that RUNS between parts of a cluster show: a node with a slow
// link is slow in all of its runs, while each of the others has a run without
// it. Nothing of fewer than three nodes, or where every run has all of them.
std::vector<SlowNode> SlowNodesOf(const std::vector<LinkRun>& runs);

// The findings of a sweep that is over: sentinels that drifted (SENTINELS: step
// times of their runs by name) and nodes that are slow in its runs of
// collective operations.
Result<std::vector<results::FindingRow>> MachineFindings(
    const results::Reader& reader, int64_t sweep_id,
    const std::map<std::string, std::vector<std::vector<double>>>& sentinels,
    int64_t at_unix_ms);

}  // namespace zs

#endif  // RUNNER_SWEEP_MACHINE_FINDINGS_H_
