#include "results/report/verdict_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "results/report/loss_check.h"
#include "results/report/ranking.h"

namespace zs::results {
namespace {

// How far traffic may be from theory before it is said.
constexpr double kCommTolerance = 0.01;

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
      e.name + " is " + StringPrintf("%.2fx ", *e.ratio.value) + baseline.name;
  if (e.ratio.lo && e.ratio.hi) {
    text += StringPrintf(" [%.2f, %.2f]", *e.ratio.lo, *e.ratio.hi);
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
  const bool known =
      std::all_of(e.comm.begin(), e.comm.end(), [](const CommPerStep& op) {
        return op.measured_bytes || op.theory_bytes.value_or(0) == 0;
      });
  if (theory <= 0 || !e.comm_bytes_per_step || !known) {
    return;
  }
  const double ratio = *e.comm_bytes_per_step / theory;
  std::string wrong;
  bool reduces_all = false;
  for (const CommPerStep& op : e.comm) {
    const double due = op.theory_bytes.value_or(0);
    const double sent = op.measured_bytes.value_or(0);
    if (std::abs(sent - due) > kCommTolerance * theory) {
      wrong +=
          (wrong.empty() ? "" : ", ") + op.op +
          StringPrintf(" %.2f MB a step (theory %.2f)", sent / 1e6, due / 1e6);
      reduces_all = reduces_all || (op.op == "all_reduce" && due == 0);
    }
  }
  if (std::abs(ratio - 1) > kCommTolerance) {
    out.push_back(
        "TRAFFIC: " + e.name +
        StringPrintf(" sends %.2fx the bytes that theory gives for its stage",
                     ratio) +
        (reduces_all ? ", the traffic of stage 0: " : ": ") + wrong + ".");
  } else if (!wrong.empty()) {
    out.push_back("TRAFFIC: " + e.name + " does not do its stage's traffic" +
                  (reduces_all ? " but that of stage 0" : "") + ": " + wrong +
                  ".");
  }
}

// What other programs took while SIDE ran; empty where that was little.
std::string TakenText(const ComparedExperiment& side) {
  return side.other_cpu_pct ? StringPrintf("%.0f%% of the processors while ",
                                           *side.other_cpu_pct) +
                                  side.name + " ran"
                            : "";
}

std::string DisturbedBy(const std::vector<std::string>& taken) {
  return taken.empty() ? ""
                       : "other programs took " + Join(taken, ", ") +
                             "; one run a side cannot tell what they did to "
                             "it: measure on an idle machine, or with repeats: "
                             "3";
}

// Where one run a side cannot tell what other programs did to it.
void AddDisturbance(const Comparison& comparison,
                    std::vector<std::string>& out) {
  std::vector<std::string> taken;
  const auto add = [&](const ComparedExperiment& side) {
    const std::string text = TakenText(side);
    if (!text.empty() &&
        std::find(taken.begin(), taken.end(), text) == taken.end()) {
      taken.push_back(text);
    }
  };
  for (const ComparedExperiment& e : comparison.experiments) {
    const ComparedExperiment* baseline = Find(comparison, e.baseline);
    if (e.name != e.baseline && baseline != nullptr && e.ratio.value &&
        !e.ratio.run_noise) {
      add(*baseline);
      add(e);
    }
  }
  if (!taken.empty()) {
    out.push_back("DISTURBED: " + DisturbedBy(taken) + ".");
  }
}

// What is wrong with one side, a sentence each.
void AddDoubts(const ComparedExperiment& e, std::vector<std::string>& out) {
  if (!e.missing.empty()) {
    out.push_back(e.name + " " + e.missing + ".");
  }
  for (const std::string& fault : e.faults) {
    std::string& text = out.emplace_back(e.name);
    text.append(": ").append(fault).append(".");
  }
  if (e.zero_requested && e.zero_effective &&
      *e.zero_requested != *e.zero_effective) {
    out.push_back(e.name +
                  StringPrintf(" asked for ZeRO stage %d and ran stage %d.",
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
      list += (list.empty() ? " differs in " : ", ") + ShortPath(d.path);
    }
  }
  for (const ComparedExperiment& e : comparison.experiments) {
    if (e.name != e.baseline && e.ratio.value &&
        !e.loss_equal.value_or(false)) {
      std::string& list = by_experiment[e.name];
      list += (list.empty() ? ": " : "; ") + LossText(e.loss_check);
    }
  }
  for (const auto& [name, list] : by_experiment) {
    std::string& text = out.emplace_back("NOT A FAIR COMPARISON (--even-so): ");
    text.append(name).append(list).append(".");
  }
}

// Whether an interval of one run a side stands for the pairs.
bool LacksRunNoise(const Comparison& comparison) {
  return std::any_of(
      comparison.experiments.begin(), comparison.experiments.end(),
      [](const ComparedExperiment& e) {
        return e.name != e.baseline && e.ratio.value && !e.ratio.run_noise;
      });
}

// What is wrong, before all else.
std::vector<std::string> WrongTexts(const Comparison& comparison) {
  std::vector<std::string> texts = comparison.doubts;
  AddUnfairness(comparison, texts);
  for (const ComparedExperiment& e : comparison.experiments) {
    AddDoubts(e, texts);
  }
  AddDisturbance(comparison, texts);
  return texts;
}

// Each pair that could be compared.
std::string PairsText(const Comparison& comparison) {
  std::string clauses;
  for (const ComparedExperiment& e : comparison.experiments) {
    const ComparedExperiment* baseline = Find(comparison, e.baseline);
    if (e.name != e.baseline && e.missing.empty() && baseline != nullptr &&
        baseline->missing.empty()) {
      clauses += (clauses.empty() ? "" : "; ") + ClauseFor(e, *baseline);
    }
  }
  return clauses.empty() ? "" : clauses + ".";
}

}  // namespace

std::string ShareText(double part, double whole) {
  const double inverse = std::round(whole / part);
  if (inverse >= 2 && std::abs(part * inverse / whole - 1) <= 0.05) {
    return StringPrintf("1/%.0f", inverse);
  }
  return StringPrintf("%.2fx", part / whole);
}

std::string ShortPath(const std::string& path) {
  return path.starts_with("asked.") ? path.substr(6) : path;
}

std::string DisturbedText(const ComparedExperiment& e,
                          const ComparedExperiment& baseline) {
  std::vector<std::string> taken = {TakenText(baseline), TakenText(e)};
  std::erase(taken, "");
  return DisturbedBy(taken);
}

std::string AloneText(const ComparedExperiment& e) {
  if (!e.step_ms_median) {
    return e.name;
  }
  const std::string rate =
      e.tokens_per_s_per_gpu
          ? StringPrintf("%.1f tokens/s per rank, ", *e.tokens_per_s_per_gpu)
          : "";
  return e.name + ": " + rate +
         StringPrintf("%.2f ms a step (median of %lld)", *e.step_ms_median,
                      static_cast<long long>(e.n));
}

std::vector<VerdictLine> VerdictLines(const Comparison& comparison) {
  std::vector<VerdictLine> lines;
  for (std::string& text : WrongTexts(comparison)) {
    lines.push_back({VerdictKind::kWrong, std::move(text)});
  }
  const std::string pairs = PairsText(comparison);
  if (!pairs.empty()) {
    for (std::string& text : BestTexts(comparison)) {
      lines.push_back({VerdictKind::kBest, std::move(text)});
    }
    lines.push_back({VerdictKind::kDetail, pairs});
  }
  if (!pairs.empty() && LacksRunNoise(comparison)) {
    lines.push_back({VerdictKind::kCaution,
                     "One run a side: noise from run to run is not measured "
                     "(repeats: 3 would)."});
  }
  if (lines.empty() && comparison.experiments.size() == 1) {
    lines.push_back({VerdictKind::kDetail,
                     "MEASURED: " + AloneText(comparison.experiments[0]) +
                         "; there is nothing to compare it with: name another "
                         "experiment with --compare, or give the file one of "
                         "another zero_stage."});
  }
  return lines;
}

std::string VerdictText(const std::vector<VerdictLine>& lines) {
  std::string text;
  for (const VerdictLine& line : lines) {
    text += (text.empty() ? "" : " ") + line.text;
  }
  return text;
}

}  // namespace zs::results
