// A diagnosis as JSON.
#ifndef RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_JSON_H_
#define RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_JSON_H_

#include <string>

#include "base/json.h"
#include "runner/observe/diagnose/diagnosis.h"

namespace zs {

// { verdict, root_cause: {code, ...} or null, findings: [ {code, severity,
// secondary, node, rank, file, line, quote, meaning, causes, hint, confidence,
// count, time_s, run} ], runs: [ {name, verdict, nccl, ...} ], read: {...} }.
// Numbers that are not known are null.
Json DiagnosisToJson(const Diagnosis& diagnosis);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_JSON_H_
