#include "results/report/ledger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "results/report/conditions.h"

namespace zs::results {
namespace {

constexpr double kTolerance = 0.01;

StepWindow LedgerWindow(const RunRow& run) {
  StepWindow window;
  window.first = run.experiment.warmup_steps.value_or(1) + 1;
  return DeclaredWindow(run).value_or(window);
}

Cell MegabytesCell(std::optional<double> bytes) {
  return NumberCell(bytes ? std::optional<double>(*bytes / 1e6) : bytes, 3);
}

Cell ShareCell(double part, double whole) {
  return whole > 0 ? TextCell(NumberCell(100 * part / whole, 1).text + " %")
                   : UnknownCell();
}

// An operation a step.
struct Operation {
  std::optional<double> calls;
  std::optional<double> bytes;
  std::optional<double> ms;
  std::optional<double> theory;
};

std::optional<double> PerStep(std::optional<double> total, int64_t steps) {
  return total && steps > 0
             ? std::optional<double>(*total / static_cast<double>(steps))
             : std::nullopt;
}

Result<std::map<std::string, Operation>> OperationsOf(const Reader& reader,
                                                      const RunRow& run) {
  std::map<std::string, Operation> operations;
  ASSIGN_OR_RETURN(const auto totals,
                   reader.Communication(run.id, LedgerWindow(run)));
  ASSIGN_OR_RETURN(const auto theory, reader.Theory(run.id));
  for (const CommTotal& total : totals) {
    operations[total.op] = {PerStep(total.calls, total.steps),
                            PerStep(total.bytes, total.steps),
                            PerStep(total.ms, total.steps), std::nullopt};
  }
  for (const CommTheory& due : theory) {
    operations[due.op].theory = static_cast<double>(due.bytes_per_step);
  }
  return operations;
}

// The sum of MEMBER over the steps that have it, and over how many.
struct Sum {
  double total = 0;
  int64_t count = 0;
  std::optional<double> mean() const {
    return count > 0 ? std::optional<double>(total / static_cast<double>(count))
                     : std::nullopt;
  }
};

Sum SumOf(const std::vector<StepRow>& steps,
          std::optional<double> StepRow::*member) {
  Sum sum;
  for (const StepRow& step : steps) {
    if (step.*member && step.step_ms) {
      sum.total += *(step.*member);
      ++sum.count;
    }
  }
  return sum;
}

void AddOverlap(const std::vector<StepRow>& steps, double inside_ms,
                Table& table) {
  const auto exposed = SumOf(steps, &StepRow::comm_exposed_ms).mean();
  if (!exposed) {
    return;
  }
  table.notes.push_back(
      "waited for: " + NumberCell(exposed, 3).text + " ms a step" +
      (inside_ms > 0
           ? "; overlap " +
                 NumberCell(100 * (1 - *exposed / inside_ms), 1).text + " %"
           : ""));
}

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
  const StepWindow window = LedgerWindow(run);
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

Result<Table> CommunicationLedger(const Reader& reader, const RunRow& run) {
  Table table;
  table.title = "communication a step, rank 0";
  table.columns = {{"op", "operation", false}, {"calls", "calls", true},
                   {"bytes", "sent MB", true}, {"theory", "theory MB", true},
                   {"ms", "ms", true},         {"agrees", "", false}};
  ASSIGN_OR_RETURN(const auto operations, OperationsOf(reader, run));
  double due = 0;
  double inside_ms = 0;
  bool sent = false;
  for (const auto& [op, o] : operations) {
    due += o.theory.value_or(0);
    inside_ms += o.ms.value_or(0);
    sent = sent || o.bytes;
  }
  for (const auto& [op, o] : operations) {
    const bool differs =
        due > 0 && sent &&
        std::abs(o.bytes.value_or(0) - o.theory.value_or(0)) > kTolerance * due;
    table.rows.push_back({TextCell(op), NumberCell(o.calls, 1),
                          MegabytesCell(o.bytes), MegabytesCell(o.theory),
                          NumberCell(o.ms, 3),
                          TextCell(differs ? "DIFFERENT" : "")});
  }
  if (!table.rows.empty()) {
    ASSIGN_OR_RETURN(const auto steps, reader.Steps(run.id, LedgerWindow(run)));
    AddOverlap(steps, inside_ms, table);
  }
  return table;
}

Result<Table> TimeLedger(const Reader& reader, const RunRow& run) {
  Table table;
  table.title = "time a step, rank 0";
  table.columns = {
      {"part", "part", false}, {"ms", "ms", true}, {"share", "share", true}};
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run.id, LedgerWindow(run)));
  const double whole = SumOf(steps, &StepRow::step_ms).mean().value_or(0);
  double rest = whole;
  const std::pair<const char*, std::optional<double> StepRow::*> parts[] = {
      {"data", &StepRow::data_ms},
      {"forward", &StepRow::forward_ms},
      {"backward", &StepRow::backward_ms},
      {"optimizer", &StepRow::optimizer_ms},
      {"exposed communication", &StepRow::comm_exposed_ms}};
  for (const auto& [name, member] : parts) {
    if (const auto mean = SumOf(steps, member).mean()) {
      table.rows.push_back(
          {TextCell(name), NumberCell(mean, 3), ShareCell(*mean, whole)});
      rest -= *mean;
    }
  }
  if (!table.rows.empty()) {
    table.rows.push_back(
        {TextCell("host gaps"), NumberCell(rest, 3), ShareCell(rest, whole)});
  }
  return table;
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
