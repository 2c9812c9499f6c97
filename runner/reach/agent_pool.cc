#include "runner/reach/agent_pool.h"

#include <sys/random.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace zs {
namespace {

// 128 random bits in hexadecimal: nobody else's session, on any node.
Result<std::string> NewSession() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) !=
      static_cast<ssize_t>(sizeof bytes)) {
    return ErrnoError(errno, "get random bytes");
  }
  std::string id;
  for (const unsigned char byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

}  // namespace

AgentPool::~AgentPool() {
  std::vector<Connection*> all;
  for (auto& [key, connection] : connections_) {
    all.push_back(connection.get());
  }
  Connection::CloseAll(all);
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

Status AgentPool::ReadAgent() {
  if (!bootstrap_) {
    ASSIGN_OR_RETURN(Bootstrap bootstrap, MakeBootstrap(options_.agent_path));
    bootstrap_ = std::make_unique<Bootstrap>(std::move(bootstrap));
  }
  return OkStatus();
}

Result<std::unique_ptr<Connection>> AgentPool::Open(
    const std::vector<std::string>& reach) {
  if (reach.empty()) {
    std::vector<std::string> command = {options_.agent_path};
    if (!options_.containment.empty()) {
      command.push_back(options_.containment);
    }
    return Connection::Open(command, {});
  }
  RETURN_IF_ERROR(ReadAgent());
  std::vector<std::string> command = reach;
  command.push_back("sh");
  ASSIGN_OR_RETURN(std::string session, NewSession());
  return Connection::Open(command, {.lease_ms = options_.lease_ms,
                                    .bootstrap = bootstrap_.get(),
                                    .containment = options_.containment,
                                    .session = std::move(session)});
}

void AgentPool::Discard(const std::string& node,
                        const std::vector<std::string>& reach) {
  connections_.erase({node, reach});
}

}  // namespace zs
