// What a machine can do, as data: experiments/profiles/NAME.json, or measured
// by `runner profile`.
#ifndef RUNNER_PREDICT_PROFILE_H_
#define RUNNER_PREDICT_PROFILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs {

// The rate of matrix products whose inner size is WIDTH, of one device or, on
// CPUs, one core.
struct GemmRate {
  double width = 0;
  double tflops = 0;
};

// Collectives between ranks of one node, or of several.
struct LinkRate {
  double latency_us = 0;  // of a call (within a node), of a hop (between nodes)
  double gb_s = 0;        // that a rank sends
};

struct MachineProfile {
  std::string name;
  std::string source;          // where the figures come from
  std::string device;          // "cpu" | "cuda"
  std::string match;           // part of the GPU's or CPU's name; empty: none
  double cores = 0;            // of a node; CPUs alone
  double core_scaling = 1;     // speed of c cores: c to this power; CPUs alone
  std::vector<GemmRate> gemm;  // by width, ascending; at least one
  double attention_forward_tflops = 0;
  double attention_backward_tflops = 0;
  double memory_gb_s = 0;       // of what is neither product nor attention
  double optimizer_gb_s = 0;    // of the optimizer
  double overhead_ms = 0;       // of a step
  double pass_overhead_ms = 0;  // of each pass of a micro-batch
  LinkRate node;                // within a node
  LinkRate network;             // between nodes; gb_s of each rank
  bool network_assumed = true;  // not measured
  // How much hidden communication slows the passes under it: this share of the
  // time that it would take alone.
  double interference = 0;
  // What each collective waits for every further rank that shares a core, until
  // all have had their turn; CPUs alone. Unknown: no such run was measured.
  std::optional<double> turn_ms;
  double error_pct = 0;  // of the runs that it was made from, root mean square
  int ranks_measured = 1;  // the most ranks of these runs
};

// {"schema": 1, ...} with the names above.
Json ToJson(const MachineProfile& profile);

// kInvalidArgument names ORIGIN and the field that is missing, unknown, or not
// above zero where it must be.
Result<MachineProfile> ProfileFromJson(const Json& json,
                                       const std::string& origin);
Result<MachineProfile> ReadProfile(const std::string& path);

// The rate of products of WIDTH, FLOP/s: between the widths that were measured
// linear over the logarithm, beyond them that of the nearest.
double GemmFlops(const MachineProfile& profile, double width);

}  // namespace zs

#endif  // RUNNER_PREDICT_PROFILE_H_
