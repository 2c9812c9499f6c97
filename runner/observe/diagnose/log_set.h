// Which files belong to which run, and what their names say.
#ifndef RUNNER_OBSERVE_DIAGNOSE_LOG_SET_H_
#define RUNNER_OBSERVE_DIAGNOSE_LOG_SET_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runner/observe/diagnose/log_group.h"

namespace zs {

// What a path says: "z1_node2.log" is node "node2" of run "z1";
// "g0034/rank_3.err" is rank 3 on g0034; torchrun's "attempt_0/3/stderr.log"
// is rank 3. GROUP gets the rest of the name, with its folder.
LogSource SourceFromPath(const std::string& path, std::string& group);

// The files that PATHS name: files as they are, patterns ("*.log") that no
// shell has expanded, folders with all files below them (hidden ones, known
// binary formats and flight-recorder pickles left out; at most 10,000), "-" for
// standard input. Files of one run, by their names or by NCCL's communicators
// (log_joining.h), stand in one group. kNotFound where a path is not there;
// kInvalidArgument where nothing is left to read.
Result<std::vector<LogGroup>> FindLogs(const std::vector<std::string>& paths);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_LOG_SET_H_
