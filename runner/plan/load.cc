#include "runner/plan/load.h"

#include <utility>

#include "base/json.h"
#include "runner/plan/eval/evaluate.h"
#include "runner/plan/spec/fault.h"
#include "runner/plan/spec/validate.h"

namespace zs {
namespace {

constexpr size_t kMaxLines = 100;

// FAULTS as the message of an error, each line beginning with FILE.
std::string Message(const std::string& file, std::vector<Fault> faults) {
  std::string text;
  for (size_t i = 0; i < faults.size() && i < kMaxLines; ++i) {
    text += (i == 0 ? "" : "\n") + file + ": " + ToString(faults[i]);
  }
  if (faults.size() > kMaxLines) {
    text += "\n" + file + ": " + std::to_string(faults.size() - kMaxLines) +
            " more faults";
  }
  return text;
}

}  // namespace

Result<LoadedSweep> LoadSweep(const EvalRequest& request,
                              const std::function<void()>& meanwhile) {
  ASSIGN_OR_RETURN(Evaluated evaluated, Evaluate(request, meanwhile));
  const auto document = ParseJson(evaluated.document);
  if (!document.ok()) {
    return document.status().WithContext(request.file);
  }
  std::vector<Fault> faults;
  Sweep sweep = ReadSweep(*document, faults);
  if (!faults.empty()) {
    return InvalidArgumentError(Message(request.file, std::move(faults)));
  }
  return LoadedSweep{.sweep = std::move(sweep),
                     .document = std::move(evaluated.document),
                     .files = std::move(evaluated.files),
                     .trace = std::move(evaluated.trace)};
}

}  // namespace zs
