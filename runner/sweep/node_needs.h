// What an experiment asks of its nodes.
#ifndef RUNNER_SWEEP_NODE_NEEDS_H_
#define RUNNER_SWEEP_NODE_NEEDS_H_

#include <string>
#include <vector>

#include "runner/check/preflight.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// The folder into which EXPERIMENT saves its checkpoints, below ARTIFACT_ROOT
// where it names none; empty: it saves nothing.
std::string CheckpointFolder(const Experiment& experiment,
                             const std::string& artifact_root);

// All that follows from EXPERIMENT and its `checks`. On other hosts that is
// more than on this one, whose files have been read already when the keys were
// formed. Memory, descriptors and space are sized as docs/checks.md says.
PreflightRequest ChecksOf(const Experiment& experiment,
                          const std::string& checkpoint_folder);

// The Python whose versions count for EXPERIMENT: its program, or that of
// torchrun; empty: none.
std::string PythonProgramOf(const Experiment& experiment);

// What makes the engine tell its version and the libraries that it uses on
// DEVICE.
std::vector<std::string> VersionFlags(const std::string& device);

// All that decides what is looked at, as text.
std::string KeyOf(const PreflightRequest& request, const Experiment& experiment,
                  const std::string& shared_folder);

}  // namespace zs

#endif  // RUNNER_SWEEP_NODE_NEEDS_H_
