// The surroundings of a run, recorded with it so that a difference in results
// can be traced to a difference in them.
#ifndef RUNNER_HOST_ENVIRONMENT_H_
#define RUNNER_HOST_ENVIRONMENT_H_

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "runner/host/command_output.h"
#include "runner/host/machine.h"

namespace zs {

// A source tree's state.
struct GitState {
  std::string commit;  // empty: no repository, or no git
  bool dirty = false;  // changes that are not committed
};

// STATUS as `git status --porcelain=v2 --branch` prints it.
GitState ReadGitStatus(std::string_view status);

// The state of a repository, asked for in the background.
class GitLook {
 public:
  // Of the repository around FOLDER.
  explicit GitLook(const std::string& folder);
  // Once; waits for the answer.
  GitState Take();

 private:
  Result<StartedCommand> command_;
};

// {machine, git: {commit, dirty}, compiler, variables}.
Json EnvironmentJson(const Machine& machine, const GitState& git,
                     const std::map<std::string, std::string>& variables);

}  // namespace zs

#endif  // RUNNER_HOST_ENVIRONMENT_H_
