// The environment that the user's login shell makes.
#ifndef RUNNER_AGENT_LOGIN_ENVIRONMENT_H_
#define RUNNER_AGENT_LOGIN_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

struct LoginEnvironment {
  std::string shell;
  std::vector<std::string> variables;  // "NAME=value", without those that are
                                       // the shell's own (_, PWD, SHLVL, ...)
  std::vector<std::string> added;      // names that this process does not have,
                                       // or has with another value
};

// Runs $SHELL (else the shell of /etc/passwd, else /bin/sh) as a login shell
// without a terminal and asks it for its environment. What its files print is
// passed over. It and what it has started are ended after TIMEOUT_MS.
// kDeadlineExceeded; kFailedPrecondition, with what it said, where it does not
// come to an answer.
Result<LoginEnvironment> ReadLoginEnvironment(int timeout_ms);

// The variables between the marks in what the shell PRINTED; kNotFound where
// they are not there.
Result<std::vector<std::string>> ParseLoginEnvironment(
    const std::string& printed);

}  // namespace zs

#endif  // RUNNER_AGENT_LOGIN_ENVIRONMENT_H_
