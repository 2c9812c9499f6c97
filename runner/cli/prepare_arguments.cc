#include "runner/cli/prepare_arguments.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "runner/cli/output.h"
#include "runner/cli/profiles.h"
#include "runner/predict/predict_all.h"
#include "runner/sweep/plan_notes.h"

namespace zs {

EvalRequest EvalRequestOf(const Arguments& arguments,
                          const Installation& installation) {
  EvalRequest eval;
  eval.file = arguments.file.file;
  eval.jpaths = arguments.file.jpaths;
  eval.library_dir = installation.experiments;
  eval.ext_strs = arguments.file.ext_strs;
  eval.ext_codes = arguments.file.ext_codes;
  eval.tla_strs = arguments.file.tla_strs;
  eval.tla_codes = arguments.file.tla_codes;
  eval.limits.wall_s = arguments.file.eval_s;
  eval.limits.cpu_s = static_cast<int>(arguments.file.eval_s) + 1;
  return eval;
}

Result<std::unique_ptr<Preparation>> PrepareFile(
    const Arguments& arguments, const Installation& installation,
    std::function<void()> meanwhile) {
  PrepareRequest request;
  request.meanwhile = std::move(meanwhile);
  request.eval = EvalRequestOf(arguments, installation);
  request.only = arguments.only;
  request.rerun = arguments.rerun;
  request.engine_path = installation.engine;
  ASSIGN_OR_RETURN(auto preparation, Prepare(request));
  ASSIGN_OR_RETURN(const auto profile,
                   FindProfile(arguments, installation, preparation->machine));
  if (profile.has_value()) {
    PredictAll(preparation->sweep(), *profile, preparation->derived);
  }
  return preparation;
}

Result<Prepared> PrepareHere(const Arguments& arguments) {
  Prepared prepared;
  ASSIGN_OR_RETURN(prepared.installation, FindInstallation());
  ASSIGN_OR_RETURN(prepared.preparation,
                   PrepareFile(arguments, prepared.installation));
  return prepared;
}

Result<std::unique_ptr<results::Reader>> OpenRecordIfAny(
    const Arguments& arguments) {
  auto reader = results::Reader::Open(DatabasePath(arguments.db));
  if (!reader.ok() && reader.status().code() == StatusCode::kNotFound) {
    return std::unique_ptr<results::Reader>();
  }
  return reader;
}

Status SomethingIsLeft(const Sweep& sweep) {
  std::vector<std::string> reasons;
  for (const Experiment& experiment : sweep.experiments) {
    if (experiment.exclude.empty()) {
      return OkStatus();
    }
    if (std::find(reasons.begin(), reasons.end(), experiment.exclude) ==
        reasons.end()) {
      reasons.push_back(experiment.exclude);
    }
  }
  return InvalidArgumentError(
      "experiments: every experiment is excluded; nothing is left to run: " +
      Join(reasons, "; "));
}

void ShowNotes(const Preparation& preparation) {
  for (const size_t i : preparation.graph.order) {
    for (const PlanNote& note : preparation.notes[i]) {
      Complain(
          InvalidArgumentError(
              "note: " + NoteText(preparation.sweep().experiments[i], note)),
          0);
    }
  }
}

}  // namespace zs
