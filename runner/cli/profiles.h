// Which machine profile predictions are made with.
#ifndef RUNNER_CLI_PROFILES_H_
#define RUNNER_CLI_PROFILES_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "runner/cli/arguments.h"
#include "runner/host/installation.h"
#include "runner/host/machine.h"
#include "runner/predict/profile.h"

namespace zs {

// Where `runner profile` puts its profile: beside the database.
std::string OwnProfilePath(const std::string& db);

// The profile that --profile names (a file, or one of experiments/profiles);
// without it the one beside the database, else a shipped one whose `match` is
// part of the name of one of MACHINE's GPUs. None where there is none; an
// error where one was asked for or is damaged.
Result<std::optional<MachineProfile>> FindProfile(
    const Arguments& arguments, const Installation& installation,
    const Machine& machine);

}  // namespace zs

#endif  // RUNNER_CLI_PROFILES_H_
