// How a run ended, as plain data.
#ifndef RUNNER_SUPERVISE_OUTCOME_H_
#define RUNNER_SUPERVISE_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

enum class ProcessState {
  kExited,      // every rank ended with status 0
  kFailed,      // a rank ended otherwise, or early; the rest was stopped
  kKilled,      // stopped on request
  kTimedOut,    // a limit of the start, the first step or the whole run passed
  kHung,        // steps stopped coming
  kLost,        // a node's agent or the connection to it is gone
  kNotStarted,  // a node could not be reached or a rank not be started
};

// "exited", "failed", "killed", "timed_out", "hung", "lost", "not_started".
std::string_view ProcessStateName(ProcessState state);

// The end of one rank as its agent's waitpid told it.
struct RankExit {
  int rank = 0;
  std::string node;
  int64_t pid = 0;        // on the node; 0: never started
  std::string in_effect;  // its limits and login shell, as its agent told
  bool started = false;
  bool ended = false;  // false: nobody knows (its node was lost)
  int exit_code = 0;   // where signal is 0
  int signal = 0;
  bool stopped_by_us = false;  // ended after the run had been given up
  int64_t oom_kills = 0;       // ended so by the kernel; see OomWatch
  double started_s = 0;        // since the start of the run
  double ended_s = 0;
  double user_cpu_s = 0;
  double system_cpu_s = 0;
  int64_t peak_rss_bytes = 0;
  // Of all processors of its node while the rank lived; 0: unknown.
  double host_busy_cpu_s = 0;
  double host_all_cpu_s = 0;
  int64_t output_bytes = 0;   // that the rank wrote
  int64_t dropped_bytes = 0;  // of these, cut out on their way here
  std::string last_lines;     // of its output; control characters replaced

  // "exit 3", "signal 9 (SIGKILL)", "exit unknown", "never started".
  std::string HowItEnded() const;
};

// Seconds since Supervise was called; absent: it did not come to that.
struct RunTimings {
  std::optional<double> reached_s;       // all agents have answered
  std::optional<double> started_s;       // all ranks run
  std::optional<double> first_output_s;  // of any rank
  std::optional<double> all_started_s;   // start_s was met
  std::optional<double> first_step_s;    // first step done
  std::optional<double> ended_s;         // last rank ended, or the run given up
  double clean_s = 0;                    // all was torn down and verified
};

// What was looked at after the run on one node.
struct CleanupReceipt {
  std::string node;
  bool verified = false;        // false: the node could not be asked
  std::string containment;      // "cgroup" or "subreaper": how it was owned
  int64_t left_over = 0;        // processes that outlived their rank
  int64_t killed = 0;           // processes that needed SIGKILL
  int64_t processes_left = 0;   // that could not be removed
  std::vector<int> ports_busy;  // of the request's ports
  int64_t shm_left_bytes = 0;   // in /dev/shm, not to be removed
  bool gpus_used = false;
  // Memory of GPUs that processes of the run still hold; empty: no GPU was
  // used, the driver did not answer, or it named processes that nobody knows.
  std::optional<int64_t> gpu_left_bytes;
  std::string note;  // empty, or what else is to be known

  // Of all that was looked at.
  bool left_nothing() const {
    return verified && processes_left == 0 && ports_busy.empty() &&
           shm_left_bytes == 0 && gpu_left_bytes.value_or(0) == 0;
  }
  bool clean() const {
    return left_nothing() && (!gpus_used || gpu_left_bytes.has_value());
  }
};

// Fills in RECEIPT's gpu_left_bytes, and a note where it stays unknown, from
// PROCESSES: lines "PID, MIB" of nvidia-smi after the run; empty where it did
// not tell. OF_RANKS are the ranks' own process ids. A line of another process
// may be of a child of a rank (torchrun's workers) or of the host that a
// container lies on: it tells nothing.
void SetGpuLeft(const std::optional<std::string>& processes,
                const std::vector<int64_t>& of_ranks, CleanupReceipt& receipt);

// Something of interest that happened, for the record.
struct RunFinding {
  std::string code;  // "link_lost"
  bool is_error = false;
  std::string node;
  int rank = -1;  // -1: of the node
  std::string message;
  std::string hint;
  std::string evidence;  // lines
};

struct RunOutcome {
  ProcessState state = ProcessState::kNotStarted;
  // One word for machines: "ok", "rank_exit", "rank_signal", "oom_killed",
  // "partial_exit", "start_timeout", "first_step_timeout", "total_timeout",
  // "hang", "error_then_hang", "node_lost", "unreachable", "start_failed",
  // "stopped", "bad_request", "not_prepared".
  std::string cause;
  // One line: the first failing rank, its node, exit code or signal, and its
  // last line.
  std::string reason;
  int first_failed_rank = -1;
  std::string first_failed_node;
  std::vector<RankExit> ranks;           // ordered by rank
  std::vector<CleanupReceipt> clean_up;  // one for each node
  std::vector<RunFinding> findings;
  std::vector<std::string> logs;   // of the nodes
  std::vector<std::string> files;  // written beside the logs
  std::vector<std::string> notes;  // logs that could not be written ...
  RunTimings timings;

  bool clean() const;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_OUTCOME_H_
