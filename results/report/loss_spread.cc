#include "results/report/loss_spread.h"

#include <algorithm>
#include <cmath>

namespace zs::results {

void LossSpread::Add(const std::vector<StepFigure>& steps) {
  for (const StepFigure& step : steps) {
    if (!step.loss || !std::isfinite(*step.loss) || *step.loss <= 0) {
      continue;
    }
    const auto [at, added] =
        ranges_.try_emplace(step.step, *step.loss, *step.loss);
    auto& [low, high] = at->second;
    low = std::min(low, *step.loss);
    high = std::max(high, *step.loss);
    largest_ = std::max(largest_, (high - low) / low);
  }
}

}  // namespace zs::results
