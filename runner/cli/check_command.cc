// check: whether the nodes are fit, without starting anything.
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "results/report/table.h"
#include "results/report/table_writer.h"
#include "results/store/store.h"
#include "runner/check/result.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/cli/sweep_start.h"
#include "runner/reach/file_set.h"
#include "runner/sweep/node_checks.h"

namespace zs {
namespace {

// The checks of all experiments that may run, each once.
std::vector<CheckResult> CheckAll(const Preparation& preparation,
                                  NodeChecks& checks) {
  std::vector<CheckResult> results;
  for (const size_t i : preparation.graph.order) {
    const Experiment& experiment = preparation.sweep().experiments[i];
    if (!preparation.facts[i].selected || !experiment.exclude.empty()) {
      continue;
    }
    const NodeChecks::Found& found = checks.Check(experiment);
    if (found.fresh) {
      results.insert(results.end(), found.results.begin(), found.results.end());
    }
  }
  return results;
}

results::Table TableOf(const std::vector<CheckResult>& results,
                       const std::string& title) {
  results::Table table;
  table.title = title;
  for (const char* name :
       {"node", "check", "status", "found", "limit", "repeat"}) {
    table.columns.push_back({.name = name, .header = name});
  }
  for (const CheckResult& result : results) {
    std::vector<results::Cell> row;
    for (const std::string& text :
         {result.node, result.name, std::string(CheckStateName(result.state)),
          result.found, result.limit, result.repeat}) {
      row.push_back(results::TextCell(text));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Keeps RESULTS as those of a sweep that ran nothing.
Status Record(const Arguments& a, const Preparation& preparation,
              const std::vector<CheckResult>& results, int exit_code) {
  ASSIGN_OR_RETURN(const auto store,
                   results::Store::Open({.path = DatabasePath(a.db)}));
  const Clock& clock = RealClock();
  ASSIGN_OR_RETURN(
      const int64_t sweep_id,
      store->BeginSweep(SweepStartOf("check", a, preparation, clock)));
  RETURN_IF_ERROR(store->AddChecks(sweep_id, /*run_id=*/0,
                                   RowsOf(results, clock.unix_ms())));
  return store->EndSweep(
      sweep_id, clock.unix_ms(), exit_code,
      "checks alone: " + (exit_code == kExitOk ? std::string("all is well")
                                               : FailureText(results)));
}

}  // namespace

int CheckCommand(const Arguments& a) {
  const auto format = results::ParseFormat(a.format);
  if (!format.ok()) {
    return Complain(format.status(), kExitRequest);
  }
  const auto prepared = PrepareHere(a);
  if (!prepared.ok()) {
    return Complain(prepared.status(), kExitRequest);
  }
  if (const Status left = SomethingIsLeft(prepared->preparation->sweep());
      !left.ok()) {
    return Complain(left, kExitRequest);
  }
  ShowNotes(*prepared->preparation);
  AgentPool agents({.agent_path = prepared->installation.agent});
  KnownProgram engine(prepared->installation.engine);
  NodeChecks checks(agents,
                    {.engine = &engine, .artifact_root = ArtifactRoot(a.db)});
  const std::vector<CheckResult> results =
      CheckAll(*prepared->preparation, checks);
  Print(results::WriteTables(
      {TableOf(results, prepared->preparation->sweep().name)}, *format,
      StdoutStyle()));
  const int exit_code = AllOk(results) ? kExitOk : kExitChecksFailed;
  if (const Status recorded =
          Record(a, *prepared->preparation, results, exit_code);
      !recorded.ok()) {
    // Another runner may be writing: what was asked for is told all the same.
    Complain(recorded.WithContext("the checks are not recorded"), exit_code);
  }
  return exit_code;
}

}  // namespace zs
