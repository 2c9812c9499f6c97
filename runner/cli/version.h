#ifndef RUNNER_CLI_VERSION_H_
#define RUNNER_CLI_VERSION_H_

namespace zs {

inline constexpr char kRunnerVersion[] = "0.1.0";

}  // namespace zs

#endif  // RUNNER_CLI_VERSION_H_
