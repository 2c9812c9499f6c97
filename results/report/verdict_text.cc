#include "results/report/verdict_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

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

std::string LossText(const ComparedExperiment& e) {
  if (!e.loss_equal) {
    return "losses unknown";
  }
  return *e.loss_equal ? "same losses" : "losses DIFFER";
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
    return e.name + " against " + baseline.name + ": " + e.ratio.word + ", " +
           e.ratio.why;
  }
  std::string text =
      e.name + " is " + Print("%.2fx ", *e.ratio.value) + baseline.name;
  if (e.ratio.lo && e.ratio.hi) {
    text += Print(" [%.2f, %.2f]", *e.ratio.lo, *e.ratio.hi);
  }
  text += " " + e.ratio.word + ", " + LossText(e);
  if (e.mem_peak && baseline.mem_peak) {
    text += MemoryText("optimizer", e.mem_peak->optimizer,
                       baseline.mem_peak->optimizer);
    text += MemoryText("gradient", e.mem_peak->gradients,
                       baseline.mem_peak->gradients);
  }
  return text;
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
  if (e.comm_bytes_per_step && e.comm_theory_bytes_per_step &&
      *e.comm_theory_bytes_per_step > 0) {
    const double ratio = *e.comm_bytes_per_step / *e.comm_theory_bytes_per_step;
    if (std::abs(ratio - 1) > kCommTolerance) {
      out.push_back(e.name +
                    Print(" sends %.2fx the bytes that theory gives for its "
                          "stage.",
                          ratio));
    }
  }
}

// The last part of a path: "train.seq_len" of "asked.train.seq_len".
std::string ShortPath(const std::string& path) {
  return path.starts_with("asked.") ? path.substr(6) : path;
}

// What makes the ratios about something else than the ZeRO stage.
void AddUnfairness(const Comparison& comparison,
                   std::vector<std::string>& out) {
  std::map<std::string, std::string> by_experiment;
  for (const Difference& d : comparison.differences) {
    if (d.unfair) {
      std::string& list = by_experiment[d.experiment];
      list += (list.empty() ? "" : ", ") + ShortPath(d.path);
    }
  }
  for (const auto& [name, list] : by_experiment) {
    out.push_back("Not a fair comparison: " + name + " differs in " + list +
                  ".");
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

std::string VerdictText(const Comparison& comparison) {
  std::vector<std::string> sentences;
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
    sentences.push_back(clauses + ".");
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
