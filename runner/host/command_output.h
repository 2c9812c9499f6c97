// What a short command of this host prints.
#ifndef RUNNER_HOST_COMMAND_OUTPUT_H_
#define RUNNER_HOST_COMMAND_OUTPUT_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

// A command that has been started. Movable; at its end the process is killed
// unless Output was called.
class StartedCommand {
 public:
  // Starts ARGV: searched in PATH, no shell, stdin and stderr empty. kNotFound:
  // no such program.
  static Result<StartedCommand> Start(const std::vector<std::string>& argv);

  StartedCommand(StartedCommand&& other) noexcept;
  StartedCommand(const StartedCommand&) = delete;
  StartedCommand& operator=(const StartedCommand&) = delete;
  StartedCommand& operator=(StartedCommand&&) = delete;
  ~StartedCommand();

  // Waits for its end and returns its stdout, at most 1 MiB; once.
  // kDeadlineExceeded: killed after TIMEOUT_S from now; kFailedPrecondition:
  // another status than 0, with the first line that it printed.
  Result<std::string> Output(double timeout_s);

 private:
  StartedCommand(std::string name, pid_t pid, Descriptor out)
      : name_(std::move(name)), pid_(pid), out_(std::move(out)) {}
  std::string name_;
  pid_t pid_;  // 0: waited for
  Descriptor out_;
};

// Runs ARGV (searched in PATH, no shell, stdin and stderr empty) and returns
// its stdout, at most 1 MiB. kNotFound: no such program; kDeadlineExceeded:
// killed after TIMEOUT_S; kFailedPrecondition: another status than 0, with the
// first line that it printed.
Result<std::string> CommandOutput(const std::vector<std::string>& argv,
                                  double timeout_s);

}  // namespace zs

#endif  // RUNNER_HOST_COMMAND_OUTPUT_H_
