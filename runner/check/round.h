// Questions to the nodes of an experiment that are asked together, and what
// their answers mean.
#ifndef RUNNER_CHECK_ROUND_H_
#define RUNNER_CHECK_ROUND_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/check/result.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/ask.h"

namespace zs {

// Plans questions, asks all of them at once, and collects results. NODES and
// AGENTS must outlive it. Not thread-safe.
class CheckRound {
 public:
  // Fills state, found and limit of a result from an answer.
  using Judge = std::function<void(const std::string& answer, CheckResult&)>;

  CheckRound(const std::vector<PreflightNode>& nodes, AgentPool& agents,
             int64_t timeout_ms)
      : nodes_(nodes), agents_(agents), timeout_ms_(timeout_ms) {}

  const std::vector<PreflightNode>& nodes() const { return nodes_; }

  // Gets the agents of all nodes; a node without one has a failed "reach".
  void Reach();

  // The nodes that have been reached so far, by place in nodes().
  std::map<size_t, Connection*>& reached() { return reached_; }

  // Plans QUERY for NODE; COMMAND is how to repeat it by hand. What the agent
  // cannot answer fails the check with its message.
  void Ask(size_t node, const std::string& check, QueryMsg query,
           const std::vector<std::string>& command, Judge judge);

  // The same for a shell script with arguments: the judge gets "exit N", a line
  // feed, and what it printed. BY_HAND is a shorter script that shows the same;
  // empty: the script itself.
  void AskShell(size_t node, const std::string& check,
                const std::string& script, const std::vector<std::string>& args,
                const std::string& by_hand, Judge judge);

  // Asks what is planned, and judges.
  void Run();

  // The question whose answer is being judged.
  const Question& question() const { return *question_; }

  std::vector<CheckResult>& results() { return results_; }

 private:
  struct Asked {
    CheckResult result;
    Judge judge;
  };

  const std::vector<PreflightNode>& nodes_;
  AgentPool& agents_;
  int64_t timeout_ms_;
  std::map<size_t, Connection*> reached_;
  std::vector<Question> questions_;
  std::vector<Asked> asked_;
  const Question* question_ = nullptr;
  std::vector<CheckResult> results_;
};

// What a script printed, where ANSWER says that it ended well.
std::optional<std::string> PrintedBy(const std::string& answer);

// ANSWER of a script that did not: on one line, for `found`.
std::string OneLineOf(std::string answer);

}  // namespace zs

#endif  // RUNNER_CHECK_ROUND_H_
