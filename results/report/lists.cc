#include "results/report/lists.h"

#include <utility>

#include "results/report/run_cells.h"

namespace zs::results {
namespace {

// Columns that the reason keeps before others are left out for it.
constexpr int kLeastReason = 16;

}  // namespace

Table RunsTable(const std::vector<RunRow>& runs) {
  Table table;
  table.columns = {
      {"run", "run", true},
      {.name = "sweep", .header = "sweep", .right = false, .drop = 1},
      {"experiment", "experiment", false, true},
      {"started_unix_ms", "started (UTC)", true},
      {"seconds", "s", true},
      {.name = "zero_effective", .header = "ZeRO", .right = true, .drop = 2},
      {"world_size", "ranks", true},
      {.name = "steps", .header = "steps", .right = true, .drop = 3},
      {.name = "process", .header = "process", .right = false, .drop = 4},
      {.name = "measurement",
       .header = "measurement",
       .right = false,
       .drop = 5},
      {"verdict", "verdict", false},
      {.name = "reason",
       .header = "reason",
       .right = false,
       .least = kLeastReason}};
  for (const RunRow& run : runs) {
    table.rows.push_back(
        {IntCell(run.id), TextCell(run.sweep), TextCell(run.experiment.name),
         MinuteCell(run.started_unix_ms),
         SecondsCell(run.ended_unix_ms, run.started_unix_ms),
         IntCell(run.effective.zero_stage), IntCell(run.effective.world_size),
         IntCell(run.steps_recorded), ProcessCell(run), MeasurementCell(run),
         VerdictCell(run),
         TextCell(run.outcome ? ReasonOf(*run.outcome) : "")});
  }
  if (runs.empty()) {
    table.notes.emplace_back("no runs");
  }
  return table;
}

Result<Table> SweepTable(const Reader& reader, int64_t sweep_id) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  ASSIGN_OR_RETURN(const SweepRow sweep, reader.Sweep(sweep_id));
  ASSIGN_OR_RETURN(const auto experiments, reader.Experiments(sweep_id));
  Table table;
  table.title = "sweep " + std::to_string(sweep_id) + ": " + sweep.start.name;
  table.columns = {{"experiment", "experiment", false, true},
                   {"run", "run", true},
                   {"process", "process", false},
                   {.name = "measurement",
                    .header = "measurement",
                    .right = false,
                    .drop = 1},
                   {"verdict", "verdict", false},
                   {.name = "reason",
                    .header = "reason",
                    .right = false,
                    .least = kLeastReason}};
  for (const ExperimentRow& row : experiments) {
    std::vector<Cell> cells = {TextCell(row.experiment.name)};
    if (row.newest_run_id) {
      ASSIGN_OR_RETURN(const RunRow run, reader.Run(*row.newest_run_id));
      cells.insert(cells.end(),
                   {IntCell(run.id), ProcessCell(run), MeasurementCell(run),
                    VerdictCell(run),
                    TextCell(run.outcome ? ReasonOf(*run.outcome) : "")});
    } else {
      cells.insert(
          cells.end(),
          {row.cached_run_id ? IntCell(row.cached_run_id) : TextCell(""),
           TextCell(row.not_run ? std::string(Name(*row.not_run)) : "not run"),
           TextCell(""), TextCell(""), TextCell(row.not_run_reason)});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace zs::results
