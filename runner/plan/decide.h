// What happens to each experiment of a sweep and why: run, cached or skipped.
// Pure: the caller gathers the facts, before the sweep and again as results
// come in.
#ifndef RUNNER_PLAN_DECIDE_H_
#define RUNNER_PLAN_DECIDE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/plan/spec/experiment.h"
#include "runner/plan/spec/graph.h"

namespace zs {

// How an experiment ended in the sweep that is going on.
enum class Outcome {
  kNone,    // not yet
  kPassed,  // all its repeats did
  kFailed,  // anything else
};

// What is known of one experiment.
struct Facts {
  int past_passes = 0;      // runs under its key that passed and count
  std::string past;         // where: "run 12, 2026-11-30 07:40"
  int64_t past_run_id = 0;  // the newest of them; 0: none
  // The rest of its key is what its nodes tell, which have not been asked yet:
  // the above holds if they are as they were.
  bool nodes_unasked = false;
  std::string changed;       // why its key is new: a Difference as text
  std::string outdated;      // why a run that passed does not count
  std::string does_not_fit;  // the sums, where it does not; else empty
  bool undecided = false;    // a comparison with it is, and `until` allows more
  bool selected = true;      // by --only, or needed by what is
  bool rerun = false;        // --rerun
  Outcome outcome = Outcome::kNone;
};

enum class Action {
  kRun,
  kCached,   // enough runs have passed under the same key
  kSkipped,  // see SkipCause
  kDone,     // it ended in this sweep
};

enum class SkipCause {
  kNone,
  kNeedFailed,   // a need failed or was skipped itself
  kExcluded,     // the file says so
  kDoesNotFit,   // predicted memory exceeds the node's
  kNotSelected,  // --only names others
};

struct Decision {
  Action action = Action::kRun;
  SkipCause cause = SkipCause::kNone;
  std::string reason;  // one line
  // What is on record counts only if the nodes are as they were.
  bool if_nodes_agree = false;
};

// "run", "cached", "skipped", "done".
std::string_view ActionName(Action action);
// "", "need_failed", "excluded", "does_not_fit", "not_selected".
std::string_view SkipCauseName(SkipCause cause);

// One decision for each experiment, in the order of the file. FACTS has one
// entry for each. A need that is still to run keeps nobody from being planned;
// what is cached stays cached whatever became of its needs. Linear.
std::vector<Decision> Decide(const Sweep& sweep, const Graph& graph,
                             const std::vector<Facts>& facts);

}  // namespace zs

#endif  // RUNNER_PLAN_DECIDE_H_
