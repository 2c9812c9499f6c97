// What the agent can tell of its host.
#ifndef RUNNER_AGENT_FACTS_H_
#define RUNNER_AGENT_FACTS_H_

#include <string>

#include "base/descriptor.h"
#include "base/status.h"
#include "runner/agent/file_store.h"
#include "runner/agent/message.h"

namespace zs {

// Answers queries. Names and arguments:
//   "host"               lines "NAME VALUE": hostname, kernel, boot_id, cores
//                        (this process may use), memory_bytes,
//                        memory_available_bytes, load_1m, unix_us, and for each
//                        interface that is up "address INTERFACE ADDRESS MASK"
//   "limits"             lines "NAME VALUE" (see LimitLines): memlock_bytes,
//                        open_files, core_bytes, and with "hard_" before it;
//                        ipc_lock, sys_resource (yes, no): whether
//                        memlock_bytes, and hard limits, do not bind it
//   "path" PATH          lines "NAME VALUE": kind (file, folder, other,
//                        missing), size_bytes, writable (yes, no)
//   "hash" PATH          SHA-256 of a file; beyond 64 MiB of its size and of 1
//                        MiB from its beginning, middle and end
//   "space" PATH         bytes that a user may still write there; where it is
//                        missing, in the nearest folder above that is not
//   "network"            lines "interface NAME STATE" (of /sys/class/net) and
//                        "adapter NAME PORT LINK STATE" (InfiniBand, RoCE)
//   "versions"           lines "NAME VERSION" of kernel, driver, cuda and nccl,
//                        of those that are there
//   "machine"            lines "NAME VALUE": cpu (its model), cores (this
//   process
//                        may use), memory_gib, os, of those that are known, and
//                        "inherited:NAME VALUE" for each variable of this
//                        process that may change what a run measures
//                        (relevant_variable.h; a value of several lines: its
//                        hash)
//   "leftovers"          processes of runs, and shared memory (run_facts.h)
//   "port_free" PORT     "free" or "busy": whether a listener can have it
//   "pick_port" [PORT]   PORT if it is free (0: none is wanted); else a free
//   TCP
//                        port outside the range from which the kernel gives
//                        out ports by itself
//   "listen" PORT [any]  listens there until the next "listen" or "unlisten":
//                        "port PORT". With "any", where PORT is 0 or cannot be
//                        had, on one of "pick_port", and a second line
//                        "instead WHY" where it is not 0
//   "unlisten"
//   "connect" ADDRESS PORT MS   the milliseconds it took; ADDRESS is a number
//   "run" MS PROGRAM ARG...     "exit N" or "signal N", a line feed, and at
//   most
//                        64 KiB of what it printed; killed after MS
//   "record" TOKEN       what sessions that have ended keep of a run (see
//                        RecordOfRun, session.h); may be empty
//   "stored", "put", "keep", "starts"   see FileStore (file_store.h)
// and by the agent's loop:
//   "evidence" MS        see Evidence (evidence.h), of all that it owns
// Anything else is an error that names what is known. "connect", "run" and
// "hash" keep the agent for as long as they take.
class Facts {
 public:
  AnswerMsg Answer(const QueryMsg& query);

 private:
  Result<std::string> Listen(const QueryMsg& query);

  Descriptor listener_;
  FileStore files_{FilesOfThisProgram()};
};

std::string BootId();
std::string HostName();

}  // namespace zs

#endif  // RUNNER_AGENT_FACTS_H_
