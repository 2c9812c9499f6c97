// Whether the nodes find each other: the master's name, address and port.
#ifndef RUNNER_CHECK_MASTER_H_
#define RUNNER_CHECK_MASTER_H_

#include <cstdint>
#include <map>
#include <string>

#include "runner/check/round.h"

namespace zs {

struct MasterToCheck {
  std::string address;  // a name or a number; empty: nothing is checked
  int port = 0;         // 0: none, or with any_port one that the master picks
  bool any_port = false;
};

// Adds "resolve", "master_address", "master_port" and "port_reachable" to
// ROUND, of the nodes that have been reached. HOSTS are the agents' answers to
// "host".
void CheckMaster(const MasterToCheck& master,
                 const std::map<size_t, std::string>& hosts, CheckRound& round,
                 int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_CHECK_MASTER_H_
