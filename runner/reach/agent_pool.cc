#include "runner/reach/agent_pool.h"

#include <utility>

namespace zs {

Result<Connection*> AgentPool::Get(const std::string& node,
                                   const std::vector<std::string>& reach) {
  const std::pair key(node, reach);
  const auto found = connections_.find(key);
  if (found != connections_.end()) {
    if (found->second->status().ok()) {
      return found->second.get();
    }
    connections_.erase(found);
  }
  std::vector<std::string> command = reach;
  command.push_back(options_.agent_path);
  if (!options_.containment.empty()) {
    command.push_back(options_.containment);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                   Connection::Open(command, reach.empty() ? 0 : kLeaseMs));
  return connections_.emplace(key, std::move(connection)).first->second.get();
}

void AgentPool::Discard(const std::string& node,
                        const std::vector<std::string>& reach) {
  connections_.erase({node, reach});
}

}  // namespace zs
