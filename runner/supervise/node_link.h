// One node of a run and the state of its agent.
#ifndef RUNNER_SUPERVISE_NODE_LINK_H_
#define RUNNER_SUPERVISE_NODE_LINK_H_

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/reach/agent_pool.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/request.h"

namespace zs {

enum class LinkState {
  kReaching,  // the agent has not answered yet
  kReady,     // its ranks run, or may be started
  kStopping,  // it has been told to end everything
  kAsking,    // all is ended; its ports are being looked at
  kDone,      // the receipt is final
  kDying,     // the connection is broken; its last words are waited for
  kSweeping,  // a new agent ends what the lost one may have left
};

// Drives the messages of one node. What the ranks do is the run's business;
// reaching, stopping, losing and sweeping the node are this class's. Times are
// seconds since the run began.
class NodeLink {
 public:
  // NODE and POOL outlive it. TOKEN marks the processes of this run on this
  // node; PORTS are looked at in the end.
  NodeLink(const NodeRequest& node, std::string token, std::vector<int> ports,
           AgentPool& pool);

  // Gets an agent; an error where it cannot even be tried.
  Status Reach();

  // Queues a message; a broken connection shows at the next Take.
  Status Send(const Message& message) { return connection_->Send(message); }

  // Ends everything on the node, or shortens the grace. Nothing where the node
  // is lost or done.
  void Stop(double grace_s, double now_s);

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
  const std::string& token() const { return token_; }
  LinkState state() const { return state_; }
  bool lost() const { return !lost_why_.empty(); }
  // What is known of the loss, one line.
  const std::string& lost_why() const { return lost_why_; }
  const CleanupReceipt& receipt() const { return receipt_; }

 private:
  void NothingStarted();
  void Lose(double now_s, const std::string& why);
  void Bury(double now_s);
  void Sweep(double now_s);
  void OnStopped(const StoppedMsg& stopped, double now_s);
  void OnAnswer(const AnswerMsg& answer, double now_s);
  void AskNextPort(double now_s);
  void SetWake(double now_s);

  const NodeRequest& node_;
  std::string token_;
  std::vector<int> ports_;
  AgentPool& pool_;
  Connection* connection_ = nullptr;
  LinkState state_ = LinkState::kReaching;
  CleanupReceipt receipt_;
  std::string lost_why_;
  bool was_ready_ = false;  // something may have been started there
  size_t asked_ports_ = 0;
  int unanswered_pings_ = 0;
  int64_t ping_seq_ = 0;
  double next_ping_s_;
  std::optional<double> give_up_s_;  // of the present state
  double wake_s_ = 0;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_NODE_LINK_H_
