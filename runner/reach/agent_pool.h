// The agents that this process has at hand, one for each node.
#ifndef RUNNER_REACH_AGENT_POOL_H_
#define RUNNER_REACH_AGENT_POOL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runner/reach/bootstrap.h"
#include "runner/reach/connection.h"

namespace zs {

// How agents are started.
struct AgentOptions {
  std::string agent_path;   // the agent program on this host
  std::string containment;  // "" (the best there is), "cgroup", "subreaper"
  // How long an agent on another host keeps its processes without hearing of
  // this one. (On this host the end of the runner is seen at once.)
  // A run sets its own (RunLimits::lease_s).
  int64_t lease_ms = 30'000;
};

// Keeps agents between runs, so that a run costs no new start. Owns the
// connections: when it goes, so do the agents and all that they own. Not
// thread-safe.
class AgentPool {
 public:
  explicit AgentPool(AgentOptions options) : options_(std::move(options)) {}
  // Ends all agents at the same time and waits for them.
  ~AgentPool();
  AgentPool(AgentPool&&) = default;
  AgentPool& operator=(AgentPool&&) = default;

  // The agent of NODE behind REACH (an argv prefix that passes one more word,
  // the program `sh`, to the node, and pipes its stdin and stdout), put there
  // where it is missing, and started where there is none yet (without waiting
  // for its answer). The pointer is valid until the next call for that node or
  // Discard.
  Result<Connection*> Get(const std::string& node,
                          const std::vector<std::string>& reach);

  // Reads the agent program that nodes behind a way get, which the first Get
  // would do otherwise.
  Status ReadAgent();

  // From now on agents on this host are started from PATH, a copy of the agent
  // program.
  void StartFrom(std::string path) { options_.agent_path = std::move(path); }

  // Forgets an agent that failed; the next Get starts another.
  void Discard(const std::string& node, const std::vector<std::string>& reach);

  const AgentOptions& options() const { return options_; }

 private:
  Result<std::unique_ptr<Connection>> Open(
      const std::vector<std::string>& reach);

  AgentOptions options_;
  std::unique_ptr<Bootstrap> bootstrap_;  // made when it is first needed
  // By the node's name and the way to it.
  std::map<std::pair<std::string, std::vector<std::string>>,
           std::unique_ptr<Connection>>
      connections_;
};

}  // namespace zs

#endif  // RUNNER_REACH_AGENT_POOL_H_
