// What the verbs that read an experiment file have in common.
#ifndef RUNNER_CLI_PREPARE_ARGUMENTS_H_
#define RUNNER_CLI_PREPARE_ARGUMENTS_H_

#include <functional>
#include <memory>

#include "base/status.h"
#include "results/store/reader.h"
#include "runner/cli/arguments.h"
#include "runner/host/installation.h"
#include "runner/plan/spec/experiment.h"
#include "runner/sweep/prepare.h"

namespace zs {

// What to evaluate and with what, but for `machine`.
EvalRequest EvalRequestOf(const Arguments& arguments,
                          const Installation& installation);

// The file of ARGUMENTS, evaluated, validated and decided; step times are
// predicted where there is a machine profile. MEANWHILE as in PrepareRequest.
Result<std::unique_ptr<Preparation>> PrepareFile(
    const Arguments& arguments, const Installation& installation,
    std::function<void()> meanwhile = {});

// What a verb works with: the programs, and the file prepared with them.
struct Prepared {
  Installation installation;
  std::unique_ptr<Preparation> preparation;
};

// PrepareFile with the installation that this program belongs to.
Result<Prepared> PrepareHere(const Arguments& arguments);

// The record at --db for reading; null where nothing is recorded yet.
Result<std::unique_ptr<results::Reader>> OpenRecordIfAny(
    const Arguments& arguments);

// kInvalidArgument with the reasons where the file excludes every experiment.
Status SomethingIsLeft(const Sweep& sweep);

// Tells the warnings of PREPARATION on stderr, one a line.
void ShowNotes(const Preparation& preparation);

}  // namespace zs

#endif  // RUNNER_CLI_PREPARE_ARGUMENTS_H_
