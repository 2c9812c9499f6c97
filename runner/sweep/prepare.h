// From an experiment file to what will happen and why.
#ifndef RUNNER_SWEEP_PREPARE_H_
#define RUNNER_SWEEP_PREPARE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/reader.h"
#include "runner/backend/driver.h"
#include "runner/host/machine.h"
#include "runner/plan/decide.h"
#include "runner/plan/describe.h"
#include "runner/plan/eval/request.h"
#include "runner/plan/key.h"
#include "runner/plan/load.h"
#include "runner/plan/spec/graph.h"
#include "runner/reach/file_set.h"
#include "runner/sweep/inherited.h"
#include "runner/sweep/keyed_content.h"

namespace zs {

struct PrepareRequest {
  EvalRequest eval;               // `machine` is filled in by Prepare
  std::vector<std::string> only;  // names and patterns; empty: all
  bool rerun = false;
  std::string engine_path;  // the engine program, whose content is in the keys
  // Called once while the file is evaluated: work that needs nothing of it.
  std::function<void()> meanwhile;
};

// One index for each experiment, in the order of the file.
struct Preparation {
  Machine machine;
  LoadedSweep loaded;
  Graph graph;  // refers to loaded.sweep
  std::vector<Derived> derived;
  // Of what is known so far; behind a `reach` CompleteKey adds the rest.
  std::vector<Key> keys;
  std::vector<Facts> facts;
  std::vector<Decision> decisions;
  // What the keys are formed of on this host.
  std::vector<std::vector<std::shared_ptr<const FileStamps>>> files;
  InheritedVariables inherited;
  std::vector<std::vector<PlanNote>> notes;  // warnings; errors refuse the file

  const Sweep& sweep() const { return loaded.sweep; }
};

// Evaluates and validates the file, forms the keys, and decides as if nothing
// had been run before. Starts nothing and writes nothing. kInvalidArgument
// carries all faults of the file, what forbids one of its experiments, or what
// is wrong with `only`.
Result<std::unique_ptr<Preparation>> Prepare(const PrepareRequest& request);

// Whether ENGINE, which the sweep is to run, is the one that the keys of its
// experiments name: time may have passed since they were formed.
// kFailedPrecondition where it has been built anew.
Status CheckEngineIsKeyed(const Preparation& preparation, KnownProgram& engine);

// Whether program and data of experiment I on this host are those that its key
// names. kFailedPrecondition names what has changed.
Status CheckFilesAreKeyed(Preparation& preparation, size_t i);

// Looks up what has passed before in RECORD, and decides anew. Of an experiment
// whose nodes have not been asked that is what would count if they were as they
// were at the newest run of the same known parts.
Status ConsultRecord(const results::Reader& record, Preparation& preparation);

// The same once those nodes were asked on whose answers a decision hangs: what
// was not told counts as if it had never run.
Status DecideWithAnswers(const results::Reader& record,
                         Preparation& preparation);

// Adds what the nodes of experiment I have told to its key.
void CompleteKey(Preparation& preparation, size_t i,
                 const Surroundings& answers);

// The parts of the newest key of experiment NAME of sweep SWEEP on record;
// empty where there is none.
Result<std::map<std::string, std::string>> PastParts(
    const results::Reader& record, const std::string& sweep,
    const std::string& name);

// The parts of KEY as the record keeps them: one JSON object.
std::string KeyPartsJson(const Key& key);

}  // namespace zs

#endif  // RUNNER_SWEEP_PREPARE_H_
