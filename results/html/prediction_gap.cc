#include "results/html/prediction_gap.h"

#include <cmath>

namespace zs::results {
namespace {

// A step predicted this well needs no culprit.
constexpr double kGood = 0.05;

void AddTime(const RunEvidence& run, const std::string& term,
             std::optional<double> measured, std::vector<Gap>& gaps) {
  const auto predicted = run.predicted.find(term);
  if (predicted != run.predicted.end() && measured) {
    gaps.push_back({term, predicted->second, *measured, false});
  }
}

void AddMemory(const ComparedExperiment& e, const std::string& term,
               std::optional<int64_t> MemoryRow::*field,
               std::vector<Gap>& gaps) {
  if (!e.mem_predicted || !e.mem_peak) {
    return;
  }
  const auto predicted = (*e.mem_predicted).*field;
  const auto measured = (*e.mem_peak).*field;
  if (predicted && measured && (*predicted > 0 || *measured > 0)) {
    gaps.push_back({term, static_cast<double>(*predicted),
                    static_cast<double>(*measured), true});
  }
}

// What the engine allocates: all but what the process holds besides.
std::optional<int64_t> Components(const MemoryRow& m) {
  int64_t sum = 0;
  for (const auto& part :
       {m.parameters, m.gradients, m.optimizer, m.activations, m.logits,
        m.workspace, m.communication}) {
    sum += part.value_or(0);
  }
  return sum > 0 ? std::optional<int64_t>(sum) : std::nullopt;
}

void AddComponents(const ComparedExperiment& e, std::vector<Gap>& gaps) {
  if (!e.mem_predicted || !e.mem_peak) {
    return;
  }
  const auto predicted = Components(*e.mem_predicted);
  const auto measured = Components(*e.mem_peak);
  if (predicted && measured) {
    gaps.push_back({"components", static_cast<double>(*predicted),
                    static_cast<double>(*measured), true});
  }
}

}  // namespace

std::vector<Gap> GapsOf(const ComparedExperiment& e, const RunEvidence& run) {
  std::vector<Gap> gaps;
  AddTime(run, "step", e.step_ms_median, gaps);
  AddTime(run, "forward", run.parts.forward, gaps);
  AddTime(run, "backward", run.parts.backward, gaps);
  AddTime(run, "optimizer", run.parts.optimizer, gaps);
  AddTime(run, "exposed", run.parts.exposed, gaps);
  AddMemory(e, "parameters", &MemoryRow::parameters, gaps);
  AddMemory(e, "gradients", &MemoryRow::gradients, gaps);
  AddMemory(e, "optimizer state", &MemoryRow::optimizer, gaps);
  AddMemory(e, "activations", &MemoryRow::activations, gaps);
  AddMemory(e, "logits", &MemoryRow::logits, gaps);
  AddMemory(e, "workspace", &MemoryRow::workspace, gaps);
  AddMemory(e, "communication", &MemoryRow::communication, gaps);
  AddComponents(e, gaps);
  AddMemory(e, "whole process", &MemoryRow::total, gaps);
  return gaps;
}

std::optional<Gap> Culprit(const std::vector<Gap>& gaps) {
  std::optional<Gap> worst;
  for (const Gap& gap : gaps) {
    if (gap.is_memory) {
      continue;
    }
    if (gap.term == "step") {
      if (std::abs(gap.ratio() - 1) <= kGood) {
        return std::nullopt;
      }
    } else if (!worst || std::abs(gap.measured - gap.predicted) >
                             std::abs(worst->measured - worst->predicted)) {
      worst = gap;
    }
  }
  return worst;
}

}  // namespace zs::results
