#include "results/stats/verdict.h"

#include <cmath>

namespace zs::results {

std::string_view SpeedWord(double lo, double hi, double margin) {
  if (!std::isfinite(lo) || !std::isfinite(hi) || lo > hi || lo <= 0) {
    return "UNDECIDED";
  }
  if (lo >= 1 / (1 + margin) && hi <= 1 + margin) {
    return "SAME";
  }
  if (lo > 1) {
    return "FASTER";
  }
  if (hi < 1) {
    return "SLOWER";
  }
  return "UNDECIDED";
}

}  // namespace zs::results
