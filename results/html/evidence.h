// What the record holds beside a comparison's figures: where a step's time
// goes, each operation's traffic, bandwidth curves, GPU samples, findings,
// checks, environments and command lines.
#ifndef RESULTS_HTML_EVIDENCE_H_
#define RESULTS_HTML_EVIDENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/report/operations.h"
#include "results/store/reader.h"

namespace zs::results {

// Of one experiment of a comparison.
struct RunEvidence {
  int64_t run_id = 0;  // 0: no valid run; all else is empty then
  RunRow run;
  std::map<std::string, double> parts;  // kStepParts, medians in ms by term
  std::vector<StepPoint> losses;        // `ms` holds the loss; no NaN
  std::vector<Operation> ledger;
  std::map<std::string, double> predicted;  // term -> ms; "tokens_per_s"
  std::string profile;                      // the prediction's
  std::vector<BandwidthRow> bandwidths;
  std::optional<double> roof_busbw_gb_s;  // `expect.min_busbw_gb_s`, if asked
  std::vector<GpuSample> gpu;
  std::vector<FindingRow> findings;
  std::vector<NodeRow> nodes;
  std::string environment_json = "{}";
};

// A sweep that runs of the comparison belong to.
struct SweepEvidence {
  SweepRow sweep;
  std::vector<CheckRow> checks;
};

struct Evidence {
  std::vector<RunEvidence> runs;      // as Comparison::experiments
  std::vector<SweepEvidence> sweeps;  // by id

  // Of the comparison's experiment I; an empty one where nothing was read.
  const RunEvidence& at(size_t i) const;
};

// The evidence for COMPARISON, at one moment of the record.
Result<Evidence> ReadEvidence(const Reader& reader,
                              const Comparison& comparison);

}  // namespace zs::results

#endif  // RESULTS_HTML_EVIDENCE_H_
