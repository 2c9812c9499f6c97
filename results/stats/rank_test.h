// Whether one sample tends to be larger than another, whatever their shapes.
#ifndef RESULTS_STATS_RANK_TEST_H_
#define RESULTS_STATS_RANK_TEST_H_

#include <optional>
#include <span>

namespace zs::results {

struct RankTest {
  double p_value = 1;  // two-sided
  // P(first < second) + P(equal) / 2; 0.5 where neither tends to be larger.
  double chance_first_smaller = 0.5;
};

// The test of Brunner and Munzel, "The nonparametric Behrens-Fisher problem",
// Biometrical Journal 42 (2000), with Student's distribution. Values are taken
// as independent. Nothing for fewer than two values on a side or one that is
// not finite. Samples that do not overlap at all: p_value 0.
std::optional<RankTest> BrunnerMunzel(std::span<const double> first,
                                      std::span<const double> second);

}  // namespace zs::results

#endif  // RESULTS_STATS_RANK_TEST_H_
