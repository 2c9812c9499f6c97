// What an earlier run may have left on a node, ended.
#ifndef RUNNER_REACH_END_LEFTOVERS_H_
#define RUNNER_REACH_END_LEFTOVERS_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "runner/agent/message.h"
#include "runner/reach/connection.h"

namespace zs {

struct Leftovers {
  StoppedMsg stopped;
  std::string record;  // what the node has kept of the run (RecordOfRun)
};

// Ends the processes that bear TOKEN on the node of CONNECTION: TERM, GRACE_MS,
// KILL. No run may be under way there. kUnavailable where the connection is
// broken; kDeadlineExceeded where there is no answer within TIMEOUT_MS.
Result<Leftovers> EndLeftovers(Connection& connection, const std::string& token,
                               int64_t grace_ms, int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_REACH_END_LEFTOVERS_H_
