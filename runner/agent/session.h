// The place on a node where an agent can be found again: a folder that only the
// user may enter, with the socket at which the agent takes new connections and
// the record of what it owned and how that ended.
#ifndef RUNNER_AGENT_SESSION_H_
#define RUNNER_AGENT_SESSION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"
#include "runner/agent/message.h"

namespace zs {

// Whether ID can name a session: 32 hexadecimal digits.
bool IsSessionId(std::string_view id);

// Makes the folder of session ID and listens there. kPermissionDenied where the
// place belongs to somebody else; kAlreadyExists where there is such a session.
Result<Descriptor> ListenAtSession(const std::string& id);

// A connection to the agent of session ID; kUnavailable where there is none.
Result<Descriptor> ConnectToSession(const std::string& id);

// Nobody will ask for session ID any more.
void RemoveSession(const std::string& id);

// Removes what nobody has touched for a week and no agent holds any more.
void RemoveOldSessions();

// The record, written line by line as things happen, so that it is there
// whatever becomes of the agent. A record without a session keeps nothing.
class SessionRecord {
 public:
  SessionRecord() = default;
  explicit SessionRecord(const std::string& id);

  // A process of the run with TOKEN was started.
  void Started(const std::string& token, int64_t id, int64_t pid);
  void Exited(const ExitedMsg& exited);
  void Stopped(const StoppedMsg& stopped);
  void Leaving(const std::string& why);

  // Nobody will ask: the record goes with its session.
  void Forget();

 private:
  void Line(const std::string& text);

  std::string id_;
  Descriptor file_;
  std::string token_;  // of the run at hand
};

// What the records of all sessions of this user on this host hold of the run
// with TOKEN, oldest first; empty: nothing. Lines, times in microseconds since
// 1970:
//   started ID PID
//   exited ID CODE SIGNAL PHASE UNIX_US
//   stopped LEFT_OVER KILLED LEFT UNIX_US
//   leaving UNIX_US WHY
std::string RecordOfRun(const std::string& token);

}  // namespace zs

#endif  // RUNNER_AGENT_SESSION_H_
