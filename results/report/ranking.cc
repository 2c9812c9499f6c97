#include "results/report/ranking.h"

#include <cmath>

#include "base/strings.h"

namespace zs::results {
namespace {

using Members = std::vector<const ComparedExperiment*>;

// The members of one group that are compared with its baseline.
struct Ranking {
  const ComparedExperiment* best = nullptr;  // of those that are FASTER
  Members same;
  Members open;     // that may be as good as the best, or better
  Members unknown;  // without a ratio
  bool any = false;
};

// Whether what is known of E leaves room for it to be faster than BAR times
// its baseline.
bool IsOpen(const ComparedExperiment& e, double bar) {
  const SpeedRatio& ratio = e.ratio;
  const bool undecided = ratio.word == "UNDECIDED";
  return (undecided && ratio.doubted) ||
         ((undecided || ratio.word == "FASTER") && ratio.hi.value_or(0) > bar);
}

Ranking RankingOf(const Comparison& comparison, const std::string& baseline) {
  Ranking ranking;
  Members members;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.baseline != baseline || e.name == baseline) {
      continue;
    }
    if (!e.ratio.value || !e.passed) {
      ranking.unknown.push_back(&e);
      continue;
    }
    members.push_back(&e);
    if (e.ratio.word == "FASTER" &&
        (ranking.best == nullptr ||
         *e.ratio.value > *ranking.best->ratio.value)) {
      ranking.best = &e;
    } else if (e.ratio.word == "SAME") {
      ranking.same.push_back(&e);
    }
  }
  ranking.any = !members.empty();
  const double bar =
      ranking.best != nullptr ? ranking.best->ratio.lo.value_or(1) : 1;
  for (const ComparedExperiment* e : members) {
    if (e != ranking.best && IsOpen(*e, bar)) {
      ranking.open.push_back(e);
    }
  }
  return ranking;
}

std::string NamesOf(const Members& list) {
  std::string names;
  for (const ComparedExperiment* e : list) {
    names += (names.empty() ? "" : ", ") + e->name;
  }
  return names;
}

// "0.80x its memory" of the ranks with most; empty where alike or unknown.
std::string WholeMemoryText(const ComparedExperiment& e,
                            const ComparedExperiment& baseline) {
  const auto total = [](const ComparedExperiment& side) {
    return static_cast<double>(side.mem_peak ? side.mem_peak->total.value_or(0)
                                             : 0);
  };
  const double a = total(e);
  const double b = total(baseline);
  return a > 0 && b > 0 && std::abs(a / b - 1) >= kMemoryTolerance
             ? StringPrintf("%.2fx its memory", a / b)
             : "";
}

std::string WithMemory(const ComparedExperiment& e,
                       const ComparedExperiment& baseline) {
  const std::string memory = WholeMemoryText(e, baseline);
  return memory.empty() ? "" : " with " + memory;
}

std::string BaselineIsBest(const Ranking& ranking,
                           const ComparedExperiment& baseline) {
  std::string text =
      "BEST: " + baseline.name +
      (ranking.unknown.empty() ? ", nothing is faster"
                               : ", nothing that was compared is faster (" +
                                     NamesOf(ranking.unknown) + ": unknown)");
  for (const ComparedExperiment* e : ranking.same) {
    text += "; " + e->name + " is as fast" + WithMemory(*e, baseline);
  }
  return text + ".";
}

std::string BestText(const Comparison& comparison,
                     const ComparedExperiment& baseline) {
  const Ranking r = RankingOf(comparison, baseline.name);
  if (!r.any || !baseline.passed) {
    return "";
  }
  if (r.best == nullptr && !r.open.empty()) {
    return "NO WINNER YET: " + NamesOf(r.open) + " may be faster than " +
           baseline.name + " or not.";
  }
  if (r.best == nullptr) {
    return BaselineIsBest(r, baseline);
  }
  const SpeedRatio& ratio = r.best->ratio;
  return "BEST: " + r.best->name +
         StringPrintf(", %.2f times as fast as ", *ratio.value) +
         baseline.name +
         StringPrintf(" (95%% sure: %.2f to %.2f)", ratio.lo.value_or(0),
                      ratio.hi.value_or(0)) +
         WithMemory(*r.best, baseline) +
         (r.open.empty() ? "" : "; " + NamesOf(r.open) + " may be as fast") +
         (r.unknown.empty() ? "" : "; " + NamesOf(r.unknown) + ": unknown") +
         ".";
}

}  // namespace

std::vector<std::string> BestTexts(const Comparison& comparison) {
  std::vector<std::string> texts;
  if (comparison.even_so) {
    return texts;  // no fair winner
  }
  for (const ComparedExperiment& e : comparison.experiments) {
    const std::string text =
        e.name == e.baseline ? BestText(comparison, e) : "";
    if (!text.empty()) {
      texts.push_back(text);
    }
  }
  return texts;
}

}  // namespace zs::results
