// The verbs about figures: predictions, the live page, exports and bundles.
#ifndef RUNNER_CLI_FIGURE_ARGUMENTS_H_
#define RUNNER_CLI_FIGURE_ARGUMENTS_H_

#include "CLI/CLI.hpp"
#include "runner/cli/arguments.h"

namespace zs {

// Parts of verbs (arguments.cc).
void AddFile(CLI::App& app, FileArguments& file);
void AddDb(CLI::App& app, Arguments& a);
void AddFormat(CLI::App& app, Arguments& a,
               std::vector<std::string> formats = {"table", "markdown", "csv",
                                                   "json"});
void AddOnly(CLI::App& app, Arguments& a);

// --profile.
void AddProfileOption(CLI::App& app, Arguments& a);

// profile, predict, serve, export, bundle, verify, why.
void AddFigureVerbs(CLI::App& app, Arguments& a);

}  // namespace zs

#endif  // RUNNER_CLI_FIGURE_ARGUMENTS_H_
