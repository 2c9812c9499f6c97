#include "results/report/speed_ratio.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "results/stats/bootstrap.h"
#include "results/stats/holm.h"
#include "results/stats/verdict.h"

namespace zs::results {
namespace {

constexpr double kLevel = 0.05;     // of a false FASTER or SLOWER
constexpr double kMostSteps = 1e6;  // more are no advice

// About how many steps a side would need for a word, if things stay as they
// are: intervals shrink with the square root.
std::string StepsAdvice(const SpeedRatio& ratio, int64_t n, double margin) {
  const double distance = std::abs(std::log(*ratio.value));
  const double half = std::log(*ratio.hi / *ratio.lo) / 2;
  const double room = std::max(distance, std::log1p(margin) - distance);
  const double needed =
      std::ceil(static_cast<double>(n) * (half / room) * (half / room));
  if (!(needed < kMostSteps)) {
    return ": run more steps or repeats";
  }
  return ": about " + std::to_string(static_cast<int64_t>(needed)) +
         " steps in the window would decide (now " + std::to_string(n) + ")";
}

}  // namespace

void SetRatio(const MeasuredSide& baseline, double margin, uint64_t seed,
              MeasuredSide& side) {
  SpeedRatio& ratio = side.summary.ratio;
  const ComparedExperiment& a = baseline.summary;
  const ComparedExperiment& b = side.summary;
  if (!a.missing.empty() || !b.missing.empty()) {
    ratio.why = (b.missing.empty() ? a.name : b.name) +
                " has no measurement to compare";
    return;
  }
  if (a.world_size != b.world_size) {
    const auto text = [](std::optional<int> size) {
      return size ? std::to_string(*size) : std::string("unknown");
    };
    ratio.why = "world sizes differ (" + text(b.world_size) + " ranks, not " +
                text(a.world_size) + "): compare it with a baseline of " +
                text(b.world_size) + " ranks";
    return;
  }
  BootstrapOptions bootstrap;
  bootstrap.seed = seed;
  const auto interval = MedianRatio(baseline.step_ms, side.step_ms, bootstrap);
  if (!interval || baseline.tokens_per_step <= 0 || side.tokens_per_step <= 0) {
    ratio.why = "fewer than " + std::to_string(kMinBootstrapSize) +
                " steps with time and tokens in the window of one side: run "
                "more steps";
    return;
  }
  const double tokens = side.tokens_per_step / baseline.tokens_per_step;
  ratio.value = interval->value * tokens;
  ratio.lo = interval->lo * tokens;
  ratio.hi = interval->hi * tokens;
  ratio.p_value = interval->p_value;
  ratio.word = SpeedWord(*ratio.lo, *ratio.hi, margin);
  if (ratio.word == "UNDECIDED") {
    ratio.why = "the interval holds 1 and more than the margin" +
                StepsAdvice(ratio, std::min(a.n, b.n), margin);
  }
}

void CorrectForMany(std::vector<ComparedExperiment>& experiments) {
  std::vector<SpeedRatio*> ratios;
  std::vector<double> p_values;
  for (ComparedExperiment& e : experiments) {
    if (e.ratio.p_value) {
      ratios.push_back(&e.ratio);
      p_values.push_back(*e.ratio.p_value);
    }
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (size_t i = 0; i < ratios.size(); ++i) {
    SpeedRatio& ratio = *ratios[i];
    ratio.p_value = adjusted[i];
    const bool differs = ratio.word == "FASTER" || ratio.word == "SLOWER";
    if (ratios.size() > 1 && differs && adjusted[i] > kLevel) {
      ratio.word = "UNDECIDED";
      ratio.why = "among " + std::to_string(ratios.size()) +
                  " pairs this may be chance (Holm's correction): run more "
                  "steps";
    }
  }
}

}  // namespace zs::results
