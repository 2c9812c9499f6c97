#include "results/report/speed_ratio.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "results/report/verdict_text.h"
#include "results/stats/bootstrap.h"
#include "results/stats/dependence.h"
#include "results/stats/holm.h"
#include "results/stats/rank_test.h"
#include "results/stats/summary.h"
#include "results/stats/verdict.h"

namespace zs::results {
namespace {

// A run above its square is cut into so many blocks.
constexpr size_t kLongestBlocks = 64;

// How many repeats a side would give a word, if things stay as they are.
std::string RepeatsAdvice(const RatioInterval& interval, double margin,
                          size_t runs) {
  const double distance = std::abs(std::log(interval.value));
  const double room = std::max(distance, std::log1p(margin) - distance);
  const std::optional<int> needed = RunsForHalfWidth(interval, room);
  if (!needed) {
    return ": run longer, the difference is too small for repeats to tell";
  }
  const int more =
      std::max(1, *needed - static_cast<int>(std::min<size_t>(runs, *needed)));
  return ": about " + std::to_string(more) + " more repeat" +
         (more == 1 ? "" : "s") + " a side would decide (now " +
         std::to_string(runs) + ")";
}

// Medians of SERIES' blocks, which hardly depend on each other.
std::vector<double> BlockMedians(const std::vector<std::vector<double>>& runs) {
  std::vector<double> medians;
  for (const std::vector<double>& run : runs) {
    const std::span<const double> all(run);
    // Autocorrelations of long runs cost much and their blocks are long anyway.
    const size_t length =
        run.size() > kLongestBlocks * kLongestBlocks
            ? run.size() / kLongestBlocks
            : static_cast<size_t>(BlockLength(WithoutSpikes(run)));
    for (size_t i = 0; i + length <= run.size(); i += length) {
      medians.push_back(Median(all.subspan(i, length)).value_or(0));
    }
  }
  return medians;
}

// SCALE makes the baseline's times those of as many tokens.
void SetRanks(const MeasuredSide& baseline, const MeasuredSide& side,
              double scale, SpeedRatio& ratio) {
  std::vector<double> theirs = BlockMedians(baseline.runs);
  for (double& time : theirs) {
    time *= scale;
  }
  if (const auto test = BrunnerMunzel(BlockMedians(side.runs), theirs)) {
    ratio.chance_faster = test->chance_first_smaller;
    ratio.rank_p_value = test->p_value;
  }
}

// Why the two sides cannot be compared at all; empty where they can.
std::string WhyIncomparable(const ComparedExperiment& a,
                            const ComparedExperiment& b) {
  if (!a.missing.empty() || !b.missing.empty()) {
    return (b.missing.empty() ? a.name : b.name) +
           " has no measurement to compare";
  }
  for (const ComparedExperiment* e : {&a, &b}) {
    if (!e->world_size) {
      return "the world size of " + e->name +
             " is unknown: whether both had as many ranks cannot be told";
    }
  }
  if (a.world_size != b.world_size) {
    const std::string ranks = std::to_string(*b.world_size);
    return "world sizes differ (" + ranks + " ranks, not " +
           std::to_string(*a.world_size) + "): compare it with a baseline of " +
           ranks + " ranks";
  }
  return "";
}

// What MedianRatio did not get.
std::string WhyNoInterval(const MeasuredSide& baseline,
                          const MeasuredSide& side) {
  for (const MeasuredSide* one : {&baseline, &side}) {
    if (one->tokens_per_step <= 0) {
      return "the tokens of a step of " + one->summary.name + " are unknown";
    }
    for (const std::vector<double>& run : one->runs) {
      if (std::any_of(run.begin(), run.end(),
                      [](double ms) { return !(ms > 0); })) {
        return "a step of " + one->summary.name +
               " took no time at all: its clock cannot be trusted";
      }
    }
  }
  return "fewer than " + std::to_string(kMinBootstrapSize) +
         " steps with time and tokens in the window of one side: run more "
         "steps";
}

}  // namespace

void SetRatio(const MeasuredSide& baseline, double margin, uint64_t seed,
              MeasuredSide& side) {
  SpeedRatio& ratio = side.summary.ratio;
  ratio.why = WhyIncomparable(baseline.summary, side.summary);
  if (!ratio.why.empty()) {
    return;
  }
  BootstrapOptions bootstrap;
  bootstrap.seed = seed;
  const auto interval = MedianRatio(baseline.runs, side.runs, bootstrap);
  if (!interval || baseline.tokens_per_step <= 0 || side.tokens_per_step <= 0) {
    ratio.why = WhyNoInterval(baseline, side);
    return;
  }
  const double tokens = side.tokens_per_step / baseline.tokens_per_step;
  ratio.value = interval->value * tokens;
  ratio.lo = interval->lo * tokens;
  ratio.hi = interval->hi * tokens;
  ratio.p_value = interval->p_value;
  ratio.run_noise = interval->run_noise;
  ratio.word = SpeedWord(*ratio.lo, *ratio.hi, margin);
  SetRanks(baseline, side, tokens, ratio);
  if (ratio.word == "UNDECIDED") {
    RatioInterval scaled = *interval;
    scaled.value = *ratio.value;
    ratio.why = "the interval holds 1 and more than the margin" +
                RepeatsAdvice(scaled, margin,
                              std::min(baseline.runs.size(), side.runs.size()));
  }
}

void CorrectForMany(const std::vector<SpeedRatio*>& all) {
  std::vector<SpeedRatio*> ratios;
  std::vector<double> p_values;
  for (SpeedRatio* ratio : all) {
    if (ratio->p_value) {
      ratios.push_back(ratio);
      p_values.push_back(*ratio->p_value);
    }
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (size_t i = 0; i < ratios.size(); ++i) {
    SpeedRatio& ratio = *ratios[i];
    ratio.p_value = adjusted[i];
    const bool differs = ratio.word == "FASTER" || ratio.word == "SLOWER";
    if (differs && adjusted[i] > kWordLevel) {
      ratio.word = "UNDECIDED";
      ratio.doubted = true;
      ratio.why = (ratios.size() > 1
                       ? "among " + std::to_string(ratios.size()) +
                             " pairs this may be chance (Holm's correction)"
                       : std::string("the interval lies beside 1, but only "
                                     "just (p above 4%)")) +
                  ": run more repeats";
    }
  }
}

void DoubtDisturbed(std::vector<ComparedExperiment>& experiments) {
  for (ComparedExperiment& e : experiments) {
    const auto baseline = std::find_if(
        experiments.begin(), experiments.end(),
        [&](const auto& other) { return other.name == e.baseline; });
    if (baseline == experiments.end() || !e.ratio.value || e.ratio.run_noise ||
        e.ratio.word == "UNDECIDED") {
      continue;
    }
    const std::string why = DisturbedText(e, *baseline);
    if (!why.empty()) {
      e.ratio.word = "UNDECIDED";
      e.ratio.doubted = true;
      e.ratio.why = why;
    }
  }
}

}  // namespace zs::results
