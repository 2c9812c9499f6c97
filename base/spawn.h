// Starts programs without a shell, with nothing of ours left open in them.
#ifndef BASE_SPAWN_H_
#define BASE_SPAWN_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// A limit of the started program; see setrlimit(2).
struct ProcessLimit {
  int resource = 0;   // RLIMIT_NOFILE, ...
  std::string name;   // for messages: "open_files"
  int64_t value = 0;  // soft; raises the hard one where that is allowed; -1:
                      // unlimited
};

struct SpawnSpec {
  // argv[0] is searched in the PATH of `env` unless it holds a '/'.
  std::vector<std::string> argv;
  std::vector<std::string> env;  // all of it: "NAME=value"
  std::string cwd;               // empty: this process's own
  int stdin_fd = -1;             // -1: /dev/null
  int stdout_fd = -1;            // -1: this process's own
  int stderr_fd = -1;            // -1: this process's own
  bool new_session = false;      // a session and process group of its own
  // Sent to the child when the thread that started it ends (it is the thread
  // that counts, so start from one that lives as long as the process); 0: none.
  int parent_death_signal = 0;
  // A cgroup.procs file, open for writing, whose group the child joins before
  // the program starts; -1: none.
  int cgroup_procs_fd = -1;
  std::vector<ProcessLimit> limits;  // the others are this process's own
};

// Starts the program and returns its process id once exec has succeeded.
// Signals have their default actions there and none is blocked; every
// descriptor beyond 0, 1 and 2 is closed. Errors name the step that failed:
// kNotFound (no such program or folder), kPermissionDenied (also of a limit
// beyond the hard one, which is named), kResourceExhausted (argument too long,
// no more processes), kInvalidArgument (empty argv, a NUL byte).
Result<pid_t> Spawn(const SpawnSpec& spec);

// Waits for the end of PID, a child of this process, TIMEOUT_MS at most: its
// status as waitpid(2) tells it; empty where it still runs. A process that
// sleeps in the kernel (state D) does not end by SIGKILL either.
std::optional<int> AwaitExit(pid_t pid, int64_t timeout_ms);

// The file that argv0 means under PATH of ENV, seen from folder CWD; kNotFound
// and kPermissionDenied as a shell would tell them apart.
Result<std::string> FindProgram(const std::string& argv0,
                                const std::vector<std::string>& env,
                                const std::string& cwd);

// This process's environment.
std::vector<std::string> OwnEnvironment();

// BASE with each of OVERRIDES in the place of the variable of that name, or at
// the end.
std::vector<std::string> MergeEnvironment(
    std::vector<std::string> base, const std::vector<std::string>& overrides);

}  // namespace zs

#endif  // BASE_SPAWN_H_
