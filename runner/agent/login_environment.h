// The environment that the user gets when logging in on this host.
#ifndef RUNNER_AGENT_LOGIN_ENVIRONMENT_H_
#define RUNNER_AGENT_LOGIN_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

// What `SHELL -l -c 'env -0'` prints, taken once. Not thread-safe.
class LoginEnvironment {
 public:
  // "NAME=value" entries. kUnavailable, with what it printed, where the login
  // shell fails or takes longer than 10 s.
  Result<std::vector<std::string>> Get();

 private:
  std::optional<Result<std::vector<std::string>>> taken_;
};

// The entries behind the marker in what the shell PRINTED; kDataLoss where
// there is no marker. Its start-up files may print before.
Result<std::vector<std::string>> ParseLoginEnvironment(
    std::string_view printed);

}  // namespace zs

#endif  // RUNNER_AGENT_LOGIN_ENVIRONMENT_H_
