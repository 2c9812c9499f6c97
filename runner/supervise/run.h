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
#include "runner/supervise/gpu_sampler.h"
#include "runner/supervise/node_link.h"
#include "runner/supervise/node_log.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/rank_record.h"
#include "runner/supervise/request.h"
#include "runner/supervise/stop_source.h"
#include "runner/supervise/suspect.h"

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
  void AtCollective(int rank, const CollectiveState& state) override;

  double Now() const;
  std::string LogPath(const std::string& name) const;
  void Begin();
  void Loop();
  bool Over() const;
  void Launch();
  void Poll();
  int TimeoutMs() const;
  void TakeMessages();
  void Handle(NodeLink& link, const Message& message);
  // Where the node's ranks use GPUs.
  void StartGpuSampler(NodeLink& link);
  // Whether MESSAGE was of the sampler, and so no rank's.
  bool TakeOfGpuSampler(NodeLink& link, const Message& message);
  void TellOfGpuSampler(const NodeLink& link, const std::string& what);
  void OnStarted(const StartedMsg& started);
  void OnStartFailed(const StartFailedMsg& failed);
  void OnOutput(const NodeLink& link, const OutputMsg& output);
  // CHUNK of RECORD's rank, without secrets, to all who keep or read it.
  void Deliver(const NodeLink& link, RankRecord& record,
               const OutputChunk& chunk);
  // What waited in the redactors: nothing follows.
  void DeliverRest(const NodeLink& link, RankRecord& record, int64_t unix_us);
  void OnExited(const NodeLink& link, const ExitedMsg& exited);
  void OnLost();
  void CheckStop();
  void CheckLimits();
  bool AnyCut() const;
  void CheckEnd();
  // The end of the run is settled: everything is stopped. The first call
  // counts, later ones only shorten the grace.
  void GiveUp(ProcessState state, std::string cause, std::string reason);
  // The same for a run that does not get on: first its ranks are looked at, for
  // request_.evidence_s at most.
  struct Gathering {
    ProcessState state = ProcessState::kHung;
    std::string cause;
    std::string reason;
    double end_s = 0;
    int awaited = 0;  // nodes that have not answered
    std::map<int, SeenRank> ranks;
    std::string text;
  };
  void GatherEvidence(ProcessState state, std::string cause,
                      std::string reason);
  void AskWhere(NodeLink& link);
  void TakeEvidence(const NodeLink& link, const std::string& text);
  void CheckEvidence();
  void NameSuspect(const Suspect& suspect, Gathering& gathered);
  void TellStates(const Gathering& gathered);
  void KeepEvidence(const Gathering& gathered);
  void StopNodes(double grace_s);
  void OnLimit(const Deadlines::Expiry& expiry);
  std::string HangReason() const;
  void Finish();
  void FinishReason();
  void FinishLogs();
  void TellOfLog(const RankLog& log, const Status& status);
  void FinishLink(const NodeLink& link);
  void TakeKeptRecord(const NodeLink& link);
  RankRecord* Find(int64_t rank);

  const RunRequest& request_;
  AgentPool& agents_;
  RunObserver& observer_;
  const StopSource& stop_;
  const int64_t begin_ns_;
  Deadlines deadlines_;
  const SecretValues secrets_;
  std::deque<NodeLink> links_;
  std::deque<NodeLog> node_logs_;         // beside links_
  std::vector<GpuSampler> gpu_samplers_;  // beside links_
  std::vector<RankRecord> records_;
  std::map<int64_t, size_t> index_;  // rank to place in records_
  bool launched_ = false;
  bool given_up_ = false;
  std::optional<Gathering> gathering_;
  bool evidence_done_ = false;
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
