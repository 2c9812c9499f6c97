#include "runner/cli/page.h"

#include "results/html/evidence.h"
#include "results/html/html_report.h"
#include "results/report/whole_sweep.h"

namespace zs {

Result<results::SweepRow> NewestSweep(const results::Reader& reader,
                                      const results::CompareOptions& options) {
  ASSIGN_OR_RETURN(const auto sweeps, reader.Sweeps());
  for (auto it = sweeps.rbegin(); it != sweeps.rend(); ++it) {
    if (options.sweep.empty() || it->start.name == options.sweep) {
      return *it;
    }
  }
  return NotFoundError(
      "no sweep is on record" +
      (options.sweep.empty() ? std::string() : " under " + options.sweep));
}

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
  return Page{
      results::WriteHtml(comparison, evidence,
                         {.title = title, .refresh_s = request.refresh_s}),
      comparison.measured};
}

}  // namespace zs
