#include "results/html/prediction_gap.h"

#include <optional>

#include "results/report/memory_sum.h"
#include "results/report/step_parts.h"

namespace zs::results {
namespace {

void AddTime(const RunEvidence& run, const std::string& term,
             const std::string& name, std::optional<double> measured,
             std::vector<Gap>& gaps) {
  const auto predicted = run.predicted.find(term);
  if (predicted != run.predicted.end() && measured) {
    gaps.push_back({name, predicted->second, *measured, false});
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

void AddComponents(const ComparedExperiment& e, std::vector<Gap>& gaps) {
  if (!e.mem_predicted || !e.mem_peak) {
    return;
  }
  const auto predicted = ComponentsOf(*e.mem_predicted);
  const auto measured = ComponentsOf(*e.mem_peak);
  if (predicted && measured) {
    gaps.push_back({"components", static_cast<double>(*predicted),
                    static_cast<double>(*measured), true});
  }
}

}  // namespace

std::vector<Gap> GapsOf(const ComparedExperiment& e, const RunEvidence& run) {
  std::vector<Gap> gaps;
  AddTime(run, "step", "whole step", e.step_ms_median, gaps);
  for (const StepPart& part : kStepParts) {
    const auto measured = run.parts.find(part.term);
    AddTime(run, part.term, part.name,
            measured == run.parts.end()
                ? std::nullopt
                : std::optional<double>(measured->second),
            gaps);
  }
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

}  // namespace zs::results
