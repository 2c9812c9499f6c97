#include "results/report/verdict_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "results/report/loss_check.h"

namespace zs::results {
namespace {

// How far traffic may be from theory before it is said.
constexpr double kCommTolerance = 0.01;
// Memory that differs less than this is not worth a word.
constexpr double kMemoryTolerance = 0.05;

template <typename... Values>
std::string Print(const char* format, Values... values) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

const ComparedExperiment* Find(const Comparison& comparison,
                               const std::string& name) {
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.name == name) {
      return &e;
    }
  }
  return nullptr;
}

std::string MemoryText(const char* component, std::optional<int64_t> part,
                       std::optional<int64_t> whole) {
  if (!part || !whole || *part <= 0 || *whole <= 0) {
    return "";
  }
  const double a = static_cast<double>(*part);
  const double b = static_cast<double>(*whole);
  if (std::abs(a / b - 1) < kMemoryTolerance) {
    return "";
  }
  return std::string(", ") + component + " memory " + ShareText(a, b);
}

std::string ClauseFor(const ComparedExperiment& e,
                      const ComparedExperiment& baseline) {
  if (!e.ratio.value) {
    return e.name + " against " + baseline.name + ": " +
           (e.ratio.why.starts_with("not compared") ? ""
                                                    : e.ratio.word + ", ") +
           e.ratio.why;
  }
  std::string text =
      e.name + " is " + Print("%.2fx ", *e.ratio.value) + baseline.name;
  if (e.ratio.lo && e.ratio.hi) {
    text += Print(" [%.2f, %.2f]", *e.ratio.lo, *e.ratio.hi);
  }
  text += " " + e.ratio.word + ", " + LossText(e.loss_check);
  if (e.mem_peak && baseline.mem_peak) {
    text += MemoryText("optimizer", e.mem_peak->optimizer,
                       baseline.mem_peak->optimizer);
    text += MemoryText("gradient", e.mem_peak->gradients,
                       baseline.mem_peak->gradients);
  }
  return text;
}

// Traffic that theory does not explain, by operation: reduce-scatter plus
// all-gather are as many bytes as an all-reduce, so a sum alone tells little.
void AddTraffic(const ComparedExperiment& e, std::vector<std::string>& out) {
  const double theory = e.comm_theory_bytes_per_step.value_or(0);
  if (theory <= 0 || !e.comm_bytes_per_step) {
    return;
  }
  const double ratio = *e.comm_bytes_per_step / theory;
  std::string wrong;
  bool reduces_all = false;
  for (const CommPerStep& op : e.comm) {
    const double due = op.theory_bytes.value_or(0);
    const double sent = op.measured_bytes.value_or(0);
    if (std::abs(sent - due) > kCommTolerance * theory) {
      wrong += (wrong.empty() ? "" : ", ") + op.op +
               Print(" %.2f MB a step (theory %.2f)", sent / 1e6, due / 1e6);
      reduces_all = reduces_all || (op.op == "all_reduce" && due == 0);
    }
  }
  if (std::abs(ratio - 1) > kCommTolerance) {
    out.push_back("TRAFFIC: " + e.name +
                  Print(" sends %.2fx the bytes that theory gives for its "
                        "stage: ",
                        ratio) +
                  wrong + ".");
  } else if (!wrong.empty()) {
    out.push_back("TRAFFIC: " + e.name + " does not do its stage's traffic" +
                  (reduces_all ? " but that of stage 0" : "") + ": " + wrong +
                  ".");
  }
}

// What is wrong with one side, a sentence each.
void AddDoubts(const ComparedExperiment& e, std::vector<std::string>& out) {
  if (!e.missing.empty()) {
    out.push_back(e.name + " " + e.missing + ".");
  }
  if (e.zero_requested && e.zero_effective &&
      *e.zero_requested != *e.zero_effective) {
    out.push_back(e.name + Print(" asked for ZeRO stage %d and ran stage %d.",
                                 *e.zero_requested, *e.zero_effective));
  }
  AddTraffic(e, out);
}

// What makes the ratios about something else than the ZeRO stage.
void AddUnfairness(const Comparison& comparison,
                   std::vector<std::string>& out) {
  if (!comparison.even_so) {
    return;  // no ratio was formed
  }
  std::map<std::string, std::string> by_experiment;
  for (const Difference& d : comparison.differences) {
    if (d.unfair) {
      std::string& list = by_experiment[d.experiment];
      list += (list.empty() ? "" : ", ") + ShortPath(d.path);
    }
  }
  for (const auto& [name, list] : by_experiment) {
    out.push_back("NOT A FAIR COMPARISON (--even-so): " + name +
                  " differs in " + list + ".");
  }
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
             ? Print("%.2fx its memory", a / b)
             : "";
}

// The members of one group that were compared with its baseline, by word.
struct Ranking {
  const ComparedExperiment* best = nullptr;  // of those that are FASTER
  std::vector<const ComparedExperiment*> same;
  std::vector<const ComparedExperiment*> others;  // that may be as good as best
  bool any = false;
};

