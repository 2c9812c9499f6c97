// The verbs of the command line. Each prints its result to stdout and what
// went wrong to stderr, and returns the exit code (see exit_code.h).
#ifndef RUNNER_CLI_COMMANDS_H_
#define RUNNER_CLI_COMMANDS_H_

#include "runner/cli/arguments.h"

namespace zs {

int RunCommand(const Arguments& arguments);
int PlanCommand(const Arguments& arguments);
int CheckCommand(const Arguments& arguments);
int ExplainCommand(const Arguments& arguments);
int ReportCommand(const Arguments& arguments);
int ListCommand(const Arguments& arguments);
int ShowCommand(const Arguments& arguments);
int LogsCommand(const Arguments& arguments);
int BaselineCommand(const Arguments& arguments);
int CalibrateCommand(const Arguments& arguments);
int StopCommand(const Arguments& arguments);
int DiagnoseCommand(const Arguments& arguments);
int ImportCommand(const Arguments& arguments);

}  // namespace zs

#endif  // RUNNER_CLI_COMMANDS_H_
