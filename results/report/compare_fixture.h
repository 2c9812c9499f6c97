// What tests of comparisons begin with.
#ifndef RESULTS_REPORT_COMPARE_FIXTURE_H_
#define RESULTS_REPORT_COMPARE_FIXTURE_H_

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare.h"
#include "results/report/sample_record.h"

namespace zs::results {

class CompareTest : public ::testing::Test {
 protected:
  void AddAll(const std::vector<SampleRun>& samples) {
    for (const SampleRun& sample : samples) {
      record_.AddRun(sample);
    }
  }

  Comparison Compared(const std::vector<std::string>& names,
                      const CompareOptions& options = {}) {
    auto comparison = Compare(record_.reader(), names, options);
    EXPECT_OK(comparison);
    return comparison.ok() ? *comparison : Comparison();
  }

  static std::vector<std::string> NamesOf(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const ComparedExperiment& e : comparison.experiments) {
      names.push_back(e.name);
    }
    return names;
  }

  SampleRecord record_;
};

using Names = std::vector<std::string>;

}  // namespace zs::results

#endif  // RESULTS_REPORT_COMPARE_FIXTURE_H_
