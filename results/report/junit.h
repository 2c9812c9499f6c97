// A sweep as JUnit XML, for CI pages.
#ifndef RESULTS_REPORT_JUNIT_H_
#define RESULTS_REPORT_JUNIT_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "results/store/reader.h"

namespace zs::results {

// One testsuite, a testcase for each experiment: failures and errors with
// their reasons, skipped and cached ones with theirs. kNotFound.
Result<std::string> JUnitXml(const Reader& reader, int64_t sweep_id);

}  // namespace zs::results

#endif  // RESULTS_REPORT_JUNIT_H_
