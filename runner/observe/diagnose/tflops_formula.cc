#include "runner/observe/diagnose/tflops_formula.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

// "[2026-09-01 10:00:00.123456] iteration": fractions came with 0.16.
bool HasMicroseconds(std::string_view line) {
  const size_t end = line.find("] iteration");
  return end != std::string_view::npos && end > 7 && line[end - 7] == '.' &&
         IsDigit(line[end - 1]);
}

std::string OfMegatron(const RunFacts& facts, const StepSeries& series) {
  if (series.first_quote.find("TFLOPs:") != std::string::npos) {
    return "Megatron-DeepSpeed";
  }
  const bool flag = facts.arguments.find("data_parallel_sharding_strategy") !=
                    facts.arguments.end();  // since 0.12
  if (flag || HasMicroseconds(series.first_quote)) {
    return "Megatron-LM from 0.12, causal attention counted by half";
  }
  return facts.arguments.find("seq_length") != facts.arguments.end()
             ? "Megatron-LM to 0.11, attention counted in full"
             : "Megatron-LM, version unknown";
}

}  // namespace

std::string TflopsFormula(const RunFacts& facts, const StepSeries& series) {
  const bool printed = std::any_of(
      series.steps.begin(), series.steps.end(),
      [](const StepFact& step) { return step.tflops == step.tflops; });
  if (!printed) {
    return {};
  }
  switch (series.trainer) {
    case Trainer::kMegatron:
      return OfMegatron(facts, series);
    case Trainer::kTorchtitan:
      return "torchtitan";
    default:
      return "unknown";
  }
}

}  // namespace zs
