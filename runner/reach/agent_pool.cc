#include "runner/reach/agent_pool.h"

#include <utility>

namespace zs {

AgentPool::~AgentPool() {
  for (auto& [key, connection] : connections_) {
    connection->EndInput();
  }
}

Result<Connection*> AgentPool::Get(const std::string& node,
                                   const std::vector<std::string>& reach) {
  const std::pair key(node, reach);
  const auto found = connections_.find(key);
  if (found != connections_.end()) {
    found->second->Refresh();
    if (found->second->status().ok()) {
      return found->second.get();
    }
    connections_.erase(found);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Open(reach));
  return connections_.emplace(key, std::move(connection)).first->second.get();
}

Result<std::unique_ptr<Connection>> AgentPool::Open(
    const std::vector<std::string>& reach) {
  if (reach.empty()) {
    std::vector<std::string> command = {options_.agent_path};
    if (!options_.containment.empty()) {
      command.push_back(options_.containment);
    }
    return Connection::Open(command, /*lease_ms=*/0);
  }
  if (!bootstrap_) {
    ASSIGN_OR_RETURN(Bootstrap bootstrap,
                     MakeBootstrap(options_.agent_path, options_.containment));
    bootstrap_ = std::make_unique<Bootstrap>(std::move(bootstrap));
  }
  std::vector<std::string> command = reach;
  command.push_back("sh");
  return Connection::Open(command, options_.lease_ms, bootstrap_.get());
}

void AgentPool::Discard(const std::string& node,
                        const std::vector<std::string>& reach) {
  connections_.erase({node, reach});
}

}  // namespace zs
