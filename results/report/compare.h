// Makes a comparison out of the record.
#ifndef RESULTS_REPORT_COMPARE_H_
#define RESULTS_REPORT_COMPARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "results/report/comparison.h"
#include "results/store/reader.h"

namespace zs::results {

inline constexpr std::string_view kPromoted = "promoted";

struct CompareOptions {
  // Name or pattern; empty: the first of the names; kPromoted: each experiment
  // with the newest run of its name that was promoted.
  std::string baseline;
  std::string sweep;  // only sweeps of this name; empty: the newest that has
                      // all names
  std::optional<StepWindow> window;  // empty: all steps after the warm-up
  double margin = 0.01;  // an interval within 1/(1+margin)..1+margin is SAME
  uint64_t seed = 1;     // of the bootstrap
  // Compare speeds where conditions make that unfair or losses differ, too.
  bool even_so = false;
};

// Compares the valid repeats of each experiment that NAMES match, equal
// conditions and losses first: a pair that fails there, or of which nobody
// knows, gets no ratio. A name is
// an exact name, a glob ("z*_r2"), or the beginning of a name: up to a
// separator ("z1" for z1_r2 and z1_r4) it stands for all of them, elsewhere it
// must be the beginning of one only. Several experiments for one name are
// compared with those of the baseline that end alike (z1_r2 with z0_r2).
//
// kNotFound for a name that matches nothing and kInvalidArgument for one that
// is ambiguous: the message lists the candidates. A side without a valid run is
// no error: `measured` is false and the words say what to run.
Result<Comparison> Compare(const Reader& reader,
                           const std::vector<std::string>& names,
                           const CompareOptions& options);

struct CompareGroup {
  std::vector<std::string> names;
  std::string baseline;  // as in CompareOptions, whose own is not used
};

// The same for several groups. Their words are corrected together: chance does
// not care how pairs are grouped.
Result<std::vector<Comparison>> CompareGroups(
    const Reader& reader, const std::vector<CompareGroup>& groups,
    const CompareOptions& options);

}  // namespace zs::results

#endif  // RESULTS_REPORT_COMPARE_H_
