// Looks at the environment of a run before it starts: names that nobody
// knows, pairs that contradict each other, settings without effect.
#ifndef RUNNER_OBSERVE_ENV_LINT_H_
#define RUNNER_OBSERVE_ENV_LINT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

using Environment = std::map<std::string, std::string, std::less<>>;

struct EnvironmentIssue {
  std::string name;
  std::string nearest;    // the known name that was meant; may be empty
  std::string message;    // what is wrong and what to do
  bool is_error = false;  // nothing can run with it: a device is not there
};

// What is known about the place where it will run; empty: not known, and what
// needs it is not checked.
struct LintContext {
  std::string nccl_version;             // "2.28.9"
  std::vector<std::string> interfaces;  // of the node
  std::vector<std::string> hcas;        // of the node
  int nodes = 0;
};

// All issues of NCCL_*, GLOO_*, UCX_*, CUDA_*, TORCH_NCCL_* and TORCH_FR_*
// names, in order of names. Pure.
std::vector<EnvironmentIssue> LintEnvironment(const Environment& environment,
                                              const LintContext& context);

// The assignments in front of a command: "A=1 B='x y' torchrun ...". Stops at
// the first word that is none.
Environment EnvironmentIn(std::string_view command);

}  // namespace zs

#endif  // RUNNER_OBSERVE_ENV_LINT_H_
