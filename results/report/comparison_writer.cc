#include "results/report/comparison_writer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "results/report/comparison_json.h"
#include "results/report/csv_writer.h"
#include "results/report/interval_plot.h"
#include "results/report/markdown_writer.h"
#include "results/report/memory_sum.h"
#include "results/report/text.h"

namespace zs::results {
namespace {

// Beyond this many a column for each no longer fits.
constexpr size_t kMostColumns = 6;

using CellOf = std::function<Cell(const ComparedExperiment&)>;

// A metric under its machine's name and the one for people.
struct Metric {
  std::string name;
  std::string header;
  CellOf cell;
  bool optional = false;  // people do without where nobody knows it
  int drop = 0;           // as in Column
};

std::optional<int64_t> Rounded(std::optional<double> value) {
  return value ? std::optional<int64_t>(std::llround(*value)) : std::nullopt;
}

bool IsBaseline(const ComparedExperiment& e) {
  return e.name == e.baseline;
}

Cell StageCell(const ComparedExperiment& e) {
  const auto text = [](std::optional<int> stage) {
    return stage ? std::to_string(*stage) : std::string("unknown");
  };
  return TextCell(text(e.zero_requested) + " / " + text(e.zero_effective));
}

// One number, or both where they differ: "1 ran 0".
Cell BriefStageCell(const ComparedExperiment& e) {
  if (e.zero_requested && e.zero_effective &&
      *e.zero_requested != *e.zero_effective) {
    return TextCell(std::to_string(*e.zero_requested) + " ran " +
                    std::to_string(*e.zero_effective));
  }
  return IntCell(e.zero_effective ? e.zero_effective : e.zero_requested);
}

Cell WindowCell(const ComparedExperiment& e) {
  if (e.n == 0) {
    return UnknownCell();
  }
  return TextCell(std::to_string(e.window_first) + "-" +
                  std::to_string(e.window_last));
}

Cell LossCell(const ComparedExperiment& e) {
  if (IsBaseline(e)) {
    return TextCell(e.alone ? "" : "baseline");
  }
  if (!e.loss_equal) {
    return UnknownCell();
  }
  if (!*e.loss_equal) {
    return TextCell("DIFFERENT");
  }
  return TextCell(e.loss_check.largest == 0
                      ? "equal"
                      : "within " +
                            NumberCell(100 * e.loss_check.tolerance, 2).text +
                            " %");
}

Cell RatioCell(const ComparedExperiment& e) {
  return e.alone         ? TextCell("")
         : IsBaseline(e) ? NumberCell(1.0, 3)
                         : NumberCell(e.ratio.value, 3);
}

Cell IntervalCell(const ComparedExperiment& e) {
  if (IsBaseline(e)) {
    return TextCell("");
  }
  if (!e.ratio.lo || !e.ratio.hi) {
    return UnknownCell();
  }
  return TextCell("[" + NumberCell(e.ratio.lo, 3).text + ", " +
                  NumberCell(e.ratio.hi, 3).text + "]");
}

Cell WordCell(const ComparedExperiment& e) {
  return TextCell(e.alone         ? "alone"
                  : IsBaseline(e) ? "baseline"
                                  : e.ratio.word);
}

// "backward +12.3 ms": what a step takes longer than predicted, and where.
Cell TermOffCell(const ComparedExperiment& e) {
  if (!e.term_off) {
    return UnknownCell();
  }
  const double off = e.term_off->measured_ms - e.term_off->predicted_ms;
  return TextCell(e.term_off->name + (off < 0 ? " " : " +") +
                  NumberCell(off, 1).text);
}

Cell MemoryCell(const std::optional<MemoryRow>& memory,
                std::optional<int64_t> MemoryRow::*field) {
  return BytesCell(memory ? (*memory).*field : std::nullopt);
}

Cell PercentCell(std::optional<double> share) {
  if (!share) {
    return UnknownCell();
  }
  return {*share, NumberCell(*share * 100, 2).text + " %"};
}

std::vector<Metric> SpeedMetrics() {
  using E = ComparedExperiment;
  return {
      {"zero", "ZeRO asked / in effect", StageCell},
      {"world_size", "ranks", [](const E& e) { return IntCell(e.world_size); }},
      {"tokens_per_s_per_gpu", "tokens/s per rank",
       [](const E& e) { return NumberCell(e.tokens_per_s_per_gpu, 1); }},
      {"tokens_per_s", "tokens/s",
       [](const E& e) { return NumberCell(e.tokens_per_s, 1); }},
      {"step_ms_median", "step ms, median",
       [](const E& e) { return NumberCell(e.step_ms_median, 2); }},
      {"step_ms_p95", "step ms, p95",
       [](const E& e) { return NumberCell(e.step_ms_p95, 2); }},
      {"step_ms_predicted", "step ms, predicted",
       [](const E& e) { return NumberCell(e.step_ms_predicted, 2); }, true},
      {"term_off", "furthest off, ms", TermOffCell, true},
      {"step_cv", "step variation",
       [](const E& e) { return PercentCell(e.step_cv); }},
      {"comm_exposed_ms", "exposed communication ms",
       [](const E& e) { return NumberCell(e.comm_exposed_ms, 2); }},
  };
}

std::vector<Metric> CostMetrics() {
  using E = ComparedExperiment;
  return {
      {"comm_bytes_per_step", "sent a step and rank",
       [](const E& e) { return BytesCell(Rounded(e.comm_bytes_per_step)); }},
      {"comm_theory_bytes_per_step", "in theory",
       [](const E& e) {
         return BytesCell(Rounded(e.comm_theory_bytes_per_step));
       }},
      {"mem_peak_bytes", "memory, whole process",
       [](const E& e) { return MemoryCell(e.mem_peak, &MemoryRow::total); }},
      {"mem_own_bytes", "memory, the run's own",
       [](const E& e) {
         return BytesCell(e.mem_peak ? ComponentsOf(*e.mem_peak)
                                     : std::nullopt);
       }},
      {"mem_predicted_bytes", "predicted",
       [](const E& e) {
         return BytesCell(e.mem_predicted ? ComponentsOf(*e.mem_predicted)
                                          : std::nullopt);
       }},
      {"mem_optimizer_bytes", "optimizer state",
       [](const E& e) {
         return MemoryCell(e.mem_peak, &MemoryRow::optimizer);
       }},
      {"mem_gradient_bytes", "gradients",
       [](const E& e) {
         return MemoryCell(e.mem_peak, &MemoryRow::gradients);
       }},
  };
}

std::vector<Metric> OutcomeMetrics() {
  using E = ComparedExperiment;
  return {
      {"final_loss", "final loss",
       [](const E& e) { return NumberCell(e.final_loss, 6); }},
      {"losses", "losses", LossCell},
      {"nccl_health", "NCCL health",
       [](const E& e) { return TextCell(e.nccl_health); }},
      {"window", "steps used", WindowCell},
      {"n", "steps measured", [](const E& e) { return IntCell(e.n); }},
      {"runs", "runs",
       [](const E& e) {
         return IntCell(static_cast<int64_t>(e.run_ids.size()));
       }},
      {"run_noise", "noise between runs",
       [](const E& e) {
         return IsBaseline(e) ? TextCell("") : PercentCell(e.ratio.run_noise);
       },
       true},
      {"chance_faster", "a step is faster in",
       [](const E& e) {
         return IsBaseline(e) ? TextCell("")
                              : PercentCell(e.ratio.chance_faster);
       },
       true},
      {"ratio", "speed against baseline", RatioCell},
      {"interval", "95% interval", IntervalCell},
      {"word", "verdict", WordCell},
  };
}

std::vector<Metric> AllMetrics() {
  std::vector<Metric> all = SpeedMetrics();
  for (auto& part : {CostMetrics(), OutcomeMetrics()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// What stands together in one cell for people, apart for machines.
std::vector<Metric> SeparateMetrics() {
  using E = ComparedExperiment;
  const auto step = [](int64_t number) {
    return number == 0 ? UnknownCell() : IntCell(number);
  };
  return {
      {"zero_requested", "",
       [](const E& e) { return IntCell(e.zero_requested); }},
      {"zero_effective", "",
       [](const E& e) { return IntCell(e.zero_effective); }},
      {"window_first", "", [step](const E& e) { return step(e.window_first); }},
      {"window_last", "", [step](const E& e) { return step(e.window_last); }},
      {"ratio_lo", "",
       [](const E& e) {
         return NumberCell(
             IsBaseline(e) ? std::optional<double>(1) : e.ratio.lo, 3);
       }},
      {"ratio_hi", "",
       [](const E& e) {
         return NumberCell(
             IsBaseline(e) ? std::optional<double>(1) : e.ratio.hi, 3);
       }},
      {"baseline", "", [](const E& e) { return TextCell(e.baseline); }},
      {"missing", "", [](const E& e) { return TextCell(e.missing); }},
  };
}

// METRICS, a row for each experiment.
Table TableOf(const Comparison& comparison,
              const std::vector<Metric>& metrics) {
  Table table;
  table.columns.push_back({"name", "experiment", false, true});
  for (const Metric& metric : metrics) {
    table.columns.push_back({.name = metric.name,
                             .header = metric.header,
                             .right = true,
                             .drop = metric.drop});
  }
  for (const ComparedExperiment& e : comparison.experiments) {
    std::vector<Cell> row = {TextCell(e.name)};
    for (const Metric& metric : metrics) {
      row.push_back(metric.cell(e));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// How a kind of sentence looks: SGR colour of a terminal, mark of Markdown.
struct LineLook {
  VerdictKind kind;
  const char* color;
  const char* mark;
};
constexpr LineLook kLooks[] = {{VerdictKind::kWrong, "31", "**"},
                               {VerdictKind::kBest, "1", "**"},
                               {VerdictKind::kDetail, "", ""},
                               {VerdictKind::kCaution, "33", "_"}};

const LineLook& LookOf(VerdictKind kind) {
  return *std::find_if(std::begin(kLooks), std::end(kLooks),
                       [&](const LineLook& look) { return look.kind == kind; });
}

// A line for each sentence.
std::string TerminalVerdict(const Comparison& comparison,
                            const TerminalStyle& style) {
  std::string out;
  for (const VerdictLine& line : comparison.verdict_lines) {
    const std::string color = style.color ? LookOf(line.kind).color : "";
    if (!color.empty()) {
      out.append("\x1b[").append(color).append("m");
    }
    out += Wrapped(Printable(line.text), style.width);
    out += color.empty() ? "\n" : "\x1b[0m\n";
  }
  return out;
}

std::string MarkdownVerdict(const Comparison& comparison) {
  std::string out;
  for (const VerdictLine& line : comparison.verdict_lines) {
    const char* const mark = LookOf(line.kind).mark;
    out += out.empty() ? "" : "\n";
    out.append(mark).append(MarkdownText(line.text)).append(mark).append("\n");
  }
  return out;
}

}  // namespace

Table MetricTable(const Comparison& comparison) {
  Table table;
  table.foldable = true;
  table.columns.push_back({"metric", "", false, true});
  for (const ComparedExperiment& e : comparison.experiments) {
    table.columns.push_back({e.name, e.name, true});
  }
  for (const Metric& metric : AllMetrics()) {
    std::vector<Cell> row = {TextCell(metric.header)};
    bool known = false;
    for (const ComparedExperiment& e : comparison.experiments) {
      row.push_back(metric.cell(e));
      known = known || (!row.back().text.empty() &&
                        row.back().text != UnknownCell().text);
    }
    if (known || !metric.optional) {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table ExperimentTable(const Comparison& comparison) {
  std::vector<Metric> metrics;
  for (const auto& part : {AllMetrics(), SeparateMetrics()}) {
    for (const Metric& metric : part) {
      if (metric.name != "zero" && metric.name != "window" &&
          metric.name != "interval") {
        metrics.push_back(metric);
      }
    }
  }
  return TableOf(comparison, metrics);
}

Table BriefTable(const Comparison& comparison) {
  using E = ComparedExperiment;
  return TableOf(
      comparison,
      {{"zero", "ZeRO", BriefStageCell},
       {"world_size", "ranks",
        [](const E& e) { return IntCell(e.world_size); }},
       {"tokens_per_s_per_gpu", "tok/s/rank",
        [](const E& e) { return NumberCell(e.tokens_per_s_per_gpu, 1); }, false,
        3},
       {"step_ms_median", "step ms",
        [](const E& e) { return NumberCell(e.step_ms_median, 2); }},
       {"step_cv", "var.", [](const E& e) { return PercentCell(e.step_cv); },
        false, 4},
       {"mem_peak_bytes", "memory",
        [](const E& e) { return MemoryCell(e.mem_peak, &MemoryRow::total); },
        false, 2},
       {"losses", "losses", LossCell},
       {"ratio", "speed", RatioCell},
       {"interval", "95% interval", IntervalCell},
       {"word", "verdict", WordCell}});
}

std::string WriteComparison(const Comparison& comparison, Format format,
                            const TerminalStyle& style) {
  if (format == Format::kJson) {
    return DumpJsonPretty(ToJson(comparison)) + "\n";
  }
  if (format == Format::kCsv) {
    return WriteCsv(ExperimentTable(comparison));
  }
  Table table = comparison.experiments.size() <= kMostColumns
                    ? MetricTable(comparison)
                    : BriefTable(comparison);
  for (const std::string& note : comparison.notes) {
    table.notes.push_back("! " + note);
  }
  if (format == Format::kMarkdown) {
    return WriteMarkdown(table) + "\n" + MarkdownVerdict(comparison);
  }
  const std::string plot = IntervalPlot(comparison);
  return WriteTerminal(table, style) + (plot.empty() ? "" : "\n" + plot) +
         "\n" + TerminalVerdict(comparison, style);
}

}  // namespace zs::results
