#include "results/report/term_off.h"

#include <cmath>

#include "results/report/step_parts.h"

namespace zs::results {
namespace {

// A step predicted this well needs no culprit.
constexpr double kGood = 0.05;

bool IsGood(double step_ms, double predicted_ms) {
  return predicted_ms > 0 && std::abs(step_ms / predicted_ms - 1) <= kGood;
}

}  // namespace

std::optional<TermOff> FurthestTerm(
    double step_ms, const std::map<std::string, double>& predicted,
    const std::map<std::string, double>& measured) {
  const auto step = predicted.find("step");
  if (step == predicted.end() || IsGood(step_ms, step->second)) {
    return std::nullopt;
  }
  std::optional<TermOff> furthest;
  for (const StepPart& part : kStepParts) {
    const auto p = predicted.find(part.term);
    const auto m = measured.find(part.term);
    if (p == predicted.end() || m == measured.end()) {
      continue;
    }
    const TermOff off = {part.name, p->second, m->second};
    if (!furthest ||
        std::abs(off.measured_ms - off.predicted_ms) >
            std::abs(furthest->measured_ms - furthest->predicted_ms)) {
      furthest = off;
    }
  }
  return furthest;
}

Status ReadPrediction(const Reader& reader, int64_t run_id,
                      ComparedExperiment& side) {
  ASSIGN_OR_RETURN(const auto rows, reader.Predictions(run_id));
  std::map<std::string, double> predicted;
  for (const PredictionRow& row : rows) {
    predicted[row.term] = row.value;
    side.profile = row.profile;
  }
  const auto step = predicted.find("step");
  if (step == predicted.end()) {
    return OkStatus();
  }
  side.step_ms_predicted = step->second;
  if (!side.step_ms_median || IsGood(*side.step_ms_median, step->second)) {
    return OkStatus();
  }
  const StepWindow window{side.window_first, side.window_last};
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run_id, window));
  side.term_off =
      FurthestTerm(*side.step_ms_median, predicted, PartMedians(steps, window));
  return OkStatus();
}

}  // namespace zs::results
