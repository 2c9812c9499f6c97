#include "results/report/interval_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "results/report/text.h"

namespace zs::results {
namespace {

constexpr int kWidth = 48;
constexpr double kLeastSpan = 0.02;  // a scale never shows less than 1% a side

bool HasInterval(const ComparedExperiment& e) {
  return e.name != e.baseline && e.ratio.value && e.ratio.lo && e.ratio.hi;
}

struct Scale {
  double lo = 1 - kLeastSpan / 2;
  double hi = 1 + kLeastSpan / 2;
  int PlaceOf(double ratio) const {
    return static_cast<int>(
        std::lround((ratio - lo) / (hi - lo) * (kWidth - 1)));
  }
};

std::string LineFor(const SpeedRatio& ratio, const Scale& scale) {
  std::vector<std::string> cells(kWidth, " ");
  const auto at = [&](double value) -> std::string& {
    return cells[static_cast<size_t>(
        std::clamp(scale.PlaceOf(value), 0, kWidth - 1))];
  };
  at(1) = "│";
  const int from = scale.PlaceOf(*ratio.lo);
  for (int i = from; i <= scale.PlaceOf(*ratio.hi); ++i) {
    cells[static_cast<size_t>(i)] = "─";
  }
  at(*ratio.lo) = "├";
  at(*ratio.hi) = "┤";
  at(*ratio.value) = "●";
  std::string line;
  for (const std::string& cell : cells) {
    line += cell;
  }
  return line;
}

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

}  // namespace

std::string IntervalPlot(const Comparison& comparison) {
  Scale scale;
  int widest = 0;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (HasInterval(e)) {
      scale.lo = std::min(scale.lo, *e.ratio.lo);
      scale.hi = std::max(scale.hi, *e.ratio.hi);
      widest = std::max(widest, DisplayWidth(Printable(e.name)));
    }
  }
  std::string plot;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (!HasInterval(e)) {
      continue;
    }
    const std::string name = Printable(e.name);
    const auto gap = static_cast<size_t>(widest - DisplayWidth(name) + 2);
    plot += name + std::string(gap, ' ') + LineFor(e.ratio, scale) + "  " +
            Number(*e.ratio.value) + " " + e.ratio.word + "\n";
  }
  return plot.empty()
             ? plot
             : plot + std::string(static_cast<size_t>(widest) + 2, ' ') +
                   Number(scale.lo) + std::string(kWidth - 10, ' ') +
                   Number(scale.hi) + "\n";
}

}  // namespace zs::results
