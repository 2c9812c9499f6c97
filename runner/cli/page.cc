#include "runner/cli/page.h"

#include "base/shell.h"
#include "base/strings.h"
#include "results/html/evidence.h"
#include "results/html/html_report.h"
#include "results/report/whole_sweep.h"

namespace zs {

Result<results::SweepRow> NewestSweep(const results::Reader& reader,
                                      const results::CompareOptions& options) {
  ASSIGN_OR_RETURN(const auto sweeps, reader.Sweeps());
  for (auto it = sweeps.rbegin(); it != sweeps.rend(); ++it) {
    if (!options.sweep.empty() && it->start.name != options.sweep) {
      continue;
    }
    // `check` leaves sweeps that have nothing to report.
    ASSIGN_OR_RETURN(const auto experiments, reader.Experiments(it->id));
    if (!experiments.empty()) {
      return *it;
    }
  }
  return NotFoundError(
      "no sweep is on record" +
      (options.sweep.empty() ? std::string() : " under " + options.sweep));
}

namespace {

// The command that makes the page of REQUEST again.
std::string CommandFor(const PageRequest& request) {
  const results::CompareOptions& options = request.options;
  std::vector<std::string> words = {"runner", "report"};
  const auto add = [&words](const char* flag, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {flag, value});
    }
  };
  add("--compare", Join(request.compare, ","));
  add("--baseline", options.baseline);
  add("--sweep", options.sweep);
  if (options.window) {
    add("--window", std::to_string(options.window->first) + "-" +
                        std::to_string(options.window->last));
  }
  if (options.even_so) {
    words.emplace_back("--even-so");
  }
  add("--format", "html");
  add("-o", "report.html");
  return ShellLine(words);
}

}  // namespace

Result<Page> MakePage(const results::Reader& reader,
                      const PageRequest& request) {
  results::Comparison comparison;
  std::string title;
  if (request.compare.empty()) {
    ASSIGN_OR_RETURN(const results::SweepRow sweep,
                     NewestSweep(reader, request.options));
    ASSIGN_OR_RETURN(comparison,
                     results::CompareSweep(reader, sweep.id, request.options));
    title = "Sweep " + sweep.start.name;
  } else {
    ASSIGN_OR_RETURN(
        comparison, results::Compare(reader, request.compare, request.options));
    title = "Comparison with " + comparison.baseline;
  }
  ASSIGN_OR_RETURN(const results::Evidence evidence,
                   results::ReadEvidence(reader, comparison));
  return Page{results::WriteHtml(comparison, evidence,
                                 {.title = title,
                                  .refresh_s = request.refresh_s,
                                  .again = CommandFor(request)}),
              comparison.measured};
}

}  // namespace zs
