// import: runs from elsewhere, known by their logs, into the database.
#include <unistd.h>

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "results/store/mask.h"
#include "results/store/store.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/cli/version.h"
#include "runner/host/machine.h"
#include "runner/sweep/import_logs.h"

namespace zs {
namespace {

// "zero_stage=1" as a pair.
Result<std::pair<std::string, std::string>> ParseSet(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return InvalidArgumentError("--set " + text +
                                ": allowed: NAME=VALUE, such as zero_stage=1");
  }
  return std::make_pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<ImportRequest> RequestOf(const Arguments& a) {
  ImportRequest request;
  request.paths = a.logs;
  request.name = a.name;
  for (const std::string& text : a.set) {
    ASSIGN_OR_RETURN(const auto set, ParseSet(text));
    request.set.push_back(set);
  }
  results::SweepStart& start = request.start;
  start.name = a.sweep.empty() ? "imported" : a.sweep;
  Json words = Json::array({"import"});
  for (const std::string& path : a.logs) {
    start.file += (start.file.empty() ? "" : " ") + path;
    words.push_back(path);
  }
  start.args_json = DumpJson(results::MaskDocument(words));
  start.runner_version = kRunnerVersion;
  start.host = ThisHost();
  start.pid = ::getpid();
  start.started_unix_ms = RealClock().unix_ms();
  return request;
}

Json JsonOf(const std::vector<ImportedRun>& runs) {
  Json list = Json::array();
  for (const ImportedRun& run : runs) {
    list.push_back({{"name", run.name},
                    {"taken", run.taken},
                    {"run", run.taken ? Json(run.run_id) : Json()},
                    {"known", run.known},
                    {"files", run.files},
                    {"steps", run.steps},
                    {"verdict", run.verdict},
                    {"reason", run.reason},
                    {"unread", run.unread}});
  }
  return {{"runs", std::move(list)}};
}

std::string TextOf(const std::vector<ImportedRun>& runs) {
  std::string text;
  for (const ImportedRun& run : runs) {
    text += run.name + ": ";
    if (!run.taken) {
      text += "not taken: " + run.reason + "\n";
    } else if (run.known) {
      text += "known already as run " + std::to_string(run.run_id) + "\n";
    } else {
      text += "run " + std::to_string(run.run_id) + ", " +
              std::to_string(run.files) + " files, " +
              std::to_string(run.steps) + " steps, " + run.verdict + ": " +
              run.reason + "\n";
    }
    for (const std::string& file : run.unread) {
      text += "  not read: " + file + "\n";
    }
  }
  return text;
}

}  // namespace

int ImportCommand(const Arguments& a) {
  const auto request = RequestOf(a);
  if (!request.ok()) {
    return Complain(request.status(), kExitRequest);
  }
  const auto store = results::Store::Open({.path = DatabasePath(a.db)});
  if (!store.ok()) {
    return Complain(store.status(), kExitRequest);
  }
  const auto runs = ImportLogs(**store, *request);
  if (!runs.ok()) {
    const bool nothing = runs.status().code() == StatusCode::kNotFound;
    return Complain(runs.status(),
                    nothing ? kExitNothingMeasured : kExitRequest);
  }
  Print(a.format == "json" ? DumpJsonPretty(JsonOf(*runs)) + "\n"
                           : TextOf(*runs));
  return kExitOk;
}

}  // namespace zs
