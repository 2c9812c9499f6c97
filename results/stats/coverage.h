// How often intervals and words keep their promise on sweeps with known truth.
#ifndef RESULTS_STATS_COVERAGE_H_
#define RESULTS_STATS_COVERAGE_H_

#include "results/stats/synthetic.h"

namespace zs::results {

struct CoverageCase {
  SyntheticKind kind = SyntheticKind::kPlain;
  int steps = 40;  // what 50 steps with 10 of warm-up leave
  double phi = 0;
  double ratio = 1;          // the truth
  int runs = 1;              // a side
  double baseline_phi = -1;  // of the other side; below 0: phi
  double run_noise = 0;      // standard deviation of the logarithm between runs
};

struct Coverage {
  int tries = 0;
  int covered = 0;           // the interval holds the truth
  int faster_or_slower = 0;  // the words
  int faster = 0;
  // FASTER of a test that is told the true spread of the measured ratio, which
  // no method can know: the most that these steps can give at 5%.
  int oracle_faster = 0;
};

// TRIES sweeps of 2% noise: a side of 100 ms against one that is ratio as fast.
// Their noise has the seeds from FIRST_SEED on, two a sweep. What the method
// was calibrated with is below kFirstUnseen.
Coverage CoverageOf(const CoverageCase& c, int tries, unsigned first_seed);
inline constexpr unsigned kFirstUnseen = 1000000;

}  // namespace zs::results

#endif  // RESULTS_STATS_COVERAGE_H_
