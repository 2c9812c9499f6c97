// The verbs of figure_arguments.h. Each returns the exit code.
#ifndef RUNNER_CLI_FIGURE_COMMANDS_H_
#define RUNNER_CLI_FIGURE_COMMANDS_H_

#include "runner/cli/arguments.h"

namespace zs {

int ProfileCommand(const Arguments& arguments);
int PredictCommand(const Arguments& arguments);
int ServeCommand(const Arguments& arguments);
int ExportCommand(const Arguments& arguments);
int BundleCommand(const Arguments& arguments);
int VerifyCommand(const Arguments& arguments);
int WhyCommand(const Arguments& arguments);

}  // namespace zs

#endif  // RUNNER_CLI_FIGURE_COMMANDS_H_
