#include "runner/sweep/past_passes.h"

#include <ctime>
#include <map>

#include "base/json.h"
#include "runner/backend/run_record.h"
#include "runner/sweep/expectations.h"
#include "runner/sweep/measured.h"

namespace zs {
namespace {

// "2026-11-30 07:40".
std::string TimeText(int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local)};
}

// What RUN was expected to satisfy: limits by name.
std::map<std::string, double> AskedOf(const results::RunRow& run) {
  std::map<std::string, double> asked;
  const auto spec = ParseJson(run.experiment.spec_json);
  if (!spec.ok() || !spec->is_object()) {
    return asked;
  }
  const auto expect = spec->find("expect");
  if (expect == spec->end() || !expect->is_object()) {
    return asked;
  }
  for (const auto& [name, limit] : expect->items()) {
    if (limit.is_number()) {
      asked[name] = limit.get<double>();
    }
  }
  return asked;
}

// The figures of RUN as they were when it was judged.
Result<Measured> MeasuredOf(const results::Reader& record,
                            const results::RunRow& run,
                            const Experiment& experiment) {
  RunRecord told;
  told.effective = run.effective;
  told.every_step = RunsEngine(experiment);
  ASSIGN_OR_RETURN(told.steps, record.Steps(run.id, {}));
  ASSIGN_OR_RETURN(const auto memory,
                   record.Memory(run.id, results::MemoryKind::kMeasured));
  for (const results::MemoryRow& row : memory) {
    told.mem_peak_bytes[row.rank] = row;
  }
  ASSIGN_OR_RETURN(const auto bandwidths, record.Bandwidths(run.id));
  for (const results::BandwidthRow& row : bandwidths) {
    if (!told.steps.empty()) {
      // Which step told it decides nothing.
      results::CommRow comm;
      comm.op = row.op;
      comm.busbw_gb_s = row.busbw_gb_s;
      told.steps.back().comm.push_back(std::move(comm));
    }
  }
  return Measure(told, experiment.train.warmup_steps);
}

// Why what RUN told no longer suffices; empty where it does.
Result<std::string> OutdatedBy(const results::Reader& record,
                               const results::RunRow& run,
                               const Experiment& experiment) {
  if (WereAsked(experiment.expect, AskedOf(run))) {
    return std::string();
  }
  ASSIGN_OR_RETURN(const Measured measured,
                   MeasuredOf(record, run, experiment));
  const ExpectationResult result =
      CheckExpectations(experiment.expect, measured);
  if (result.broken.empty() && result.unknown.empty()) {
    return std::string();
  }
  const std::string& first =
      result.broken.empty() ? result.unknown.front() : result.broken.front();
  const size_t colon = first.find(':');
  return "expect." + first.substr(0, colon) + " changed" + first.substr(colon) +
         " (run " + std::to_string(run.id) + ")";
}

}  // namespace

Result<PastPasses> FindPastPasses(const results::Reader& record,
                                  const std::vector<results::RunRow>& runs,
                                  const Experiment& experiment) {
  PastPasses passes;
  for (const results::RunRow& run : runs) {
    ASSIGN_OR_RETURN(const std::string outdated,
                     OutdatedBy(record, run, experiment));
    if (!outdated.empty()) {
      passes.outdated = passes.outdated.empty() ? outdated : passes.outdated;
      continue;
    }
    if (++passes.count == 1) {
      passes.run_id = run.id;
      passes.newest = "run " + std::to_string(run.id) + ", " +
                      TimeText(run.started_unix_ms);
    }
  }
  return passes;
}

}  // namespace zs
