#include "results/report/run_figures.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/report/sparkline.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr int kSparkColumns = 40;

struct Part {
  const char* term;  // of a prediction
  const char* name;
  std::optional<double> StepRow::*field;
};

constexpr Part kParts[] = {
    {"step", "step", &StepRow::step_ms},
    {"forward", "forward", &StepRow::forward_ms},
    {"backward", "backward", &StepRow::backward_ms},
    {"optimizer", "optimizer", &StepRow::optimizer_ms},
    {"exposed", "exposed communication", &StepRow::comm_exposed_ms}};

// Of the steps after FIRST - 1.
std::vector<double> ValuesOf(const std::vector<StepRow>& steps, int64_t first,
                             std::optional<double> StepRow::*field) {
  std::vector<double> values;
  for (const StepRow& step : steps) {
    if (step.step >= first && step.*field) {
      values.push_back(*(step.*field));
    }
  }
  return values;
}

}  // namespace

Result<Table> StepTimeTable(const Reader& reader, int64_t run_id) {
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_id));
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run_id, {}));
  ASSIGN_OR_RETURN(const auto predictions, reader.Predictions(run_id));
  std::map<std::string, double> predicted;
  std::string profile;
  for (const PredictionRow& p : predictions) {
    predicted[p.term] = p.value;
    profile = p.profile;
  }
  Table table;
  table.title = "times of a step in ms";
  table.columns = {{"part", "part", false},
                   {"median", "median", true},
                   {"p95", "p95", true},
                   {"predicted", "predicted", true},
                   {"steps", "in order", false, true}};
  const int64_t first = run.experiment.warmup_steps.value_or(0) + 1;
  for (const Part& part : kParts) {
    const auto values = ValuesOf(steps, first, part.field);
    if (values.empty()) {
      continue;
    }
    const auto found = predicted.find(part.term);
    table.rows.push_back(
        {TextCell(part.name), NumberCell(Median(values), 2),
         NumberCell(Quantile(values, 0.95), 2),
         found == predicted.end() ? TextCell("") : NumberCell(found->second, 2),
         TextCell(Sparkline(values, kSparkColumns))});
  }
  if (!profile.empty()) {
    table.notes.push_back("predicted with profile " + profile);
  }
  return table;
}

}  // namespace zs::results
