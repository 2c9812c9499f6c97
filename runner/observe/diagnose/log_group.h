// The logs of one run.
#ifndef RUNNER_OBSERVE_DIAGNOSE_LOG_GROUP_H_
#define RUNNER_OBSERVE_DIAGNOSE_LOG_GROUP_H_

#include <string>
#include <vector>

#include "runner/observe/diagnose/facts.h"

namespace zs {

// The files of one run, in order of nodes and ranks.
struct LogGroup {
  std::string name;  // what the files' names have in common
  std::vector<LogSource> sources;
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_LOG_GROUP_H_
