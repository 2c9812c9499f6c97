// Programs as they were when the sweep began.
#ifndef RUNNER_SWEEP_FROZEN_H_
#define RUNNER_SWEEP_FROZEN_H_

#include <string>

#include "base/status.h"
#include "runner/reach/file_set.h"

namespace zs {

// Copies what PARTS names of PROGRAM to FOLDER/<hash>/<its name>, where it
// stays as it is while the original may be built anew. The hash is that of all
// that is copied; a copy that is there already is used again. The path of the
// program's copy.
Result<std::string> Freeze(const std::string& program, ProgramParts parts,
                           const std::string& folder);

}  // namespace zs

#endif  // RUNNER_SWEEP_FROZEN_H_
