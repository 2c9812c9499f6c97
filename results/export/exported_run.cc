#include "results/export/exported_run.h"

#include <cmath>
#include <optional>
#include <set>

#include "results/report/measured_side.h"

namespace zs::results {
namespace {

using Figures = std::vector<std::pair<std::string, double>>;

void Add(const std::string& name, std::optional<double> value, Figures& out) {
  if (value && std::isfinite(*value)) {
    out.emplace_back(name, *value);
  }
}

void AddBytes(const std::string& name, std::optional<int64_t> bytes,
              Figures& out) {
  if (bytes) {
    out.emplace_back(name, static_cast<double>(*bytes));
  }
}

// Adds those of the sweeps called SWEEP.
Status AddRuns(const Reader& reader, const std::string& sweep,
               std::vector<ExportedRun>& runs) {
  ASSIGN_OR_RETURN(const auto experiments, reader.NewestExperiments(sweep));
  for (const ExperimentRow& row : experiments) {
    ASSIGN_OR_RETURN(MeasuredSide side, Measure(reader, row, std::nullopt));
    if (side.summary.run_id == 0) {
      continue;
    }
    ExportedRun exported;
    ASSIGN_OR_RETURN(exported.run, reader.Run(side.summary.run_id));
    exported.summary = std::move(side.summary);
    runs.push_back(std::move(exported));
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<ExportedRun>> ReadExportedRuns(const Reader& reader,
                                                  const std::string& sweep) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  std::set<std::string> names = {sweep};
  if (sweep.empty()) {
    ASSIGN_OR_RETURN(const auto sweeps, reader.Sweeps());
    names.clear();
    for (const SweepRow& row : sweeps) {
      names.insert(row.start.name);
    }
  }
  std::vector<ExportedRun> runs;
  for (const std::string& name : names) {
    RETURN_IF_ERROR(AddRuns(reader, name, runs));
  }
  return runs;
}

Figures FiguresOf(const ExportedRun& run) {
  const ComparedExperiment& e = run.summary;
  Figures out;
  Add("tokens_per_s", e.tokens_per_s, out);
  Add("tokens_per_s_per_gpu", e.tokens_per_s_per_gpu, out);
  Add("step_ms_median", e.step_ms_median, out);
  Add("step_ms_p95", e.step_ms_p95, out);
  Add("step_cv", e.step_cv, out);
  Add("comm_exposed_ms", e.comm_exposed_ms, out);
  Add("comm_bytes_per_step", e.comm_bytes_per_step, out);
  Add("comm_theory_bytes_per_step", e.comm_theory_bytes_per_step, out);
  Add("final_loss", e.final_loss, out);
  if (e.mem_peak) {
    AddBytes("mem_peak_bytes", e.mem_peak->total, out);
  }
  if (e.mem_predicted) {
    AddBytes("mem_predicted_bytes", e.mem_predicted->total, out);
  }
  return out;
}

}  // namespace zs::results
