// Where a run becomes steady.
#ifndef RESULTS_STATS_WARMUP_H_
#define RESULTS_STATS_WARMUP_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace zs::results {

// Where SERIES changes its level or spread: the first index of each segment,
// beginning with 0. The cut that minimizes -2 log likelihood of normal segments
// plus a penalty of 15 log n for each: optimal partitioning as in Killick,
// Fearnhead and Eckley, "Optimal detection of changepoints with a linear
// computational cost", JASA 107 (2012), with the penalty of Barrett et al.,
// "Virtual machine warmup blows hot and cold", OOPSLA 2017. Segments have at
// least two values. Empty for a series with values that are not finite.
std::vector<size_t> ChangePoints(std::span<const double> series);

// The index of the first step time that belongs to the steady part: the slower
// segments before those that are like the last one are warm-up. 0 where nothing
// is. Nothing where less than half of the series would be left: then it has no
// steady part.
std::optional<size_t> SteadyFrom(std::span<const double> times_ms);

}  // namespace zs::results

#endif  // RESULTS_STATS_WARMUP_H_
