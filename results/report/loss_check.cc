#include "results/report/loss_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/strings.h"

namespace zs::results {
namespace {

// Runs of one thing that differ by more do not differ by rounding. (PyTorch
// against itself with its sequences in reverse, 200 steps of a 124M model in
// bf16: single steps by 1.2 and 4.1%, see docs/benchmarks.md.)
constexpr double kMostRounding = 0.05;

bool SameBits(double a, double b) {
  return !std::isnan(a) &&
         std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// |A - B| / |A|; infinite where that is no number.
double RelativeDifference(double a, double b) {
  if (SameBits(a, b)) {
    return 0;
  }
  const double relative = std::abs(b - a) / std::abs(a);
  return std::isfinite(relative) ? relative : HUGE_VAL;
}

}  // namespace

LossCheck CheckLosses(const MeasuredSide& baseline, const MeasuredSide& side) {
  LossCheck check;
  check.tolerance = std::max(baseline.loss_tolerance, side.loss_tolerance);
  for (const MeasuredSide* one : {&baseline, &side}) {
    const double spread = one->loss_spread.value_or(0);
    if (check.tolerance > 0 && spread > kMostRounding) {
      check.spread = spread;
      check.unstable = one->summary.name;
      check.equal = false;
      return check;
    }
  }
  if (check.tolerance > 0) {
    check.spread = baseline.loss_spread.value_or(0);
    check.tolerance = std::max(check.tolerance, check.spread);
  }
  // Both are in the order of steps.
  auto left = baseline.losses.begin();
  for (const StepLoss& right : side.losses) {
    while (left != baseline.losses.end() && left->step < right.step) {
      ++left;
    }
    if (left == baseline.losses.end()) {
      break;
    }
    if (left->step != right.step) {
      continue;
    }
    const double difference = RelativeDifference(left->loss, right.loss);
    const bool fits = check.tolerance == 0 ? SameBits(left->loss, right.loss)
                                           : difference <= check.tolerance;
    check.equal = check.equal.value_or(true) && fits;
    // Bit by bit it matters where they part; else where they are farthest.
    if (difference > check.largest) {
      check.step =
          check.tolerance == 0 && check.step > 0 ? check.step : right.step;
      check.largest = difference;
    }
  }
  return check;
}

std::string LossText(const LossCheck& check) {
  if (!check.equal) {
    return "losses unknown";
  }
  const double allowed = 100 * check.tolerance;
  if (*check.equal) {
    if (check.largest == 0) {
      return "same losses";
    }
    return StringPrintf("losses equal within %.3g%%", allowed) +
           (check.spread == check.tolerance
                ? ", what repeats of the baseline differ by"
                : "");
  }
  if (!check.unstable.empty()) {
    return StringPrintf("losses DIFFER: runs of %s by %.2g%% among themselves",
                        check.unstable.c_str(), 100 * check.spread) +
           StringPrintf(" (rounding: %.2g%% at most)", 100 * kMostRounding);
  }
  const std::string step = std::to_string(check.step);
  if (!std::isfinite(check.largest)) {
    return "losses DIFFER: not a number at step " + step;
  }
  return check.tolerance == 0
             ? StringPrintf("losses DIFFER by up to %.2g%%, from step ",
                            100 * check.largest) +
                   step + " on"
             : StringPrintf("losses DIFFER by %.2g%% at step ",
                            100 * check.largest) +
                   step + StringPrintf(" (%.3g%% allowed)", allowed);
}

}  // namespace zs::results
