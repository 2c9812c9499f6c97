#include "results/report/comparison_writer.h"

#include <functional>
#include <utility>

#include "results/report/csv_writer.h"
#include "results/report/markdown_writer.h"
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
};

std::optional<int64_t> Rounded(std::optional<double> value) {
  return value ? std::optional<int64_t>(static_cast<int64_t>(*value + 0.5))
               : std::nullopt;
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

Cell WindowCell(const ComparedExperiment& e) {
  if (e.n == 0) {
    return UnknownCell();
  }
  return TextCell(std::to_string(e.window_first) + "-" +
                  std::to_string(e.window_last));
}

Cell LossCell(const ComparedExperiment& e) {
  if (IsBaseline(e)) {
    return TextCell("baseline");
  }
  if (!e.loss_equal) {
    return UnknownCell();
  }
  return TextCell(*e.loss_equal ? "equal" : "DIFFERENT");
}

Cell RatioCell(const ComparedExperiment& e) {
  return IsBaseline(e) ? NumberCell(1.0, 3) : NumberCell(e.ratio.value, 3);
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
  return TextCell(IsBaseline(e) ? "baseline" : e.ratio.word);
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
      {"mem_peak_bytes", "memory peak",
       [](const E& e) { return MemoryCell(e.mem_peak, &MemoryRow::total); }},
      {"mem_predicted_bytes", "memory predicted",
       [](const E& e) {
         return MemoryCell(e.mem_predicted, &MemoryRow::total);
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
  table.columns.push_back({"name", "experiment", false});
  for (const Metric& metric : metrics) {
    table.columns.push_back({metric.name, metric.header, true});
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

Json OrNull(std::optional<double> value) {
  return value ? Json(*value) : Json();
}
Json OrNull(std::optional<int> value) {
  return value ? Json(*value) : Json();
}

Json MemoryJson(const std::optional<MemoryRow>& memory) {
  if (!memory) {
    return nullptr;
  }
  const auto field = [](std::optional<int64_t> bytes) {
    return bytes ? Json(*bytes) : Json();
  };
  return {{"parameters", field(memory->parameters)},
          {"gradients", field(memory->gradients)},
          {"optimizer", field(memory->optimizer)},
          {"activations", field(memory->activations)},
          {"logits", field(memory->logits)},
          {"workspace", field(memory->workspace)},
          {"communication", field(memory->communication)},
          {"total", field(memory->total)}};
}

Json RatioJson(const ComparedExperiment& e) {
  if (IsBaseline(e)) {
    return {{"value", 1.0},   {"lo", 1.0},      {"hi", 1.0},
            {"p_value", 1.0}, {"word", "SAME"}, {"why", ""}};
  }
  return {
      {"value", OrNull(e.ratio.value)}, {"lo", OrNull(e.ratio.lo)},
      {"hi", OrNull(e.ratio.hi)},       {"p_value", OrNull(e.ratio.p_value)},
      {"word", e.ratio.word},           {"why", e.ratio.why}};
}

Json CommJson(const ComparedExperiment& e) {
  Json ops = Json::object();
  for (const CommPerStep& op : e.comm) {
    ops[op.op] = {{"measured", OrNull(op.measured_bytes)},
                  {"theory", OrNull(op.theory_bytes)}};
  }
  return ops;
}

Json ExperimentJson(const ComparedExperiment& e) {
  Json json = {
      {"name", e.name},
      {"baseline", e.baseline},
      {"run", e.run_id == 0 ? Json() : Json(e.run_id)},
      {"missing", e.missing},
      {"observations", e.observations},
      {"zero_requested", OrNull(e.zero_requested)},
      {"zero_effective", OrNull(e.zero_effective)},
      {"world_size", OrNull(e.world_size)},
      {"device", e.device.empty() ? Json("unknown") : Json(e.device)},
      {"n", e.n},
      {"tokens_per_s", OrNull(e.tokens_per_s)},
      {"tokens_per_s_per_gpu", OrNull(e.tokens_per_s_per_gpu)},
      {"tokens_per_s_mean", OrNull(e.tokens_per_s_mean)},
      {"comm_bytes_per_step", OrNull(e.comm_bytes_per_step)},
      {"comm_theory_bytes_per_step", OrNull(e.comm_theory_bytes_per_step)},
      {"comm_by_operation", CommJson(e)},
      {"comm_exposed_ms", OrNull(e.comm_exposed_ms)},
      {"final_loss", OrNull(e.final_loss)},
      {"loss_equal", e.loss_equal ? Json(*e.loss_equal) : Json()},
      {"nccl_health", e.nccl_health},
      {"mem_peak_bytes", MemoryJson(e.mem_peak)},
      {"mem_predicted_bytes", MemoryJson(e.mem_predicted)},
      {"ratio", RatioJson(e)}};
  json["step_time_ms"] = {{"median", OrNull(e.step_ms_median)},
                          {"p95", OrNull(e.step_ms_p95)},
                          {"cv", OrNull(e.step_cv)}};
  json["window"] =
      e.n == 0 ? Json()
               : Json({{"first", e.window_first}, {"last", e.window_last}});
  return json;
}

}  // namespace

Table MetricTable(const Comparison& comparison) {
  Table table;
  table.columns.push_back({"metric", "", false});
  for (const ComparedExperiment& e : comparison.experiments) {
    table.columns.push_back({e.name, e.name, true});
  }
  for (const Metric& metric : AllMetrics()) {
    std::vector<Cell> row = {TextCell(metric.header)};
    for (const ComparedExperiment& e : comparison.experiments) {
      row.push_back(metric.cell(e));
    }
    table.rows.push_back(std::move(row));
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
      {{"zero", "ZeRO", StageCell},
       {"world_size", "ranks",
        [](const E& e) { return IntCell(e.world_size); }},
       {"tokens_per_s_per_gpu", "tok/s/rank",
        [](const E& e) { return NumberCell(e.tokens_per_s_per_gpu, 1); }},
       {"step_ms_median", "step ms",
        [](const E& e) { return NumberCell(e.step_ms_median, 2); }},
       {"step_cv", "var.", [](const E& e) { return PercentCell(e.step_cv); }},
       {"mem_peak_bytes", "memory",
        [](const E& e) { return MemoryCell(e.mem_peak, &MemoryRow::total); }},
       {"losses", "losses", LossCell},
       {"ratio", "speed", RatioCell},
       {"interval", "95% interval", IntervalCell},
       {"word", "verdict", WordCell}});
}

Json ToJson(const Comparison& comparison) {
  Json experiments = Json::array();
  for (const ComparedExperiment& e : comparison.experiments) {
    experiments.push_back(ExperimentJson(e));
  }
  Json differences = Json::array();
  for (const Difference& d : comparison.differences) {
    differences.push_back({{"experiment", d.experiment},
                           {"path", d.path},
                           {"baseline", d.baseline},
                           {"value", d.value},
                           {"unfair", d.unfair}});
  }
  return {{"baseline", comparison.baseline}, {"verdict", comparison.verdict},
          {"measured", comparison.measured}, {"differences", differences},
          {"notes", comparison.notes},       {"experiments", experiments}};
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
    return WriteMarkdown(table) + "\n**" + MarkdownText(comparison.verdict) +
           "**\n";
  }
  return WriteTerminal(table, style) + "\n" + Printable(comparison.verdict) +
         "\n";
}

}  // namespace zs::results
