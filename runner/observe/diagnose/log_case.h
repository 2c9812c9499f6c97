// What the tests of whole logs share: a log, and what its reader must see.
#ifndef RUNNER_OBSERVE_DIAGNOSE_LOG_CASE_H_
#define RUNNER_OBSERVE_DIAGNOSE_LOG_CASE_H_

#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runner/observe/diagnose/diagnosis.h"

namespace zs {

// Expectations come from what happened in the run, never from the program.
struct LogCase {
  const char* name;
  const char* log;
  Health verdict;
  const char* root;                    // code; "" where the run did not fail
  std::vector<const char*> also = {};  // other codes that must be there
  const char* node = nullptr;          // of the root (or first code in also)
  int rank = -2;                       // the same; -2: not looked at
  const char* says = nullptr;          // stands in its meaning or hint
};

inline void PrintTo(const LogCase& test, std::ostream* out) {
  *out << test.name;
}

class LogCaseTest : public testing::TestWithParam<LogCase> {};

inline std::string CaseName(const testing::TestParamInfo<LogCase>& info) {
  return info.param.name;
}

inline void Check(const LogCase& test) {
  const Diagnosis diagnosis = DiagnoseText(test.log);
  const Findings& findings = diagnosis.groups.front().findings;
  std::string seen;
  for (const Finding& finding : findings) {
    seen += " " + finding.code + (finding.secondary ? "(secondary)" : "");
  }
  EXPECT_EQ(HealthName(diagnosis.verdict), HealthName(test.verdict)) << seen;
  const Finding* root = diagnosis.root_cause();
  EXPECT_EQ(root == nullptr ? "" : root->code, test.root) << seen;
  for (const char* code : test.also) {
    EXPECT_NE(FindFinding(findings, code), nullptr) << code << " of" << seen;
  }
  const Finding* main = root != nullptr || test.also.empty()
                            ? root
                            : FindFinding(findings, test.also.front());
  if (main == nullptr) {
    return;
  }
  if (test.node != nullptr) {
    EXPECT_EQ(main->node, test.node);
  }
  if (test.rank != -2) {
    EXPECT_EQ(main->rank, test.rank);
  }
  if (test.says != nullptr) {
    EXPECT_NE((main->meaning + " | " + main->hint).find(test.says),
              std::string::npos)
        << main->meaning << " | " << main->hint;
  }
}

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_LOG_CASE_H_
