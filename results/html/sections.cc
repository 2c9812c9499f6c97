#include "results/html/sections.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "results/html/html_table.h"
#include "results/html/html_text.h"
#include "results/html/prediction_gap.h"
#include "results/html/section.h"
#include "results/report/comparison_writer.h"
#include "results/report/operations.h"

namespace zs::results {
namespace {

constexpr size_t kMostColumns = 6;  // of experiments side by side

bool IsBaseline(const ComparedExperiment& e) {
  return e.name == e.baseline;
}

std::optional<int64_t> Whole(std::optional<double> value) {
  return value && std::isfinite(*value)
             ? std::optional<int64_t>(std::llround(*value))
             : std::nullopt;
}

std::optional<double> Scaled(std::optional<double> value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

Cell StageCell(const ComparedExperiment& e) {
  if (e.zero_requested && e.zero_effective &&
      *e.zero_requested != *e.zero_effective) {
    return TextCell(std::to_string(*e.zero_requested) + " asked, ran " +
                    std::to_string(*e.zero_effective));
  }
  return IntCell(e.zero_effective ? e.zero_effective : e.zero_requested);
}

Cell LossCell(const ComparedExperiment& e) {
  if (IsBaseline(e)) {
    return TextCell(e.alone ? "" : "baseline");
  }
  return e.loss_equal ? TextCell(*e.loss_equal ? "equal" : "DIFFERENT")
                      : UnknownCell();
}

std::vector<Cell> SummaryRow(const ComparedExperiment& e,
                             const RunEvidence& run) {
  const bool baseline = IsBaseline(e);
  std::vector<Cell> row = {
      TextCell(e.name),
      TextCell(e.alone    ? "alone"
               : baseline ? "baseline"
                          : e.ratio.word),
      e.alone    ? TextCell("")
      : baseline ? NumberCell(1.0, 3)
                 : NumberCell(e.ratio.value, 3),
      TextCell(""),
      StageCell(e),
      IntCell(e.world_size),
      NumberCell(e.tokens_per_s_per_gpu, 1),
      NumberCell(e.step_ms_median, 2),
      NumberCell(Scaled(e.step_cv, 100), 1),
      NumberCell(e.comm_exposed_ms, 2),
      BytesCell(e.mem_peak ? e.mem_peak->total : std::nullopt),
      LossCell(e)};
  const auto predicted = run.predicted.find("step");
  row.push_back(predicted == run.predicted.end()
                    ? UnknownCell()
                    : NumberCell(predicted->second, 2));
  return row;
}

constexpr size_t kIntervalColumn = 3;

std::string IntervalAttributes(const ComparedExperiment& e) {
  if (IsBaseline(e) || !e.ratio.value || !e.ratio.lo || !e.ratio.hi) {
    return "";
  }
  return " class=\"interval\" data-value=\"" + DumpJson(Json(*e.ratio.value)) +
         "\" data-lo=\"" + DumpJson(Json(*e.ratio.lo)) + "\" data-hi=\"" +
         DumpJson(Json(*e.ratio.hi)) + "\"";
}

Table SummaryTable(const Comparison& comparison, const Evidence& evidence) {
  Table table;
  table.columns = {{"name", "experiment", false},
                   {"word", "verdict", false},
                   {"ratio", "speed", true},
                   {"interval", "95% interval", false},
                   {"zero", "ZeRO", true},
                   {"world_size", "ranks", true},
                   {"rate", "tokens/s per rank", true},
                   {"step", "step ms", true},
                   {"cv", "variation %", true},
                   {"exposed", "exposed ms", true},
                   {"memory", "memory", true},
                   {"losses", "losses", false},
                   {"predicted", "predicted ms", true}};
  bool predicted = false;
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    const RunEvidence& run = evidence.at(i);
    predicted = predicted || run.predicted.count("step") > 0;
    table.rows.push_back(SummaryRow(comparison.experiments[i], run));
  }
  if (!predicted) {  // a last column of unknowns says nothing
    table.columns.pop_back();
  }
  return table;
}

Table LedgerTable(const Comparison& comparison, const Evidence& evidence) {
  Table table;
  table.columns = OperationColumns();
  table.columns.insert(table.columns.begin(), {"name", "experiment", false});
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    for (const Operation& operation : evidence.at(i).ledger) {
      std::vector<Cell> row = OperationCells(operation);
      row.insert(row.begin(), TextCell(comparison.experiments[i].name));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// Colours the operation whose traffic is off theory.
std::string LedgerAttributes(const Table& table, size_t row, size_t column) {
  return column == 1 && !table.rows[row].back().text.empty() ? " class=\"bad\""
                                                             : "";
}

Cell GapCell(double value, bool is_memory) {
  return is_memory ? BytesCell(Whole(value)) : NumberCell(value, 2);
}

Cell OffCell(const Gap& gap) {
  if (gap.predicted <= 0) {
    return UnknownCell();
  }
  const double off = 100 * (gap.ratio() - 1);
  return {off, (off >= 0 ? "+" : "") + NumberCell(off, 1).text + " %"};
}

// Every term of every experiment.
Table TermTable(const Comparison& comparison, const Evidence& evidence) {
  Table table;
  table.columns = {
      {"name", "experiment", false},  {"what", "", false},
      {"term", "term", false},        {"predicted", "predicted", true},
      {"measured", "measured", true}, {"off", "off by", true}};
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    const ComparedExperiment& e = comparison.experiments[i];
    for (const Gap& gap : GapsOf(e, evidence.at(i))) {
      table.rows.push_back(
          {TextCell(e.name), TextCell(gap.is_memory ? "memory" : "ms a step"),
           TextCell(gap.term), GapCell(gap.predicted, gap.is_memory),
           GapCell(gap.measured, gap.is_memory), OffCell(gap)});
    }
  }
  return table;
}

// What was predicted and measured of one experiment.
struct GapsOfOne {
  std::string name;
  std::vector<Gap> gaps;
};

// Adds predicted, measured and how far off of TERM, called TITLE, to TABLE,
// which has a row for each of ALL; nothing where nobody knows it.
void AddGapColumns(const std::vector<GapsOfOne>& all, const std::string& term,
                   const std::string& title, Table& table) {
  std::vector<std::vector<Cell>> cells;
  bool known = false;
  for (const GapsOfOne& one : all) {
    const auto gap = std::find_if(one.gaps.begin(), one.gaps.end(),
                                  [&](const Gap& g) { return g.term == term; });
    const bool has = gap != one.gaps.end();
    known = known || has;
    cells.push_back(
        has ? std::vector<Cell>{GapCell(gap->predicted, gap->is_memory),
                                GapCell(gap->measured, gap->is_memory),
                                OffCell(*gap)}
            : std::vector<Cell>(3, UnknownCell()));
  }
  if (!known) {
    return;
  }
  table.columns.insert(table.columns.end(),
                       {{term + "_p", title + " predicted", true},
                        {term + "_m", "measured", true},
                        {term + "_off", "off by", true}});
  for (size_t i = 0; i < cells.size(); ++i) {
    table.rows[i].insert(table.rows[i].end(), cells[i].begin(), cells[i].end());
  }
}

// The step and the sum of the memory's components, a row for each experiment.
Table PredictionTable(const Comparison& comparison, const Evidence& evidence) {
  std::vector<GapsOfOne> all;
  Table table;
  table.columns = {{"name", "experiment", false}};
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    GapsOfOne one = {comparison.experiments[i].name,
                     GapsOf(comparison.experiments[i], evidence.at(i))};
    if (!one.gaps.empty()) {
      table.rows.push_back({TextCell(one.name)});
      all.push_back(std::move(one));
    }
  }
  AddGapColumns(all, "whole step", "step ms", table);
  AddGapColumns(all, "components", "memory", table);
  return table;
}

std::string TermsOffHtml(const Comparison& comparison) {
  std::string out;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.term_off) {
      out += "<li>" +
             HtmlText(e.name + ": " + e.term_off->name + " took " +
                      NumberCell(e.term_off->measured_ms, 2).text + " ms, " +
                      NumberCell(e.term_off->predicted_ms, 2).text +
                      " ms were predicted (profile " + e.profile + ")") +
             "</li>\n";
    }
  }
  return out.empty() ? "" : "<p>The term that is off:</p><ul>" + out + "</ul>";
}

}  // namespace

