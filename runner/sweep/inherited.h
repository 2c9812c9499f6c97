// The variables that ranks on this host have besides those of their experiment.
#ifndef RUNNER_SWEEP_INHERITED_H_
#define RUNNER_SWEEP_INHERITED_H_

#include <map>
#include <optional>
#include <string>

#include "runner/plan/spec/experiment.h"

namespace zs {

// Ranks on this host inherit the runner's environment and, where they ask for
// it, have that of the login shell above it. Of these the variables count that
// may change a result (runner/host/relevant_variable.h). Not thread-safe.
class InheritedVariables {
 public:
  // Of this process.
  InheritedVariables();
  // For tests: of a process with these.
  explicit InheritedVariables(std::map<std::string, std::string> own)
      : own_(std::move(own)) {}

  // Those of the ranks of EXPERIMENT that its `env` does not set; none where
  // they run on other hosts. The login shell is asked once, when it is first
  // wanted; where it does not answer the run will tell.
  std::map<std::string, std::string> Of(const Experiment& experiment);

 private:
  std::map<std::string, std::string> own_;
  std::optional<std::map<std::string, std::string>> login_;
};

}  // namespace zs

#endif  // RUNNER_SWEEP_INHERITED_H_
