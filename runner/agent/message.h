// What the frames mean. Payloads are fields one after the other (integers as
// 64 bits little endian, strings and lists with their length before them), not
// JSON: arguments, environments and output are bytes that need not be text,
// and the agent stays small.
#ifndef RUNNER_AGENT_MESSAGE_H_
#define RUNNER_AGENT_MESSAGE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "runner/agent/frame.h"

namespace zs {

// From the runner.

// The first message over each connection.
struct OpenMsg {
  // 0: the end of stdin alone is the runner's death. Otherwise the agent ends
  // what it owns when nothing was heard for so long.
  int64_t lease_ms = 0;
  // Numbered messages of the agent that the runner has (over earlier
  // connections); the agent goes on with the next.
  int64_t received = 0;
};

// How long the agent keeps what it owns without hearing of the runner, and how
// long between TERM and KILL it then gives it. Nothing where the agent was
// opened without a lease.
struct LeaseMsg {
  int64_t lease_ms = 0;
  int64_t grace_ms = 0;
};

// The runner wants nothing more: the agent ends what it owns at once, and
// itself.
struct ByeMsg {
  int64_t reserved = 0;
};

struct StartMsg {
  int64_t id = 0;  // the caller's name for the process: its rank
  std::string token;
  std::string cwd;
  std::vector<std::string> argv;
  std::vector<std::string> env;  // over the agent's own
  // 1: and over that of the user's login shell (see login_environment.h).
  int64_t login_shell = 0;
  // "open_files=4096" ... (see ParseLimits); the others are the agent's own.
  std::vector<std::string> limits;
};

// Sends a signal to one process group that was started, or (-1) to all that is
// owned.
struct SignalMsg {
  int64_t id = -1;
  int64_t signal = 0;
};

// Ends everything owned: TERM, the grace, KILL, and a look whether all is gone.
// Answered by StoppedMsg, also where there is nothing. A second one shortens
// the grace.
struct StopMsg {
  int64_t grace_ms = 0;
  // Not empty: also what bears this token, whoever started it (leftovers of an
  // agent that is gone).
  std::string token;
};

struct PingMsg {
  int64_t seq = 0;
  int64_t received = 0;  // numbered messages of the agent so far
};

struct QueryMsg {
  int64_t seq = 0;
  std::string name;
  std::vector<std::string> args;
};

// From the agent.

// The answer to OpenMsg.
struct GreetingMsg {
  int64_t pid = 0;
  std::string host;
  std::string boot_id;
  std::string containment;  // "cgroup" | "subreaper"
  int64_t received = 0;     // numbered messages of the runner so far
};

struct StartedMsg {
  int64_t id = 0;
  int64_t pid = 0;
  int64_t unix_us = 0;
  std::string in_effect;  // limits and login shell, one line for people
};

struct StartFailedMsg {
  int64_t id = 0;
  std::string why;
};

struct OutputMsg {
  int64_t id = 0;
  int64_t stream = 1;  // 1 stdout, 2 stderr
  int64_t unix_us = 0;
  int64_t dropped_bytes = 0;  // cut out just before `bytes`
  std::string bytes;
};

// How far ending everything had come when a process ended.
enum class StopPhase : int64_t { kNone = 0, kTerm = 1, kKill = 2 };

// From the agent's own waitpid, after all of the process's output.
struct ExitedMsg {
  int64_t id = 0;
  int64_t code = 0;
  int64_t signal = 0;
  int64_t phase = 0;      // a StopPhase
  int64_t oom_kills = 0;  // see OomWatch
  int64_t unix_us = 0;
  int64_t user_cpu_us = 0;
  int64_t system_cpu_us = 0;
  int64_t peak_rss_bytes = 0;
  // Of all the host's processors while the process lived; 0: unknown.
  int64_t host_busy_cpu_us = 0;
  int64_t host_all_cpu_us = 0;
};

struct StoppedMsg {
  int64_t left_over = 0;  // processes alive that nobody waited for
  int64_t killed = 0;     // needed SIGKILL
  int64_t left = 0;       // could not be removed; -1: unknown
  // Files in /dev/shm that the processes had mapped and that outlived them:
  // removed, and (bytes) not to be removed.
  int64_t shm_removed = 0;
  int64_t shm_left_bytes = 0;
  std::string note;  // names those
};

// The answer to PingMsg, and (with seq 0) what the agent says of itself when it
// has received much.
struct PongMsg {
  int64_t seq = 0;
  int64_t unix_us = 0;
  int64_t received = 0;  // numbered messages of the runner so far
};

struct AnswerMsg {
  int64_t seq = 0;
  int64_t ok = 0;  // 0: `text` is an error message
  std::string text;
};

// Why the agent leaves: it ends all that it owns, and then itself.
struct NoteMsg {
  std::string text;
};

using Message =
    std::variant<OpenMsg, StartMsg, SignalMsg, StopMsg, PingMsg, QueryMsg,
                 GreetingMsg, StartedMsg, StartFailedMsg, OutputMsg, ExitedMsg,
                 StoppedMsg, PongMsg, AnswerMsg, NoteMsg, LeaseMsg, ByeMsg>;

// Whether MESSAGE counts among those that are numbered (from 1 in each
// direction) and so neither lost nor doubled when a connection breaks and
// another takes its place. OpenMsg, GreetingMsg, PingMsg and PongMsg are of one
// connection alone.
bool IsNumbered(const Message& message);

// Appends MESSAGE as a frame to OUT. kOutOfRange (and nothing appended) where
// it does not fit into a frame.
Status AppendMessage(const Message& message, std::string& out);

// The message in FRAME; kDataLoss for an unknown type, fields that are cut off
// or bytes that are too many.
Result<Message> ParseMessage(const Frame& frame);

}  // namespace zs

#endif  // RUNNER_AGENT_MESSAGE_H_