std::string SummarySection(const Comparison& comparison,
                           const Evidence& evidence) {
  const Table table = SummaryTable(comparison, evidence);
  TableLook look{.caption =
                     "Each experiment against its baseline; a header "
                     "sorts; the bars are 95% intervals around 1, the band is "
                     "what counts as the same, an arrow goes on beyond the "
                     "scale",
                 .sortable = true};
  look.attributes = [&](size_t row, size_t column) {
    return column == kIntervalColumn
               ? IntervalAttributes(comparison.experiments[row])
               : "";
  };
  return Section("summary", "Comparison", TableHtml(table, look));
}

std::string MetricsSection(const Comparison& comparison) {
  if (comparison.experiments.size() > kMostColumns) {
    return "";
  }
  return Section("metrics", "Every metric",
                 TableHtml(MetricTable(comparison),
                           {.caption = "Medians are over the steps used"}));
}

std::string LedgerSection(const Comparison& comparison,
                          const Evidence& evidence) {
  const Table table = LedgerTable(comparison, evidence);
  TableLook look{.caption =
                     "A step of rank 0: calls, bytes sent beside what "
                     "the stage needs, time inside the operation",
                 .sortable = true};
  look.attributes = [&](size_t row, size_t column) {
    return LedgerAttributes(table, row, column);
  };
  return table.rows.empty() ? ""
                            : Section("ledger", "Communication ledger",
                                      TableHtml(table, look));
}

std::string PredictionSection(const Comparison& comparison,
                              const Evidence& evidence) {
  const Table table = PredictionTable(comparison, evidence);
  if (table.rows.empty()) {
    return "";
  }
  return Section(
      "prediction", "Predicted and measured",
      TermsOffHtml(comparison) +
          TableHtml(table, {.caption = "Memory: the sum of what the engine "
                                       "allocates for the run",
                            .sortable = true}) +
          "<details><summary>Every term</summary>" +
          TableHtml(TermTable(comparison, evidence),
                    {.caption = "The whole process holds the program, its "
                                "libraries and their buffers too",
                     .sortable = true}) +
          "</details>\n");
}

}  // namespace zs::results
