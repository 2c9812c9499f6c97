// Questions to agents, outside of any run.
#ifndef RUNNER_REACH_ASK_H_
#define RUNNER_REACH_ASK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/agent/message.h"
#include "runner/reach/connection.h"

namespace zs {

// One question and, after AskAll, its answer.
struct Question {
  Connection* connection = nullptr;
  QueryMsg query;  // see runner/agent/facts.h
  // The agent's answer. kFailedPrecondition with its message where it cannot
  // answer; kUnavailable where the agent is gone; kDeadlineExceeded.
  Result<std::string> answer = UnavailableError("not asked");
  int64_t sent_unix_us = 0;      // by this host's clock
  int64_t answered_unix_us = 0;  // 0: not answered
};

// Asks all questions at the same time and waits for the answers: TIMEOUT_MS at
// most until an agent greets, where it has not yet, and TIMEOUT_MS from then
// on. Several may go to one connection, which answers them in their order. No
// run may be under way on them.
void AskAll(std::vector<Question>& questions, int64_t timeout_ms);

// Asks what needs no answer; whatever is sent on CONNECTION later is dealt with
// afterwards.
void Tell(Connection& connection, QueryMsg query);

// One question.
Result<std::string> Ask(Connection& connection, QueryMsg query,
                        int64_t timeout_ms);

}  // namespace zs

#endif  // RUNNER_REACH_ASK_H_
