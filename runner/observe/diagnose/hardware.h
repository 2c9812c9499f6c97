// What is known of GPUs by their names, and the bandwidth they should reach.
#ifndef RUNNER_OBSERVE_DIAGNOSE_HARDWARE_H_
#define RUNNER_OBSERVE_DIAGNOSE_HARDWARE_H_

#include <string>
#include <string_view>
#include <vector>

namespace zs {

// Whether the first known name is a board without GPU Direct and P2P
// (GeForce, GB10).
bool IsConsumerGpu(const std::vector<std::string>& gpus);

// Whether these boards are joined by NVLink.
bool HasNvlink(const std::vector<std::string>& gpus);

// What nccl-tests should show for large messages.
struct BandwidthReference {
  double busbw_gb_s = 0;     // 0: not known
  double share = 0.8;        // below this share of it something is wrong
  std::string_view suspect;  // code of the first suspicion; may be empty
};

// The reference for OPERATION over RANKS GPUs of the named kind on NODES
// nodes: what users and NVIDIA's staff report in NCCL's and nccl-tests' public
// issues for healthy machines.
BandwidthReference ReferenceBandwidth(const std::vector<std::string>& gpus,
                                      int nodes, int ranks,
                                      std::string_view operation);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_HARDWARE_H_
