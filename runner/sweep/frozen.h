// Programs as they were when the sweep began.
#ifndef RUNNER_SWEEP_FROZEN_H_
#define RUNNER_SWEEP_FROZEN_H_

#include <string>

#include "base/status.h"

namespace zs {

struct FrozenProgram {
  std::string path;    // of the copy
  std::string sha256;  // of its content
};

// Copies PROGRAM, and the plug-ins (*.so) beside it, to
// FOLDER/<hash>/<its name>, where it stays as it is while the original may be
// built anew. A copy that is there already is used again.
Result<FrozenProgram> Freeze(const std::string& program,
                             const std::string& folder);

}  // namespace zs

#endif  // RUNNER_SWEEP_FROZEN_H_
