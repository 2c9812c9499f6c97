// Compares texts with files kept beside the tests.
#ifndef RESULTS_REPORT_GOLDEN_H_
#define RESULTS_REPORT_GOLDEN_H_

#include <string>

namespace zs::results {

// Expects TEXT to be what results/report/testdata/NAME holds. Under
// `UPDATE_GOLDEN=1 bazel run TARGET` writes the file instead.
void ExpectGolden(const std::string& name, const std::string& text);

}  // namespace zs::results

#endif  // RESULTS_REPORT_GOLDEN_H_
