// export: the record for other tools.
#include <map>
#include <string>
#include <utility>

#include "base/files.h"
#include "results/export/exported_run.h"
#include "results/export/mlflow.h"
#include "results/export/openmetrics.h"
#include "results/store/reader.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"

namespace zs {
namespace {

Status WriteFolder(const std::string& folder,
                   const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    const std::string path = folder + "/" + name;
    RETURN_IF_ERROR(MakeFolders(path.substr(0, path.rfind('/'))));
    RETURN_IF_ERROR(WriteFileAtomically(path, text));
  }
  return OkStatus();
}

Status Export(const Arguments& a, const results::Reader& reader,
              const std::vector<results::ExportedRun>& runs) {
  if (a.format == "mlflow") {
    ASSIGN_OR_RETURN(const auto files, results::MlflowFiles(reader, runs));
    return WriteFolder(a.output.empty() ? "mlruns" : a.output, files);
  }
  const std::string text = results::OpenMetricsText(runs);
  if (!a.output.empty()) {
    return WriteFileAtomically(a.output, text);
  }
  Print(text);
  return OkStatus();
}

}  // namespace

int ExportCommand(const Arguments& arguments) {
  const auto reader = results::Reader::Open(DatabasePath(arguments.db));
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  const auto runs = results::ReadExportedRuns(**reader, arguments.sweep);
  if (!runs.ok()) {
    return Complain(runs.status(), kExitRequest);
  }
  if (runs->empty()) {
    return Complain(
        NotFoundError("no valid run is on record" +
                      (arguments.sweep.empty() ? std::string()
                                               : " under " + arguments.sweep)),
        kExitNothingMeasured);
  }
  const Status done = Export(arguments, **reader, *runs);
  return done.ok() ? kExitOk : Complain(done, kExitRequest);
}

}  // namespace zs
