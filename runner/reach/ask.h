// One question to an agent, outside of any run.
#ifndef RUNNER_REACH_ASK_H_
#define RUNNER_REACH_ASK_H_

#include <string>

#include "base/status.h"
#include "runner/agent/message.h"
#include "runner/reach/connection.h"

namespace zs {

// The agent's answer to QUERY (see runner/agent/facts.h). Blocks for TIMEOUT_MS
// at most (kDeadlineExceeded). kFailedPrecondition with the agent's message
// where it cannot answer; kUnavailable where the agent is gone. No run may be
// under way on CONNECTION.
Result<std::string> Ask(Connection& connection, QueryMsg query,
                        int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_REACH_ASK_H_
