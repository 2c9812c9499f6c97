// A pipe to an agent: starts the command that leads there and speaks messages
// with what answers.
#ifndef RUNNER_REACH_CONNECTION_H_
#define RUNNER_REACH_CONNECTION_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "runner/agent/frame.h"
#include "runner/agent/message.h"
#include "runner/agent/send_window.h"
#include "runner/reach/bootstrap.h"

namespace zs {

struct ConnectionOptions {
  int64_t lease_ms = 0;  // as in OpenMsg
  // Where it is given, the command leads to a shell, which is told to become
  // the agent. Outlives the connection.
  const Bootstrap* bootstrap = nullptr;
  std::string containment;  // for the agent behind a bootstrap
  // Behind a bootstrap: the name (see session.h) under which the agent is found
  // again when the connection breaks; empty: it ends with the connection.
  std::string session;
};

// Owns the command's process. When the connection goes, so does all that the
// agent owns; when it breaks and has a session, the agent waits for Reattach,
// its lease long. Nothing here blocks but Open and Reattach (until exec has
// succeeded) and Close. Not thread-safe.
class Connection {
 public:
  // Starts COMMAND and greets the agent behind it.
  static Result<std::unique_ptr<Connection>> Open(
      const std::vector<std::string>& command, ConnectionOptions options);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Descriptors to poll for reading; -1 once they have ended.
  int out_fd() const { return out_.get(); }
  int err_fd() const { return err_.get(); }
  // To poll for writing; -1 where nothing waits.
  int in_fd() const {
    const bool waits =
        !raw_.empty() || (flowing_ && !window_.pending().empty());
    return waits ? in_.get() : -1;
  }

  // Takes what has arrived. ReadOut ends at one chunk, so that one node does
  // not keep the others waiting.
  void ReadOut();
  void ReadErr();

  // Takes what has arrived, without waiting, so that status() knows of an end
  // that came while nobody listened.
  void Refresh();

  // Queues MESSAGE. kOutOfRange where it does not fit into a frame;
  // kUnavailable where the connection is broken and has no session.
  Status Queue(const Message& message);
  // Writes of what is queued what the pipe takes.
  void Flush();
  // Both. kUnavailable also where it breaks by this.
  Status Send(const Message& message);

  // The next message that has arrived.
  std::optional<Message> Next();

  // The agent's answer to the greeting, once it is there.
  const std::optional<GreetingMsg>& greeting() const { return greeting_; }

  // Numbered messages (see IsNumbered) that have arrived, for PingMsg.
  int64_t received() const { return received_; }

  // Whether a broken connection can be replaced.
  bool resumable() const { return !options_.session.empty(); }

  // Starts the command again; what is left of the one before is killed. When
  // greeting() is there again, both sides go on with the first message that the
  // other does not have. An error where the command cannot be started.
  Status Reattach();

  // Kills the command. The connection is broken then.
  void HangUp();

  // After Reattach: the node has said that the agent is not there any more.
  bool gone() const { return gone_; }

  // OK while the connection works; else what is wrong with it. What arrived
  // before can still be taken.
  const Status& status() const { return status_; }

  // The command has ended (its stderr is closed). Then Obituary is final.
  bool ended() const { return !err_.valid(); }

  // How the command ended and what it said last: "ended with exit 255:
  // Permission denied (publickey)." Only of interest where status() is an
  // error.
  std::string Obituary();

  const std::string& command_line() const { return command_line_; }

  // Takes leave of the agent and ends its stdin, upon which it ends all that it
  // owns, and itself.
  void EndInput();

  // Ends the agent's stdin and waits until the command has ended, TIMEOUT_MS at
  // most; then it is killed.
  void Close(int64_t timeout_ms);

  // Closes all of CONNECTIONS at the same time, each as its end would: one that
  // hangs costs no more than many.
  static void CloseAll(const std::vector<Connection*>& connections);

 private:
  // For the end of a command that has closed its stderr, or was killed.
  static constexpr int64_t kExitMs = 3000;

  Connection(const std::vector<std::string>& command,
             ConnectionOptions options);
  // Starts the command, whose agent is to do VERB (serve, attach) with the
  // session.
  Status Start(const std::string& verb);
  void Break(Status status);
  // Those of CONNECTIONS whose command has not ended within TIMEOUT_MS are
  // killed.
  static void AwaitEnds(std::vector<Connection*> connections,
                        int64_t timeout_ms);
  // What answers as an agent ends what it owns, which takes longer.
  bool IsAgent() const {
    return greeting_ && status_.code() != StatusCode::kDataLoss;
  }
  // The command's end is not waited for any longer.
  void Finish();
  // Waits for the command's own end; false: it has not come.
  bool Collect(int64_t timeout_ms);
  // Waits for the command's end, and lets go of it because of WHY.
  void Release(const std::string& why);
  // Looks at MESSAGE before anybody else does; false: it is for nobody else.
  bool Arrived(const Message& message, size_t bytes);
  // Cuts what came before the frames off BYTES; false: they have not begun.
  bool SkipPreamble(std::string& bytes);
  // Sends the program if the shell has asked for it.
  void AnswerShell();

  std::vector<std::string> command_;
  ConnectionOptions options_;
  std::string command_line_;
  pid_t pid_ = 0;  // 0: waited for
  Descriptor in_;
  Descriptor out_;
  Descriptor err_;
  std::string raw_;      // goes before the window: the script, the program, and
                         // the first message
  size_t raw_sent_ = 0;  // bytes at the front of raw_ that are written
  SendWindow window_;
  bool flowing_ = false;  // the window may be written
  bool attaching_ = false;
  bool gone_ = false;
  bool program_sent_ = false;
  bool began_ = false;    // the agent's marker has been seen
  std::string preamble_;  // what came before it
  int64_t received_ = 0;
  size_t untold_bytes_ = 0;  // of these, since the agent was last told
  FrameDecoder decoder_;
  std::optional<GreetingMsg> greeting_;
  Status status_;
  std::string err_tail_;
  std::optional<int> wait_status_;
};

}  // namespace zs

#endif  // RUNNER_REACH_CONNECTION_H_
