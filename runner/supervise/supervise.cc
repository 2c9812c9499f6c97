#include "runner/supervise/supervise.h"

#include <utility>

#include "runner/supervise/run.h"

namespace zs {

RunOutcome Supervise(const RunRequest& request, AgentPool& agents,
                     RunObserver& observer, const StopSource& stop) {
  Run run(request, agents, observer, stop);
  return run.Execute();
}

}  // namespace zs
