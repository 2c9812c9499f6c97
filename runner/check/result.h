// What a check of a node finds.
#ifndef RUNNER_CHECK_RESULT_H_
#define RUNNER_CHECK_RESULT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

struct PreflightNode {
  std::string name;
  std::vector<std::string> reach;
};

enum class CheckState {
  kOk,
  kFailed,
  kUnknown,  // could not be found out; not good enough to start
  kWarning,  // failed or unknown, but the experiment accepts that
};

// "ok", "failed", "unknown", "warning".
std::string_view CheckStateName(CheckState state);

struct CheckResult {
  std::string name;  // docs/checks.md lists them
  std::string node;
  CheckState state = CheckState::kUnknown;
  std::string found;
  std::string limit;    // what would be good, with the remedy where it is not
  std::string repeat;   // a shell command that looks at the same thing
  std::string subject;  // of a comparison over the nodes: a path, a software
  std::string value;    // its value here, which must be the same everywhere
  // What else was seen, which may differ between the nodes and decides a
  // result: an experiment's key takes it beside subject and value.
  std::map<std::string, std::string> facts = {};
};

// kOk or kWarning.
bool IsGood(const CheckResult& result);

// Whether every result is good.
bool AllOk(const std::vector<CheckResult>& results);

// Fails those results with a subject whose value is not that of most nodes
// (with two, of the first). Results that are not kOk stay as they are.
void CompareOverNodes(std::vector<CheckResult>& results);

}  // namespace zs

#endif  // RUNNER_CHECK_RESULT_H_
