// Whether the nodes find each other: the master's name, address and port.
#ifndef RUNNER_CHECK_MASTER_H_
#define RUNNER_CHECK_MASTER_H_

#include <map>
#include <string>

#include "runner/check/round.h"

namespace zs {

struct MasterToCheck {
  std::string address;  // a name or a number; empty: nothing is checked
  int port = 0;         // 0: none, or with any_port one that the master picks
  bool any_port = false;
};

// Adds "resolve", "master_address", "master_port" and "port_reachable" to a
// round that is carried out twice. What it is given outlives it.
class MasterCheck {
 public:
  MasterCheck(const MasterToCheck& master, CheckRound& round)
      : master_(master), round_(round) {}

  // Plans for the first time: who the master is, and a listener on its port.
  void PlanFirst();
  // Judges the addresses and plans for the second time: who reaches the
  // listener. HOSTS are the answers to "host" of the nodes that were reached.
  void PlanSecond(const std::map<size_t, std::string>& hosts);
  // Ends the listener, when both are done.
  void Finish();

 private:
  void PlanPort();
  void CompareAddresses(const std::string& host_of_master);

  const MasterToCheck& master_;
  CheckRound& round_;
  std::map<size_t, std::string> addresses_;  // as each node says
  std::string listening_;                    // the port; empty: on none
};

}  // namespace zs

#endif  // RUNNER_CHECK_MASTER_H_
