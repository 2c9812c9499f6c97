// Runs as a folder of MLflow's file store.
#ifndef RESULTS_EXPORT_MLFLOW_H_
#define RESULTS_EXPORT_MLFLOW_H_

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/export/exported_run.h"
#include "results/store/reader.h"

namespace zs::results {

// The files of the store, by path within its folder, for `mlflow ui
// --backend-store-uri FOLDER`: an MLflow experiment for each sweep, a run for
// each of RUNS with parameters (what was asked for, flat), metrics (figures,
// and loss, grad_norm, step_ms and comm_exposed_ms by step) and tags. Ids are
// hashes of the sweep's name and the run's token, so that writing the same
// runs again gives the same files.
Result<std::map<std::string, std::string>> MlflowFiles(
    const Reader& reader, const std::vector<ExportedRun>& runs);

}  // namespace zs::results

#endif  // RESULTS_EXPORT_MLFLOW_H_
