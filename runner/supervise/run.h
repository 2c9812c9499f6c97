// One run from its request to its outcome.
#ifndef RUNNER_SUPERVISE_RUN_H_
#define RUNNER_SUPERVISE_RUN_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/reach/agent_pool.h"
#include "runner/supervise/deadlines.h"
#include "runner/supervise/node_link.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/rank_record.h"
#include "runner/supervise/request.h"
#include "runner/supervise/stop_source.h"

namespace zs {

// Used once. What it is given outlives it.
class Run final : private RunProgress {
 public:
  Run(const RunRequest& request, AgentPool& agents, RunObserver& observer,
      const StopSource& stop);

  RunOutcome Execute();

 private:
  // RunProgress, called by the observer.
  void RankStarted(int rank) override;
  void StepDone(int64_t step) override;
  void Alive() override;
  void ErrorSeen(int rank, std::string_view what) override;

  double Now() const;
  void Begin();
  void Loop();
  bool Over() const;
  void Launch();
  void Poll();
  int TimeoutMs() const;
  void TakeMessages();
  void Handle(NodeLink& link, const Message& message);
  void OnStarted(const StartedMsg& started);
  void OnStartFailed(const StartFailedMsg& failed);
  void OnOutput(const OutputMsg& output);
  void OnExited(const ExitedMsg& exited);
  void OnLost();
  void CheckStop();
  void CheckLimits();
  bool AnyCut() const;
  void CheckEnd();
  // The end of the run is settled: everything is stopped. The first call
  // counts, later ones only shorten the grace.
  void GiveUp(ProcessState state, std::string cause, std::string reason);
  void StopNodes(double grace_s);
  void OnLimit(const Deadlines::Expiry& expiry);
  std::string HangReason() const;
  void Finish();
  void FinishReason();
  void FinishLink(const NodeLink& link);
  void TakeKeptRecord(const NodeLink& link);
  RankRecord* Find(int64_t rank);

  const RunRequest& request_;
  AgentPool& agents_;
  RunObserver& observer_;
  const StopSource& stop_;
  const int64_t begin_ns_;
  Deadlines deadlines_;
  std::deque<NodeLink> links_;
  std::vector<RankRecord> records_;
  std::map<int64_t, size_t> index_;  // rank to place in records_
  bool launched_ = false;
  bool given_up_ = false;
  StopKind stop_seen_ = StopKind::kNone;
  size_t started_ = 0;
  size_t ended_ = 0;
  // A rank ended as a consequence of another's end, which is still waited for.
  std::optional<double> settle_s_;
  // A node's connection is broken, or has come back just now with what its
  // ranks did meanwhile: until then only the limit of the whole run counts.
  double calm_until_s_ = 0;
  RunOutcome outcome_;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_RUN_H_
