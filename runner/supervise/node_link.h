// One node of a run and the state of its agent.
#ifndef RUNNER_SUPERVISE_NODE_LINK_H_
#define RUNNER_SUPERVISE_NODE_LINK_H_

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/agent/message.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/connection.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/request.h"

namespace zs {

enum class LinkState {
  kReaching,  // the agent has not answered yet
  kReady,     // its ranks run, or may be started
  kStopping,  // it has been told to end everything
  kAsking,    // all is ended; its ports are being looked at
  kDone,      // the receipt is final
  kCut,       // the connection is broken and tried again within the lease
  kDying,     // the connection is broken; its last words are waited for
  kSweeping,  // a new agent ends what the lost one may have left
};

// The number of the run's own question (evidence); those of a link are others.
inline constexpr int64_t kEvidenceSeq = -1;

// A time without a connection that came back.
struct Outage {
  double seconds = 0;  // since the agent was last heard
  int tries = 0;       // connections that were tried
  std::string why;
};

// Drives the messages of one node. What the ranks do is the run's business;
// reaching, stopping, losing and sweeping the node are this class's. Times are
// seconds since the run began.
class NodeLink {
 public:
  // NODE, LIMITS and POOL outlive it. TOKEN marks the processes of this run on
  // this node; PORTS are looked at in the end.
  NodeLink(const NodeRequest& node, const RunLimits& limits, std::string token,
           std::vector<int> ports, AgentPool& pool);

  // Gets an agent; an error where it cannot even be tried.
  Status Reach();

  // Queues a message; a broken connection shows at the next Take.
  Status Send(const Message& message) { return connection_->Send(message); }

  // Ends everything on the node, or shortens the grace. A link that is broken
  // is tried again for the grace alone (a few seconds at least).
  void Stop(double grace_s, double now_s);
  // The same without a grace, of a user who does not wait any longer: what is
  // broken is given up, and what does not answer soon after it.
  void StopNow(double now_s);

  // Appends what to poll.
  void AddPolled(std::vector<pollfd>& polled) const;
  // Reads and writes what the descriptors allow, from POLLED[AT] on; the index
  // behind this node's own.
  size_t Serve(const std::vector<pollfd>& polled, size_t at, double now_s);

  // The next message that the run has to look at; those that concern the link
  // alone are dealt with here.
  std::optional<Message> Take(double now_s);

  // Deals with what is due: pings, an agent that does not answer any more, a
  // stop that takes too long.
  void OnTime(double now_s);
  // When OnTime has to be called next.
  double wake_s() const { return wake_s_; }

  const NodeRequest& node() const { return node_; }
  // Its place among the nodes of the run.
  size_t index() const { return index_; }
  void set_index(size_t index) { index_ = index; }
  const std::string& token() const { return token_; }
  LinkState state() const { return state_; }
  bool lost() const { return !lost_why_.empty(); }
  // What is known of the loss, one line.
  const std::string& lost_why() const { return lost_why_; }
  const CleanupReceipt& receipt() const { return receipt_; }
  const std::vector<Outage>& outages() const { return outages_; }
  // What the node has kept of this run where it was lost (see RecordOfRun).
  const std::string& kept_record() const { return kept_record_; }
  // Lines "PID, MIB" of the processes that hold GPU memory after the run; empty
  // where nobody told.
  const std::optional<std::string>& gpu_processes() const {
    return gpu_processes_;
  }

 private:
  void BecomeReady();
  bool CanReattach() const;
  void Cut(double now_s, const std::string& why);
  void OnCutTime(double now_s);
  void FailTry(double now_s);
  void Restored(double now_s);
  void Abandon(double now_s, const std::string& why);
  void GiveUpAt(double at_s);
  // LIMIT_S of what is waited for, less where the user does not wait.
  double Patience(double limit_s) const;
  void NothingStarted();
  // FOR_GOOD: another connection would not help.
  void Lose(double now_s, const std::string& why, bool for_good = false);
  void Bury(double now_s);
  void DropConnection();
  void Sweep(double now_s);
  void OnStopped(const StoppedMsg& stopped, double now_s);
  void OnAnswer(const AnswerMsg& answer, double now_s);
  void AskNext(double now_s);
  void AwaitAnswer(double now_s);
  void SetWake(double now_s);

  const NodeRequest& node_;
  size_t index_ = 0;
  std::string token_;
  const RunLimits& limits_;
  AgentPool& pool_;
  Connection* connection_ = nullptr;
  LinkState state_ = LinkState::kReaching;
  CleanupReceipt receipt_;
  std::string lost_why_;
  bool was_ready_ = false;           // something may have been started there
  bool swept_ = false;               // a second agent was tried: the last one
  bool hurried_ = false;             // by StopNow
  std::vector<QueryMsg> questions_;  // for the receipt; seq is the place
  size_t asked_ = 0;
  std::string kept_record_;
  std::optional<std::string> gpu_processes_;
  int64_t ping_seq_ = 0;
  double silence_s_;  // the link is broken when nothing was heard for so long
  double ping_every_s_;
  double next_ping_s_;
  double heard_s_ = 0;
  // While the connection is broken.
  LinkState before_cut_ = LinkState::kReady;
  std::string cut_why_;
  double stop_grace_s_ = 0;
  bool trying_ = false;
  int tries_ = 0;
  double try_end_s_ = 0;   // where one is under way
  double next_try_s_ = 0;  // where none is
  double pause_s_ = 0;
  std::vector<Outage> outages_;
  std::optional<double> give_up_s_;  // of the present state; of a broken link
                                     // that is being stopped too
  double wake_s_ = 0;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_NODE_LINK_H_