Ranking RankingOf(const Comparison& comparison, const std::string& baseline) {
  Ranking ranking;
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.baseline != baseline || e.name == baseline || !e.ratio.value) {
      continue;
    }
    ranking.any = true;
    if (e.ratio.word == "FASTER" &&
        (ranking.best == nullptr ||
         *e.ratio.value > *ranking.best->ratio.value)) {
      ranking.best = &e;
    } else if (e.ratio.word == "SAME") {
      ranking.same.push_back(&e);
    }
  }
  const double bar =
      ranking.best != nullptr ? ranking.best->ratio.lo.value_or(1) : 1;
  for (const ComparedExperiment& e : comparison.experiments) {
    const bool open = e.ratio.word == "UNDECIDED" || e.ratio.word == "FASTER";
    if (e.baseline == baseline && &e != ranking.best && open &&
        e.ratio.hi.value_or(0) > bar) {
      ranking.others.push_back(&e);
    }
  }
  return ranking;
}

std::string NamesOf(const std::vector<const ComparedExperiment*>& list) {
  std::string names;
  for (const ComparedExperiment* e : list) {
    names += (names.empty() ? "" : ", ") + e->name;
  }
  return names;
}

// The first thing to know of a group: who is best, by how much, how sure.
std::string BestText(const Comparison& comparison,
                     const ComparedExperiment& baseline) {
  const Ranking r = RankingOf(comparison, baseline.name);
  if (!r.any) {
    return "";
  }
  if (r.best == nullptr && !r.others.empty()) {
    return "NO WINNER YET: " + NamesOf(r.others) + " may be faster than " +
           baseline.name + " or not.";
  }
  if (r.best == nullptr) {
    std::string text = "BEST: " + baseline.name + ", nothing is faster";
    for (const ComparedExperiment* e : r.same) {
      const std::string memory = WholeMemoryText(*e, baseline);
      text += "; " + e->name + " is as fast" +
              (memory.empty() ? "" : " with " + memory);
    }
    return text + ".";
  }
  const SpeedRatio& ratio = r.best->ratio;
  std::string text = "BEST: " + r.best->name +
                     Print(", %.2f times as fast as ", *ratio.value) +
                     baseline.name +
                     Print(" (95%% sure: %.2f to %.2f)", ratio.lo.value_or(0),
                           ratio.hi.value_or(0));
  const std::string memory = WholeMemoryText(*r.best, baseline);
  text += memory.empty() ? "" : " with " + memory;
  return text +
         (r.others.empty() ? ""
                           : "; " + NamesOf(r.others) + " may be as fast") +
         ".";
}

void AddBest(const Comparison& comparison, std::vector<std::string>& out) {
  if (comparison.even_so) {
    return;  // no fair winner
  }
  for (const ComparedExperiment& e : comparison.experiments) {
    const std::string text =
        e.name == e.baseline ? BestText(comparison, e) : "";
    if (!text.empty()) {
      out.push_back(text);
    }
  }
}

// What an interval of one run a side does not know.
void AddRunNoise(const Comparison& comparison, std::vector<std::string>& out) {
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.name != e.baseline && e.ratio.value && !e.ratio.run_noise) {
      out.emplace_back(
          "One run a side: noise from run to run is not measured (repeats: 3 "
          "would).");
      return;
    }
  }
}

}  // namespace

std::string ShareText(double part, double whole) {
  const double inverse = std::round(whole / part);
  if (inverse >= 2 && std::abs(part * inverse / whole - 1) <= 0.05) {
    return Print("1/%.0f", inverse);
  }
  return Print("%.2fx", part / whole);
}

std::string ShortPath(const std::string& path) {
  return path.starts_with("asked.") ? path.substr(6) : path;
}

std::string VerdictText(const Comparison& comparison) {
  std::vector<std::string> sentences = comparison.doubts;
  AddUnfairness(comparison, sentences);
  std::string clauses;
  for (const ComparedExperiment& e : comparison.experiments) {
    AddDoubts(e, sentences);
    const ComparedExperiment* baseline = Find(comparison, e.baseline);
    if (e.name != e.baseline && e.missing.empty() && baseline != nullptr &&
        baseline->missing.empty()) {
      clauses += (clauses.empty() ? "" : "; ") + ClauseFor(e, *baseline);
    }
  }
  if (!clauses.empty()) {
    AddBest(comparison, sentences);
    sentences.push_back(clauses + ".");
    AddRunNoise(comparison, sentences);
  }
  if (sentences.empty() && comparison.experiments.size() == 1) {
    sentences.push_back("Only " + comparison.experiments[0].name +
                        " is shown; name another to compare it with.");
  }
  std::string text;
  for (const std::string& sentence : sentences) {
    text += (text.empty() ? "" : " ") + sentence;
  }
  return text;
}

}  // namespace zs::results
