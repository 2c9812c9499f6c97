// What comparisons ask: figures of steps, findings of sweeps, baselines, noise
// floors.
#include <limits>

#include "results/store/database.h"
#include "results/store/reader.h"

namespace zs::results {

namespace {

FindingRow ReadFinding(Statement& row) {
  FindingRow f;
  std::string severity;
  row.Read(f.code, severity, f.node, f.rank, f.message, f.hint, f.evidence,
           f.count, f.at_unix_ms);
  f.severity = FromName<Severity>(severity).value_or(Severity::kInfo);
  return f;
}

}  // namespace

Status Reader::StepFigures(int64_t run_id,
                           std::vector<StepFigure>& figures) const {
  figures.clear();
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT step, CASE WHEN mark = '' THEN step_ms END,"
                        " comm_exposed_ms, tokens, loss,"
                        " loss_nan FROM steps WHERE run_id = ? ORDER BY step"));
  find.Bind(run_id);
  while (true) {
    ASSIGN_OR_RETURN(const bool more, find.Step());
    if (!more) {
      return OkStatus();
    }
    StepFigure& f = figures.emplace_back();
    int loss_nan = 0;
    find.Read(f.step, f.step_ms, f.comm_exposed_ms, f.tokens, f.loss, loss_nan);
    if (loss_nan != 0) {
      f.loss = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

Result<std::vector<FindingRow>> Reader::Findings(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT code, severity, node, rank, message, hint,"
                        " evidence, count, at_unix_ms FROM findings"
                        " WHERE run_id = ? ORDER BY id"));
  find.Bind(run_id);
  return Collect(find, ReadFinding);
}

Result<std::vector<FindingRow>> Reader::SweepFindings(int64_t sweep_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT code, severity, node, rank, message, hint,"
                        " evidence, count, at_unix_ms FROM findings"
                        " WHERE sweep_id = ? AND run_id IS NULL ORDER BY id"));
  find.Bind(sweep_id);
  return Collect(find, ReadFinding);
}

Result<std::vector<BaselineRow>> Reader::Baselines(
    const std::string& experiment) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT b.run_id, b.reason, b.author, b.at_unix_ms"
                        " FROM baselines AS b JOIN runs AS r ON r.id = b.run_id"
                        " JOIN experiments AS e ON e.id = r.experiment_id"
                        " WHERE ?1 = '' OR e.name = ?1 ORDER BY b.id DESC"));
  find.Bind(experiment);
  return Collect<BaselineRow>(find, [](Statement& row) {
    BaselineRow b;
    row.Read(b.run_id, b.reason, b.author, b.at_unix_ms);
    return b;
  });
}

Result<std::vector<NoiseFloor>> Reader::NoiseFloors() const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT sweep_id, experiment, hosts_json, device, runs,"
                        " run_deviation, at_unix_ms FROM noise_floors"
                        " ORDER BY id DESC"));
  return Collect<NoiseFloor>(find, [](Statement& row) {
    NoiseFloor f;
    row.Read(f.sweep_id, f.experiment, f.hosts_json, f.device, f.runs,
             f.run_deviation, f.at_unix_ms);
    return f;
  });
}

}  // namespace zs::results
