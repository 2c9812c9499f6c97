#include "results/stats/rank_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "results/stats/distributions.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

// Ranks from 1; equal values share the mean of theirs.
Values MidRanks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  Values ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

// The variance of a side's placements: ranks among all less ranks among its
// own.
double PlacementVariance(std::span<const double> among_all,
                         std::span<const double> own) {
  const Values inner = MidRanks(own);
  const double n = static_cast<double>(own.size());
  const double shift = *Mean(among_all) - (n + 1) / 2;
  double sum = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    const double d = among_all[i] - inner[i] - shift;
    sum += d * d;
  }
  return sum / (n - 1);
}

}  // namespace

std::optional<RankTest> BrunnerMunzel(std::span<const double> first,
                                      std::span<const double> second) {
  if (first.size() < 2 || second.size() < 2 || !Mean(first) || !Mean(second)) {
    return std::nullopt;
  }
  Values all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  const Values ranks = MidRanks(all);
  const std::span<const double> first_ranks(ranks.data(), first.size());
  const std::span<const double> second_ranks(ranks.data() + first.size(),
                                             second.size());
  const double n1 = static_cast<double>(first.size());
  const double n2 = static_cast<double>(second.size());
  const double difference = *Mean(second_ranks) - *Mean(first_ranks);
  RankTest result;
  result.chance_first_smaller = difference / (n1 + n2) + 0.5;
  const double a = n1 * PlacementVariance(first_ranks, first);
  const double b = n2 * PlacementVariance(second_ranks, second);
  if (a + b <= 0) {
    result.p_value = difference == 0 ? 1 : 0;
    return result;
  }
  const double t = n1 * n2 * difference / ((n1 + n2) * std::sqrt(a + b));
  const double df = (a + b) * (a + b) / (a * a / (n1 - 1) + b * b / (n2 - 1));
  result.p_value = 2 * StudentCdf(-std::abs(t), df);
  return result;
}

}  // namespace zs::results
