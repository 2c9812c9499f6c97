// TCP ports of this host. Arguments and errors as in Facts (facts.h).
#ifndef RUNNER_AGENT_PORT_FACTS_H_
#define RUNNER_AGENT_PORT_FACTS_H_

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

// {PORT}
Result<std::string> PortFree(const std::vector<std::string>& args);

// {}, or {PORT}
Result<std::string> PickPort(const std::vector<std::string>& args);

// {ADDRESS, PORT, MS}
Result<std::string> ConnectTo(const std::vector<std::string>& args);

// A socket that listens on {PORT} of every address.
Result<Descriptor> OpenListener(const std::vector<std::string>& args);

}  // namespace zs

#endif  // RUNNER_AGENT_PORT_FACTS_H_
