// What a person says of logs that do not say it themselves.
#ifndef RUNNER_SWEEP_IMPORT_SETTINGS_H_
#define RUNNER_SWEEP_IMPORT_SETTINGS_H_

#include <string>

#include "base/status.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// Sets NAME ("zero_stage", "steps", "model", ...) of EXPERIMENT to TEXT.
// kInvalidArgument: an unknown name, or a value that it does not allow.
Status ApplySetting(const std::string& name, const std::string& text,
                    Experiment& experiment);

}  // namespace zs

#endif  // RUNNER_SWEEP_IMPORT_SETTINGS_H_
