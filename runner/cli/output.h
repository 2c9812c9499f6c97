// Where results go and what the terminal can do.
#ifndef RUNNER_CLI_OUTPUT_H_
#define RUNNER_CLI_OUTPUT_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "results/report/terminal_writer.h"

namespace zs {

// Writes TEXT to stdout; false where nobody takes it.
bool Print(std::string_view text);

// Prints "runner: STATUS' message" to stderr and returns CODE.
int Complain(const Status& status, int code);

// Width and colour of stdout: colour only on a terminal and without NO_COLOR.
results::TerminalStyle StdoutStyle();

// Whether stderr is a terminal that may be redrawn, and coloured.
bool StderrIsTerminal();
bool ColorIsWanted();

// PATH, or where it is empty $RUNNER_DB, or results/results.db below the folder
// where the person stands.
std::string DatabasePath(const std::string& path);

// The folder of logs and checkpoints beside that database; absolute.
std::string ArtifactRoot(const std::string& db);

// `bazel run` starts programs elsewhere: goes back to where the person stands
// (BUILD_WORKING_DIRECTORY).
Status GoWhereThePersonStands();

}  // namespace zs

#endif  // RUNNER_CLI_OUTPUT_H_
