#include "results/report/interval_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <vector>

#include "results/report/text.h"

namespace zs::results {
namespace {

constexpr int kWidth = 48;
constexpr double kMuchFurther = 4;
constexpr double kLeastSpan = 0.02;  // a scale never shows less than 1% a side

bool HasInterval(const ComparedExperiment& e) {
  return e.name != e.baseline && e.ratio.value && e.ratio.lo && e.ratio.hi;
}

struct Scale {
  double lo = 1 - kLeastSpan / 2;
  double hi = 1 + kLeastSpan / 2;
  bool cuts = false;  // an interval goes on beyond an end
  int PlaceOf(double ratio) const {
    return static_cast<int>(
        std::lround((ratio - lo) / (hi - lo) * (kWidth - 1)));
  }
};

// How far an interval reaches from 1.
double ReachOf(const SpeedRatio& ratio) {
  return std::max(std::abs(*ratio.lo - 1), std::abs(*ratio.hi - 1));
}

// One huge interval must not squeeze all others: what reaches kMuchFurther
// times as far as the middle one goes beyond the scale.
double CommonReach(std::vector<double> reaches) {
  std::sort(reaches.begin(), reaches.end());
  const double most = kMuchFurther * std::max(reaches[(reaches.size() - 1) / 2],
                                              kLeastSpan / 2);
  return *std::prev(std::upper_bound(reaches.begin(), reaches.end(), most));
}

Scale ScaleOf(const Comparison& comparison) {
  Scale scale;
  std::vector<double> reaches;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (HasInterval(e)) {
      reaches.push_back(ReachOf(e.ratio));
    }
  }
  if (reaches.empty()) {
    return scale;
  }
  const double reach = CommonReach(reaches);
  for (const ComparedExperiment& e : comparison.experiments) {
    if (HasInterval(e)) {
      scale.cuts = scale.cuts || ReachOf(e.ratio) > reach;
      scale.lo = std::min(scale.lo, std::max(*e.ratio.lo, 1 - reach));
      scale.hi = std::max(scale.hi, std::min(*e.ratio.hi, 1 + reach));
    }
  }
  return scale;
}

std::string LineFor(const SpeedRatio& ratio, const Scale& scale) {
  std::vector<std::string> cells(kWidth, " ");
  const auto place = [&](double value) {
    return static_cast<size_t>(std::clamp(scale.PlaceOf(value), 0, kWidth - 1));
  };
  const auto at = [&](double value) -> std::string& {
    return cells[place(value)];
  };
  at(1) = "│";
  for (size_t i = place(*ratio.lo); i <= place(*ratio.hi); ++i) {
    cells[i] = "─";
  }
  at(*ratio.lo) = "├";
  at(*ratio.hi) = "┤";
  if (*ratio.value >= scale.lo && *ratio.value <= scale.hi) {
    at(*ratio.value) = "●";
  }
  if (*ratio.lo < scale.lo || *ratio.hi < scale.lo) {
    cells.front() = "◀";
  }
  if (*ratio.hi > scale.hi || *ratio.lo > scale.hi) {
    cells.back() = "▶";
  }
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
  const Scale scale = ScaleOf(comparison);
  int widest = 0;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (HasInterval(e)) {
      widest = std::max(widest, DisplayWidth(Printable(e.name)));
    }
  }
  std::string plot;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (!HasInterval(e)) {
      continue;
    }
    const std::string name = Printable(e.name);
    const int gap = widest - DisplayWidth(name) + 2;
    plot += name + std::string(static_cast<size_t>(gap), ' ') +
            LineFor(e.ratio, scale) + "  " + Number(*e.ratio.value) + " " +
            e.ratio.word + "\n";
  }
  return plot.empty()
             ? plot
             : plot + std::string(static_cast<size_t>(widest) + 2, ' ') +
                   Number(scale.lo) + std::string(kWidth - 10, ' ') +
                   Number(scale.hi) +
                   (scale.cuts ? "  ◀▶ goes on beyond the scale" : "") + "\n";
}

}  // namespace zs::results
