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
  std::vector<Key> keys;
  std::vector<Facts> facts;
  std::vector<Decision> decisions;
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

// Looks up what has passed before in RECORD, and decides anew.
Status ConsultRecord(const results::Reader& record, Preparation& preparation);

// The parts of the newest key of experiment NAME of sweep SWEEP on record;
// empty where there is none.
Result<std::map<std::string, std::string>> PastParts(
    const results::Reader& record, const std::string& sweep,
    const std::string& name);

// The parts of KEY as the record keeps them: one JSON object.
std::string KeyPartsJson(const Key& key);

}  // namespace zs

#endif  // RUNNER_SWEEP_PREPARE_H_
