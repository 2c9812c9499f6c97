// What runs on the nodes: versions that must be equal, programs that must be
// there, trees that must have the same content.
#ifndef RUNNER_CHECK_SOFTWARE_H_
#define RUNNER_CHECK_SOFTWARE_H_

#include <string>
#include <vector>

#include "runner/check/result.h"

namespace zs {

// Shell scripts, and what they print:
// Lines "version NAME VERSION" of the Python $1, found as a program is, and of
// its packages for training.
std::string PythonVersionScript();
// "content program HASH" of program $1, seen from folder $2 (empty: where the
// agent is), "content word N HASH" for each further argument that is a file,
// and last its place in the PATH; or that PATH and exit 1. With PATH as a login
// shell has it, or as the agent has.
std::string ProgramScript(bool login_shell);
// SCRIPT with PATH, where that is not empty.
std::string WithPath(const std::string& path, const std::string& script);
// A line with a hash of names and contents of all files below folder $1, but
// those of version control and compiled Python; a second one "commit HASH"
// where it is a Git tree.
std::string TreeScript();

// A result for each of LINES "NAME VERSION"; NODE gives name, node and repeat.
std::vector<CheckResult> JudgeVersions(const std::string& lines,
                                       const CheckResult& node);
// A further result with an empty value for each software that a node did not
// name and another one did, so that they are compared. A node of which a
// version is unknown gets none.
void NameMissingVersions(std::vector<CheckResult>& results);
// As JudgeVersions, of what the script answers.
std::vector<CheckResult> JudgePythonVersions(const std::string& answer,
                                             const CheckResult& node);
// Takes lines "NAME VALUE" of what the node is as facts.
void JudgeMachine(const std::string& lines, CheckResult& result);
// OWN_PATH: the experiment gives the PATH.
void JudgeProgram(const std::string& program, bool own_path,
                  const std::string& answer, CheckResult& result);
void JudgeTree(const std::string& path, const std::string& answer,
               CheckResult& result);

}  // namespace zs

#endif  // RUNNER_CHECK_SOFTWARE_H_
