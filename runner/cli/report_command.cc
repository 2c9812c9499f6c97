// report: the comparison in its formats, and what the gates say of it.
#include <malloc.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/step_range.h"
#include "results/report/compare.h"
#include "results/report/comparison.h"
#include "results/report/comparison_json.h"
#include "results/report/comparison_writer.h"
#include "results/report/gate.h"
#include "results/report/json_writer.h"
#include "results/report/ledger.h"
#include "results/report/lists.h"
#include "results/report/markdown_writer.h"
#include "results/report/table.h"
#include "results/report/table_writer.h"
#include "results/report/whole_sweep.h"
#include "results/store/reader.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"
#include "runner/cli/page.h"
#include "runner/cli/report_gate.h"

namespace zs {
namespace {

constexpr int kLargestArrayBytes = 1 << 30;

// Statistics over long runs take and give back large arrays all the time: the
// kernel need not give out and zero their pages each time.
void KeepLargeMemory() {
  ::mallopt(M_MMAP_THRESHOLD, kLargestArrayBytes);
  ::mallopt(M_TRIM_THRESHOLD, kLargestArrayBytes);
}

// "35-44" as a window of steps.
Result<results::StepWindow> ParseWindow(const std::string& text) {
  if (const auto range = ParseStepRange(text)) {
    return results::StepWindow{range->first, range->last};
  }
  return InvalidArgumentError("--window: '" + text +
                              "' is not allowed; allowed: FIRST-LAST, such as "
                              "35-44");
}

int WriteOut(const Arguments& a, const std::string& text) {
  if (a.output.empty()) {
    Print(text);
    return kExitOk;
  }
  const Status written = WriteFileAtomically(a.output, text);
  return written.ok() ? kExitOk : Complain(written, kExitRequest);
}

// The comparison in the format that was asked for; a file gets no colour.
Result<std::string> ComparisonText(const Arguments& a,
                                   const results::Comparison& comparison) {
  ASSIGN_OR_RETURN(const results::Format format,
                   results::ParseFormat(a.format));
  return results::WriteComparison(
      comparison, format,
      a.output.empty() ? StdoutStyle() : results::TerminalStyle());
}

// Writes the comparison and what the gates say of it; the exit code.
int TellComparison(const Arguments& a, const results::Reader& reader,
                   const results::Comparison& comparison, const Gates& gates) {
  auto text = ComparisonText(a, comparison);
  if (!text.ok()) {
    return Complain(text.status(), kExitRequest);
  }
  const auto judged = JudgeGates(reader, comparison, gates);
  if (judged.ok() && !judged->empty() && a.format == "markdown") {
    *text += "\n" + results::WriteMarkdown(results::GateTable(*judged));
  }
  if (const int written = WriteOut(a, *text); written != kExitOk) {
    return written;
  }
  if (!judged.ok()) {
    return Complain(judged.status(), kExitRequest);
  }
  if (!a.junit.empty()) {
    const Status written =
        WriteFileAtomically(a.junit, results::GatesXml(*judged));
    if (!written.ok()) {
      return Complain(written, kExitRequest);
    }
  }
  const int code = TellGates(*judged);
  return comparison.measured || code == kExitRegression
             ? code
             : int{kExitNothingMeasured};
}

int ReportPage(const Arguments& a, const results::Reader& reader,
               const results::CompareOptions& options) {
  const auto page =
      MakePage(reader, {.compare = a.compare, .options = options});
  if (!page.ok()) {
    return Complain(page.status(), page.status().code() == StatusCode::kNotFound
                                       ? kExitNothingMeasured
                                       : kExitRequest);
  }
  if (const int written = WriteOut(a, page->html); written != kExitOk) {
    return written;
  }
  return page->measured ? kExitOk : kExitNothingMeasured;
}

// What became of each experiment of SWEEP, and of its time.
Result<std::vector<results::Table>> SweepTables(
    const results::Reader& reader, const results::SweepRow& sweep) {
  ASSIGN_OR_RETURN(results::Table table, results::SweepTable(reader, sweep.id));
  ASSIGN_OR_RETURN(results::Table ledger, results::SweepLedger(reader, sweep));
  std::vector<results::Table> tables = {std::move(table)};
  if (!ledger.rows.empty()) {
    tables.push_back(std::move(ledger));
  }
  return tables;
}

// TABLES, the experiments first, and the comparison of the whole sweep; CSV has
// no room for a second kind of rows.
Result<std::string> SweepText(const Arguments& a,
                              const std::vector<results::Table>& tables,
                              const results::Comparison& comparison) {
  ASSIGN_OR_RETURN(const results::Format format,
                   results::ParseFormat(a.format));
  const results::TerminalStyle style =
      a.output.empty() ? StdoutStyle() : results::TerminalStyle();
  if (format == results::Format::kCsv) {
    return results::WriteTables({tables.front()}, format, style);
  }
  if (format != results::Format::kJson) {
    return results::WriteTables(tables, format, style) + "\n" +
           results::WriteComparison(comparison, format, style);
  }
  Json json = {{"comparison", results::ToJson(comparison)}};
  for (const results::Table& table : tables) {
    json[table.title] = results::TableJson(table);
  }
  return DumpJsonPretty(json) + "\n";
}

// The whole newest sweep, where no comparison is asked for.
int ReportNewestSweep(const Arguments& a, const results::Reader& reader,
                      const results::CompareOptions& options) {
  const auto sweep = NewestSweep(reader, options);
  if (!sweep.ok()) {
    return Complain(sweep.status(), kExitNothingMeasured);
  }
  const auto tables = SweepTables(reader, *sweep);
  if (!tables.ok()) {
    return Complain(tables.status(), kExitRequest);
  }
  const auto comparison = results::CompareSweep(reader, sweep->id, options);
  if (!comparison.ok()) {
    return Complain(comparison.status(), kExitNothingMeasured);
  }
  const auto text = SweepText(a, *tables, *comparison);
  if (!text.ok()) {
    return Complain(text.status().WithContext("without --compare"),
                    kExitRequest);
  }
  const int written = WriteOut(a, *text);
  return written != kExitOk || comparison->measured ? written
                                                    : kExitNothingMeasured;
}

}  // namespace

int ReportCommand(const Arguments& a) {
  KeepLargeMemory();
  const auto reader = OpenRecord(a.db);
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  results::CompareOptions options;
  options.baseline = a.baseline;
  options.sweep = a.sweep;
  options.even_so = a.even_so;
  const auto gates = ParseGates(a);
  if (!gates.ok()) {
    return Complain(gates.status(), kExitRequest);
  }
  if (a.compare.empty() && !a.baseline.empty()) {
    return Complain(
        InvalidArgumentError(
            "--baseline " + a.baseline +
            ": a whole sweep is compared in groups, each with a baseline of "
            "its own; name what is to be compared with --compare"),
        kExitRequest);
  }
  const bool gated = !a.gate.empty() || !a.fail_if.empty();
  if (a.compare.empty() && (gated || !a.junit.empty())) {
    return Complain(InvalidArgumentError(
                        "--gate, --fail-if and --junit are about a comparison; "
                        "name its experiments with --compare"),
                    kExitRequest);
  }
  if (a.format == "html" && (gated || !a.junit.empty())) {
    return Complain(InvalidArgumentError(
                        "--gate, --fail-if and --junit go with --format table, "
                        "markdown, csv and json; make the page with a second "
                        "report"),
                    kExitRequest);
  }
  if (!a.window.empty()) {
    const auto window = ParseWindow(a.window);
    if (!window.ok()) {
      return Complain(window.status(), kExitRequest);
    }
    options.window = *window;
  }
  if (a.format == "html") {
    return ReportPage(a, **reader, options);
  }
  if (a.compare.empty()) {
    return ReportNewestSweep(a, **reader, options);
  }
  const auto comparison = results::Compare(**reader, a.compare, options);
  if (!comparison.ok()) {
    return Complain(comparison.status(), kExitRequest);
  }
  return TellComparison(a, **reader, *comparison, *gates);
}

}  // namespace zs
