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
#include "runner/reach/bootstrap.h"

namespace zs {

// Owns the command's process: when the connection goes, the agent's stdin ends,
// and so does all that the agent owns. Nothing here blocks but Open (until exec
// has succeeded) and Close. Not thread-safe.
class Connection {
 public:
  // Starts COMMAND and greets the agent behind it. LEASE_MS as in OpenMsg.
  // Where BOOTSTRAP is given, COMMAND leads to a shell, which is told to become
  // the agent; it must outlive the connection.
  static Result<std::unique_ptr<Connection>> Open(
      const std::vector<std::string>& command, int64_t lease_ms,
      const Bootstrap* bootstrap = nullptr);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Descriptors to poll for reading; -1 once they have ended.
  int out_fd() const { return out_.get(); }
  int err_fd() const { return err_.get(); }
  // To poll for writing; -1 where nothing waits.
  int in_fd() const { return unsent_.empty() ? -1 : in_.get(); }

  // Takes what has arrived. ReadOut ends at one chunk, so that one node does
  // not keep the others waiting.
  void ReadOut();
  void ReadErr();

  // Takes what has arrived, without waiting, so that status() knows of an end
  // that came while nobody listened.
  void Refresh();

  // Queues MESSAGE and writes what the pipe takes. kOutOfRange where it does
  // not fit into a frame; kUnavailable where the connection is broken.
  Status Send(const Message& message);
  void Flush();

  // The next message that has arrived.
  std::optional<Message> Next();

  // The agent's answer to the greeting, once it is there.
  const std::optional<GreetingMsg>& greeting() const { return greeting_; }

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

  // Ends the agent's stdin, upon which it ends all that it owns, and itself.
  void EndInput() { in_.Reset(); }

  // Ends the agent's stdin and waits until the command has ended, TIMEOUT_MS at
  // most; then it is killed.
  void Close(int64_t timeout_ms);

 private:
  Connection() = default;
  void Break(Status status);
  // Cuts what came before the frames off BYTES; false: they have not begun.
  bool SkipPreamble(std::string& bytes);
  // Sends the program if the shell has asked for it.
  void AnswerShell();

  std::string command_line_;
  pid_t pid_ = 0;  // 0: waited for
  Descriptor in_;
  Descriptor out_;
  Descriptor err_;
  std::string unsent_;
  size_t sent_ = 0;  // bytes at the front of unsent_ that are written
  const Bootstrap* bootstrap_ = nullptr;
  bool program_sent_ = false;
  std::string for_agent_;  // messages that wait until there is an agent
  bool began_ = false;     // the agent's marker has been seen
  std::string preamble_;   // what came before it
  FrameDecoder decoder_;
  std::optional<GreetingMsg> greeting_;
  Status status_;
  std::string err_tail_;
  std::optional<int> wait_status_;
};

}  // namespace zs

#endif  // RUNNER_REACH_CONNECTION_H_
