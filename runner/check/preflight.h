// What is verified before a run costs anything. docs/checks.md lists the
// checks.
#ifndef RUNNER_CHECK_PREFLIGHT_H_
#define RUNNER_CHECK_PREFLIGHT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runner/check/result.h"
#include "runner/check/wanted_path.h"
#include "runner/reach/agent_pool.h"

namespace zs {

struct PreflightRequest {
  std::vector<PreflightNode> nodes;  // the first one is the master
  std::string master_addr;           // a name or a number; empty: not checked
  int master_port = 0;               // 0: not checked
  bool any_port = false;  // where master_port is 0 or taken, one that the
                          // master picks is checked instead
  std::vector<WantedPath> paths;
  std::vector<std::string> programs;  // found in PATH, or as paths
  std::string program_folder;         // where they start; empty: anywhere
  // Their arguments, whose content is told where they are files there.
  std::vector<std::string> program_words;
  std::string path;  // the PATH that ranks get; empty: the node's own
  std::vector<std::string> trees;     // folders of equal content
  std::string space_path;             // where space_bytes must be free
  int64_t space_bytes = 0;            // 0: not checked; likewise below
  int64_t shm_bytes = 0;              // free in /dev/shm
  int64_t memlock_bytes = 0;          // limit of locked memory; -1: unlimited
  bool memlock_for_adapters = false;  // only where an InfiniBand port is up
  int64_t open_files = 0;             // limit of open descriptors
  // That the ranks get, by name (see LimitsSet): whether they can.
  std::vector<std::pair<std::string, int64_t>> ulimits;
  bool login_shell = false;  // the node's own PATH is that of a login shell
  double clock_skew_s = 1;   // largest difference from this host
  int gpus = 0;              // on each node
  // NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and NCCL_IB_HCA, as the ranks get
  // them.
  std::map<std::string, std::string> network;
  bool versions = false;  // must be equal; and what machine it is
  std::string python;     // whose version and packages too; empty: none
  bool leftovers = false;
};

// Carries out all checks on all nodes at the same time, at most TIMEOUT_MS for
// each of its rounds. A node that is not reached has the one result "reach".
std::vector<CheckResult> RunPreflight(const PreflightRequest& request,
                                      AgentPool& agents, int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_CHECK_PREFLIGHT_H_
