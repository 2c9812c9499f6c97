// What is verified before a run costs anything.
#ifndef RUNNER_CHECK_PREFLIGHT_H_
#define RUNNER_CHECK_PREFLIGHT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/reach/agent_pool.h"

namespace zs {

struct PreflightNode {
  std::string name;
  std::vector<std::string> reach;
};

struct WantedPath {
  enum class Kind {
    kFile,
    kFolder,
    kWritableFolder,
  };
  std::string path;
  Kind kind = Kind::kFile;
  bool same_everywhere = false;  // a file whose content is equal on all nodes
};

struct PreflightRequest {
  std::vector<PreflightNode> nodes;  // the first one is the master
  std::string master_addr;           // a name or a number; empty: not checked
  int master_port = 0;               // 0: not checked
  bool any_port = false;  // where master_port is 0 or taken, one that the
                          // master picks is checked instead
  std::vector<WantedPath> paths;
  std::string space_path;     // where space_bytes must be free
  int64_t space_bytes = 0;    // 0: not checked; likewise below
  int64_t shm_bytes = 0;      // free in /dev/shm
  int64_t memlock_bytes = 0;  // limit of locked memory; -1: unlimited
  int64_t open_files = 0;     // limit of open descriptors
  double clock_skew_s = 1;    // largest difference from this host
};

enum class CheckState {
  kOk,
  kFailed,
  kUnknown,  // could not be found out; not good enough to start
};

// "ok", "failed", "unknown".
std::string_view CheckStateName(CheckState state);

struct CheckResult {
  std::string name;  // "reach", "clock", "resolve", "master_address",
                     // "master_port", "port_reachable", "path", "same_file",
                     // "space", "shm", "memlock", "open_files"
  std::string node;
  CheckState state = CheckState::kUnknown;
  std::string found;
  std::string limit;   // what would be good, with the remedy where it is not
  std::string repeat;  // a shell command that looks at the same thing
};

// Carries out all checks on all nodes at the same time, at most TIMEOUT_MS for
// each of three rounds. A node that is not reached has the one result "reach".
std::vector<CheckResult> RunPreflight(const PreflightRequest& request,
                                      AgentPool& agents, int64_t timeout_ms);

// Whether every result is kOk.
bool AllOk(const std::vector<CheckResult>& results);

}  // namespace zs

#endif  // RUNNER_CHECK_PREFLIGHT_H_
