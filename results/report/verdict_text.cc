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
