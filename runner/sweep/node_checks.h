// What is verified on the nodes of an experiment before it costs anything.
#ifndef RUNNER_SWEEP_NODE_CHECKS_H_
#define RUNNER_SWEEP_NODE_CHECKS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/store/record.h"
#include "runner/check/preflight.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/ask.h"
#include "runner/reach/file_set.h"
#include "runner/reach/node_files.h"
#include "runner/sweep/node_needs.h"

namespace zs {

// The checks of one sweep. What is asked for again, of the same nodes and
// paths, is not looked at again.
class NodeChecks {
 public:
  struct Request {
    // On this host; put on the other nodes. Outlives the checks.
    KnownProgram* engine = nullptr;
    std::string artifact_root;  // where checkpoints go that name no folder
    int64_t timeout_ms = 20'000;
  };
  struct Found {
    std::vector<CheckResult> results;
    bool all_ok = false;
    bool fresh = false;  // looked at just now
  };

  // AGENTS outlives it.
  NodeChecks(AgentPool& agents, Request request)
      : agents_(agents), request_(std::move(request)) {}

  // Secrets in what was found are masked. Valid until the next call.
  const Found& Check(const Experiment& experiment);

 private:
  std::vector<CheckResult> LookAt(const Experiment& experiment,
                                  PreflightRequest preflight,
                                  const std::string& shared_folder);
  // What the content of REQUEST's files is on this host, where they are here.
  void AddHashes(PreflightRequest& request);
  CheckResult CheckOwnSpace() const;
  // Puts the engine on every node and starts it there.
  std::vector<CheckResult> CheckEngine(const PreflightRequest& nodes,
                                       const std::string& device);
  // Its path on each target; STARTS gets what it said there to FLAGS.
  Result<std::vector<std::string>> PutEngine(
      FileSet engine, const std::vector<FileTarget>& targets,
      const std::vector<std::string>& flags,
      std::vector<Question>& starts) const;

  AgentPool& agents_;
  Request request_;
  std::map<std::string, Found> found_;  // by what was asked
};

// RESULTS as the record wants them.
std::vector<results::CheckRow> RowsOf(const std::vector<CheckResult>& results,
                                      int64_t now_unix_ms);

// "reach g0035: no answer (and 2 more)": what failed, for a reason of one line.
std::string FailureText(const std::vector<CheckResult>& results);

}  // namespace zs

#endif  // RUNNER_SWEEP_NODE_CHECKS_H_
