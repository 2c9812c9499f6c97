// What this host adds to the keys of experiments.
#ifndef RUNNER_SWEEP_SURROUNDINGS_H_
#define RUNNER_SWEEP_SURROUNDINGS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "runner/host/machine.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/file_set.h"
#include "runner/sweep/inherited.h"
#include "runner/sweep/keyed_content.h"

namespace zs {

// The part of a key that says which engine runs on DEVICE: the content of all
// files that take part.
Result<std::string> EngineContent(KnownProgram& engine,
                                  const std::string& device);

// Versions and hardware of MACHINE, which is this host, and, unless it is
// empty, of the engine at ENGINE_PATH with the libraries that it uses on
// DEVICE; neither engine nor data.
Surroundings SurroundingsOf(const Machine& machine,
                            const std::string& engine_path,
                            const std::string& device);

struct KeyedSurroundings {
  Surroundings surroundings;
  // The files of this host that they are formed of, the engine's apart.
  std::vector<std::shared_ptr<const FileStamps>> files;
};

// Reads each program, tree and set of data once. Not thread-safe.
class SurroundingsHere {
 public:
  // MACHINE is this host; both outlive it.
  SurroundingsHere(const Machine& machine, const std::string& engine_path,
                   InheritedVariables& inherited)
      : machine_(machine), engine_(engine_path), inherited_(inherited) {}

  // An error names a file that cannot be read.
  Result<KeyedSurroundings> Of(const Experiment& experiment);

 private:
  // What this host adds where the ranks run on it.
  void AddHere(const Experiment& experiment, Surroundings& surroundings);
  // Versions of Python and its packages as the ranks of EXPERIMENT get them;
  // null: they were not told.
  Json PythonOf(const Experiment& experiment);

  const Machine& machine_;
  KnownProgram engine_;
  InheritedVariables& inherited_;
  ContentReader content_;
  std::map<std::string, Surroundings> here_;  // by device; "": no engine
  std::map<std::string, Json> python_;        // by program and PATH
};

// Whether the content of the files of EXPERIMENT on this host is what KEY was
// formed of. FILES are their stamps, renewed where nothing but these changed.
// kFailedPrecondition names the file that has changed. Cheap where nothing was
// touched.
Status CheckFilesAreKeyed(
    const Experiment& experiment, const Key& key,
    std::vector<std::shared_ptr<const FileStamps>>& files);

}  // namespace zs

#endif  // RUNNER_SWEEP_SURROUNDINGS_H_
