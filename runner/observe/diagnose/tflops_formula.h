// By which formula a trainer counted the TFLOP/s that it prints.
#ifndef RUNNER_OBSERVE_DIAGNOSE_TFLOPS_FORMULA_H_
#define RUNNER_OBSERVE_DIAGNOSE_TFLOPS_FORMULA_H_

#include <string>

#include "runner/observe/diagnose/facts.h"

namespace zs {

// A label: figures with different labels, or with one that says "unknown", do
// not compare. Megatron-LM counts the core of the attention in full up to 0.11
// and halved for causality from 0.12 (12% at a sequence of 4096 of a model of
// 1.7 thousand million parameters). Empty where SERIES prints none.
std::string TflopsFormula(const RunFacts& facts, const StepSeries& series);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_TFLOPS_FORMULA_H_
