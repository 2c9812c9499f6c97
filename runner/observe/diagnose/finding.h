// One thing that was found, and the making of it from the catalogue.
#ifndef RUNNER_OBSERVE_DIAGNOSE_FINDING_H_
#define RUNNER_OBSERVE_DIAGNOSE_FINDING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/observe/catalogue/signature.h"
#include "runner/observe/diagnose/facts.h"

namespace zs {

struct Finding {
  std::string code;
  Severity severity = Severity::kInfo;
  bool secondary = false;  // follows from another finding
  CauseOrder order = CauseOrder::kConsequence;
  Confidence confidence = Confidence::kHigh;
  bool ends_run = false;
  std::string node;  // at fault; empty: unknown or all alike
  int rank = -1;     // at fault; -1: unknown or all alike
  std::string file;
  int64_t line = 0;
  std::string quote;
  std::string meaning;
  std::string causes;
  std::string hint;
  std::optional<double> time_s;  // TimeIn
  int64_t count = 1;             // lines that say the same
  int64_t sequence = 0;          // order of reading, where times are missing
};

using Findings = std::vector<Finding>;

// A finding of the row CODE (which must exist), at AT; CAPTURES fill {1} and
// on in meaning and hint.
Finding MakeFinding(const RunFacts& facts, std::string_view code,
                    const LineRef& at,
                    std::span<const std::string> captures = {});

// The first finding with this code, or null.
const Finding* FindFinding(const Findings& findings, std::string_view code);
Finding* FindFinding(Findings& findings, std::string_view code);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_FINDING_H_
