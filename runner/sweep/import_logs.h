// Brings runs from elsewhere, known by their logs, into the record.
#ifndef RUNNER_SWEEP_IMPORT_LOGS_H_
#define RUNNER_SWEEP_IMPORT_LOGS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "results/store/record.h"
#include "results/store/store.h"

namespace zs {

struct ImportRequest {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string name;                // of the experiment; empty: the logs' own
  // What the logs do not say, or say wrongly: "zero_stage" to "1".
  std::vector<std::pair<std::string, std::string>> set;
  results::SweepStart start;  // of the sweep that holds what is new
};

struct ImportedRun {
  std::string name;
  bool taken = true;  // false: no run was recognised in them, see reason
  int64_t run_id = 0;
  bool known = false;  // these very logs were there already
  int64_t files = 0;
  int64_t steps = 0;
  std::string verdict;  // "pass", "fail", "undecided"
  std::string reason;
  std::vector<std::string> unread;  // files, each with the reason
};

// Each run among the logs becomes an experiment with one run, keyed by the
// content of its files and what was set; logs that are there already add
// nothing, wherever they lie now. kInvalidArgument names a setting that is
// unknown or a value that it does not allow, or says that one name was given
// for several runs; kNotFound where no step and no finding was recognised.
// Nothing is written on an error.
Result<std::vector<ImportedRun>> ImportLogs(results::Store& store,
                                            const ImportRequest& request);

}  // namespace zs

#endif  // RUNNER_SWEEP_IMPORT_LOGS_H_
