#include "results/report/ledger.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "results/report/operations.h"
#include "results/report/sparkline.h"
#include "results/report/step_parts.h"
#include "results/report/step_window.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr int kSparkColumns = 40;

Cell ShareCell(double part, double whole) {
  return whole > 0 ? TextCell(NumberCell(100 * part / whole, 1).text + " %")
                   : UnknownCell();
}

double SumOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// What a step took besides its parts, for each of STEPS in WINDOW.
std::vector<double> GapsBetween(const std::vector<StepRow>& steps,
                                StepWindow window) {
  std::vector<double> gaps;
  for (const StepRow& step : steps) {
    if (step.step < window.first || step.step > window.last || !step.step_ms) {
      continue;
    }
    double rest = *step.step_ms;
    for (const StepPart& part : kStepParts) {
      rest -= (step.*part.field).value_or(0);
    }
    gaps.push_back(std::max(0.0, rest));
  }
  return gaps;
}

// How much of INSIDE_MS was hidden under computation.
void AddOverlap(const std::vector<StepRow>& steps, StepWindow window,
                double inside_ms, Table& table) {
  const auto exposed =
      Median(PartTimes(steps, window, &StepRow::comm_exposed_ms));
  if (!exposed) {
    return;
  }
  const double hidden = 100 * std::max(0.0, 1 - *exposed / inside_ms);
  table.notes.push_back(
      "waited for: " + NumberCell(exposed, 2).text + " ms a step" +
      (inside_ms > 0 ? "; overlap " + NumberCell(hidden, 1).text + " %" : ""));
}

// The table of a step's parts, a row at a time.
class TimeTable {
 public:
  TimeTable(double whole, const std::vector<PredictionRow>& predictions)
      : whole_(whole) {
    table_.title = "time of a step in ms, rank 0";
    table_.columns = {{"part", "part", false, true},
                      {"median", "median", true},
                      {"p95", "p95", true},
                      {"share", "share", true},
                      {"predicted", "predicted", true},
                      {"steps", "in order", false, true}};
    for (const PredictionRow& p : predictions) {
      predicted_[p.term] = p.value;
      profile_ = p.profile;
    }
  }

  void Add(const std::string& term, const std::string& name,
           const std::vector<double>& times) {
    if (times.empty()) {
      return;
    }
    const auto found = predicted_.find(term);
    table_.rows.push_back(
        {TextCell(name), NumberCell(Median(times), 2),
         NumberCell(Quantile(times, 0.95), 2), ShareCell(SumOf(times), whole_),
         found == predicted_.end() ? TextCell("")
                                   : NumberCell(found->second, 2),
         TextCell(Sparkline(times, kSparkColumns))});
  }

  Table Take(const std::string& note) && {
    if (!table_.rows.empty()) {
      table_.notes.push_back(
          note +
          (profile_.empty() ? "" : "; predicted with profile " + profile_));
    }
    if (profile_.empty()) {  // a column of nothing says nothing
      for (auto& row : table_.rows) {
        row.erase(row.begin() + kPredictedColumn);
      }
      table_.columns.erase(table_.columns.begin() + kPredictedColumn);
    }
    return std::move(table_);
  }

 private:
  static constexpr int kPredictedColumn = 4;

  Table table_;
  double whole_;
  std::map<std::string, double> predicted_;
  std::string profile_;
};

// Milliseconds of a sweep by what they were spent on.
struct Spent {
  double measured = 0;
  double warmup = 0;
  double around = 0;  // start and clean-up of runs that passed
  double waste = 0;   // runs that did not pass
  double total = 0;
};

Status AddRun(const Reader& reader, const RunRow& run, Spent& spent) {
  if (!run.ended_unix_ms) {
    return OkStatus();
  }
  const double whole =
      static_cast<double>(*run.ended_unix_ms - run.started_unix_ms);
  if (!run.outcome || run.outcome->verdict != Verdict::kPass) {
    spent.waste += whole;
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const StepWindow window, SteadyWindow(reader, run));
  ASSIGN_OR_RETURN(const auto steps, reader.StepTimes(run.id, {}));
  double inside = 0;
  for (const StepTime& step : steps) {
    const bool counts = step.step >= window.first && step.step <= window.last;
    (counts ? spent.measured : spent.warmup) += step.step_ms;
    inside += step.step_ms;
  }
  spent.around += std::max(0.0, whole - inside);
  return OkStatus();
}

}  // namespace

Result<Table> CommunicationLedger(const Reader& reader, int64_t run_id,
                                  StepWindow window) {
  Table table;
  table.title = "communication of a step, rank 0";
  table.columns = OperationColumns();
  ASSIGN_OR_RETURN(const auto operations, OperationsOf(reader, run_id, window));
  double inside_ms = 0;
  for (const Operation& operation : operations) {
    inside_ms += operation.ms.value_or(0);
    table.rows.push_back(OperationCells(operation));
  }
  if (!table.rows.empty()) {
    ASSIGN_OR_RETURN(const auto steps, reader.Steps(run_id, window));
    AddOverlap(steps, window, inside_ms, table);
  }
  return table;
}

Result<Table> TimeLedger(const Reader& reader, int64_t run_id,
                         StepWindow window) {
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run_id, window));
  ASSIGN_OR_RETURN(const auto predictions, reader.Predictions(run_id));
  const auto whole = PartTimes(steps, window, &StepRow::step_ms);
  TimeTable table(SumOf(whole), predictions);
  table.Add("step", "whole step", whole);
  bool divided = false;
  for (const StepPart& part : kStepParts) {
    const auto times = PartTimes(steps, window, part.field);
    divided = divided || !times.empty();
    table.Add(part.term, part.name, times);
  }
  if (divided) {
    table.Add("other", "host gaps", GapsBetween(steps, window));
  }
  return std::move(table).Take(
      steps.empty() ? ""
                    : "steps " + std::to_string(steps.front().step) + "-" +
                          std::to_string(steps.back().step));
}

Result<Table> SweepLedger(const Reader& reader, const SweepRow& sweep) {
  Table table;
  table.title = "where the time went";
  table.columns = {{"part", "part", false},
                   {"seconds", "s", true},
                   {"share", "share", true}};
  if (!sweep.ended_unix_ms) {
    return table;
  }
  Spent spent;
  spent.total =
      static_cast<double>(*sweep.ended_unix_ms - sweep.start.started_unix_ms);
  ASSIGN_OR_RETURN(const auto runs, reader.Runs({.sweep_id = sweep.id}));
  if (runs.empty()) {
    return table;  // all of it was cached
  }
  for (const RunRow& run : runs) {
    RETURN_IF_ERROR(AddRun(reader, run, spent));
  }
  const double rest =
      spent.total - spent.measured - spent.warmup - spent.around - spent.waste;
  const std::pair<const char*, double> parts[] = {
      {"measured steps", spent.measured},
      {"warm-up steps", spent.warmup},
      {"start and clean-up", spent.around},
      {"runs that did not pass", spent.waste},
      {"checks and between runs", std::max(0.0, rest)}};
  for (const auto& [name, ms] : parts) {
    table.rows.push_back(
        {TextCell(name), NumberCell(ms / 1000, 1), ShareCell(ms, spent.total)});
  }
  return table;
}

}  // namespace zs::results
