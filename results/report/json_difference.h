// In what two documents differ.
#ifndef RESULTS_REPORT_JSON_DIFFERENCE_H_
#define RESULTS_REPORT_JSON_DIFFERENCE_H_

#include <string>
#include <vector>

#include "base/json.h"

namespace zs::results {

struct JsonDifference {
  std::string path;  // "train.micro_batch"
  std::string left;  // as JSON; "absent" where there is nothing
  std::string right;
};

// The leaves that differ, in the order of their paths. Arrays are leaves.
std::vector<JsonDifference> DifferencesOf(const Json& left, const Json& right);

}  // namespace zs::results

#endif  // RESULTS_REPORT_JSON_DIFFERENCE_H_
