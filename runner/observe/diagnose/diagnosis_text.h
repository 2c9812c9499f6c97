// A diagnosis in the few lines that a person reads.
#ifndef RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_TEXT_H_
#define RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_TEXT_H_

#include <string>

#include "runner/observe/diagnose/diagnosis.h"

namespace zs {

// For each run its verdict, the root cause with its line and what to do, what
// follows from it (a line each), what else was found, the figures of training
// and NCCL's health.
std::string DiagnosisToText(const Diagnosis& diagnosis);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_TEXT_H_
