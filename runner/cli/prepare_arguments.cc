#include "runner/cli/prepare_arguments.h"

#include "runner/cli/output.h"
#include "runner/sweep/plan_notes.h"

namespace zs {

Result<std::unique_ptr<Preparation>> PrepareFile(
    const Arguments& arguments, const Installation& installation) {
  PrepareRequest request;
  request.eval.file = arguments.file.file;
  request.eval.jpaths = arguments.file.jpaths;
  request.eval.library_dir = installation.experiments;
  request.eval.ext_strs = arguments.file.ext_strs;
  request.eval.ext_codes = arguments.file.ext_codes;
  request.eval.tla_strs = arguments.file.tla_strs;
  request.eval.tla_codes = arguments.file.tla_codes;
  request.eval.limits.wall_s = arguments.file.eval_s;
  request.eval.limits.cpu_s = static_cast<int>(arguments.file.eval_s) + 1;
  request.only = arguments.only;
  request.rerun = arguments.rerun;
  request.engine_path = installation.engine;
  return Prepare(request);
}

Result<std::unique_ptr<results::Reader>> OpenRecordIfAny(
    const Arguments& arguments) {
  auto reader = results::Reader::Open(DatabasePath(arguments.db));
  if (!reader.ok() && reader.status().code() == StatusCode::kNotFound) {
    return std::unique_ptr<results::Reader>();
  }
  return reader;
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
