// check: whether the nodes are fit, without starting anything.
#include <string>
#include <utility>
#include <vector>

#include "results/report/table.h"
#include "results/report/table_writer.h"
#include "runner/check/preflight.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
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

}  // namespace

int CheckCommand(const Arguments& a) {
  const auto format = results::ParseFormat(a.format);
  if (!format.ok()) {
    return Complain(format.status(), kExitRequest);
  }
  const auto installation = FindInstallation();
  if (!installation.ok()) {
    return Complain(installation.status(), kExitRequest);
  }
  const auto preparation = PrepareFile(a, *installation);
  if (!preparation.ok()) {
    return Complain(preparation.status(), kExitRequest);
  }
  ShowNotes(**preparation);
  AgentPool agents({.agent_path = installation->agent});
  NodeChecks checks(agents, {.engine_path = installation->engine,
                             .artifact_root = ArtifactRoot(a.db)});
  const std::vector<CheckResult> results = CheckAll(**preparation, checks);
  Print(results::WriteTables({TableOf(results, (*preparation)->sweep().name)},
                             *format, StdoutStyle()));
  return AllOk(results) ? kExitOk : kExitChecksFailed;
}

}  // namespace zs
