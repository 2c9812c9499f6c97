// What this host adds to the keys of experiments.
#ifndef RUNNER_SWEEP_SURROUNDINGS_H_
#define RUNNER_SWEEP_SURROUNDINGS_H_

#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "runner/host/machine.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/file_set.h"

namespace zs {

// The part of a key that says which engine runs on DEVICE: the content of all
// files that take part.
Result<std::string> EngineContent(KnownProgram& engine,
                                  const std::string& device);

// Versions and hardware of MACHINE, which is this host, and of the engine at
// ENGINE_PATH; neither engine nor data.
Surroundings SurroundingsOf(const Machine& machine,
                            const std::string& engine_path);

// Reads each program and each set of data once. Not thread-safe.
class SurroundingsHere {
 public:
  // MACHINE is this host and outlives it.
  SurroundingsHere(const Machine& machine, const std::string& engine_path)
      : machine_(machine), engine_(engine_path) {}

  // An error names a file that cannot be read.
  Result<Surroundings> Of(const Experiment& experiment);

 private:
  // ELSEWHERE: data that this host does not have may be on the nodes.
  Result<std::string> Fingerprint(const DataConfig& data, bool elsewhere);

  const Machine& machine_;
  KnownProgram engine_;
  std::optional<Surroundings> here_;  // looked at when it is first needed
  std::map<std::string, std::string> fingerprints_;  // by place
};

}  // namespace zs

#endif  // RUNNER_SWEEP_SURROUNDINGS_H_
