// NCCL's state in a run, in a word and with what speaks for it.
#ifndef RUNNER_OBSERVE_DIAGNOSE_NCCL_HEALTH_H_
#define RUNNER_OBSERVE_DIAGNOSE_NCCL_HEALTH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runner/observe/diagnose/facts.h"
#include "runner/observe/diagnose/finding.h"

namespace zs {

enum class Health { kUnknown, kHealthy, kDegraded, kFailed };

std::string_view HealthName(Health health);

struct NcclHealth {
  Health health = Health::kUnknown;  // unknown: NCCL has said nothing
  std::vector<std::string> evidence;
  std::string version;
  std::vector<std::string> networks;        // "IB", "Socket", ...
  std::string link_layer;                   // "InfiniBand" | "RoCE"; or empty
  std::map<std::string, int64_t> channels;  // by transport: "P2P", "SHM",
                                            // "NET/IB", "NET/IB GDRDMA", ...
  int nodes = -1;
  int ranks = -1;
  double init_s = kNoNumber;
  double busbw_gb_s = kNoNumber;  // of the largest message
  int64_t busbw_bytes = -1;
  std::string busbw_operation;
};

// FINDINGS are ranked (RankFindings).
NcclHealth JudgeNccl(const RunFacts& facts, const Findings& findings);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_NCCL_HEALTH_H_
