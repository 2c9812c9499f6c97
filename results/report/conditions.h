// Under which conditions a run was made.
#ifndef RESULTS_REPORT_CONDITIONS_H_
#define RESULTS_REPORT_CONDITIONS_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "results/store/reader.h"

namespace zs::results {

// One document of what decides or may decide RUN's speed: `asked` (the
// specification with its defaults, else what the file said), `data`,
// `engine`, `software`, `hardware` (the parts of its key), `environment`,
// `hosts`, `in_effect`.
Result<std::string> ConditionsOf(const Reader& reader, const RunRow& run);

// How far losses of RUN may be from those of another stage, as a share:
// `compare.loss_tolerance` of its experiment; without it 0 (bit by bit) for
// deterministic fp32 and 0.1% for all else, where only rounding is alike.
struct LossTolerance {
  double share = 0;
  bool declared = false;  // by the experiment
};
LossTolerance LossToleranceOf(const RunRow& run);

// `compare.window` of RUN's experiment; nothing where it has none.
std::optional<StepWindow> DeclaredWindow(const RunRow& run);

}  // namespace zs::results

#endif  // RESULTS_REPORT_CONDITIONS_H_
