// What the agent can tell of its host without starting a program.
#ifndef RUNNER_AGENT_FACTS_H_
#define RUNNER_AGENT_FACTS_H_

#include <string>

#include "runner/agent/message.h"

namespace zs {

// Answers a query at once. Names and arguments:
//   "host"              lines "NAME VALUE": hostname, kernel, boot_id, cores
//                       (this process may use), memory_bytes,
//                       memory_available_bytes, load_1m, unix_us
//   "port_free" PORT    "free" or "busy": whether a listener can have it
//   "pick_port"         a free TCP port outside the range from which the kernel
//                       gives out ports by itself
// Anything else is an error that names what is known.
AnswerMsg AnswerQuery(const QueryMsg& query);

std::string BootId();
std::string HostName();

}  // namespace zs

#endif  // RUNNER_AGENT_FACTS_H_
