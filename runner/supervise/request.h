// What one run needs, as plain data: which processes on which nodes, with
// which limits. The supervisor knows nothing of experiments.
#ifndef RUNNER_SUPERVISE_REQUEST_H_
#define RUNNER_SUPERVISE_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace zs {

// One process to start. Nothing passes through a shell.
struct RankRequest {
  int rank = 0;  // global, unique over all nodes
  // argv[0] is searched in the environment's PATH unless it holds a '/'.
  std::vector<std::string> argv;
  // "NAME=value", over the environment that the node's agent has.
  std::vector<std::string> env;
};

struct NodeRequest {
  std::string name;                // for messages
  std::vector<std::string> reach;  // argv prefix; empty: this host
  std::string cwd;                 // on the node; empty: the agent's own
  std::vector<RankRequest> ranks;
  bool uses_gpus = false;  // their memory is looked at in the end
};

// All in seconds; 0 turns a limit off, but grace_s 0 means KILL at once.
struct RunLimits {
  double reach_s = 60;      // until every node's agent has answered
  double start_s = 300;     // until every rank has started: it has printed,
                            // or the observer said so
  double first_step_s = 0;  // from then until the first step is done
  double hang_s = 120;      // a step may take this long and
  double hang_factor = 0;   // this many medians of the steps so far, whichever
                            // is more
  double total_s = 3600;    // the whole run
  double exit_spread_s = 30;  // after the first rank's exit 0, for the others
  double after_error_s = 60;  // after a rank has reported an error, to its end
  double grace_s = 5;         // between TERM and KILL; torchrun needs over 30
  double lease_s = 30;  // behind a `reach`: how long a node keeps its ranks
                        // without hearing of the runner, and the runner tries
                        // to connect again
};

struct RunRequest {
  // Unique for each run, [A-Za-z0-9_-]+; reaches every process as
  // ZS_RUN_TOKEN, by which leftovers are found.
  std::string token;
  std::vector<NodeRequest> nodes;
  RunLimits limits;
  // An existing folder; gets rank<k>.log, the bytes of each rank as they came
  // (stdout and stderr), and node<k>.log, the lines of all ranks of a node with
  // time stamps, while the run goes on; the latter become node<k>.log.zst in
  // the end. Empty: no logs.
  std::string artifact_folder;
  // Of each log; what is more is cut out of the middle.
  int64_t log_cap_bytes = int64_t{64} << 20;
  // TCP ports of the first node that must be free again at the end.
  std::vector<int> ports;
  // A rank has started when the observer says so; printing does not count.
  bool start_by_observer = false;
  // Exit codes by which a rank says that another one failed first (the engine's
  // peer_lost): never the reason of the run's end where there is a better one.
  std::vector<int> consequence_exits;
  // How long the cause may arrive after such a consequence.
  double settle_s = 0.3;
  // A signal upon which a rank says where it is (AtCollective), sent when the
  // run does not get on; 0: the ranks know of none.
  int status_signal = 0;
  // Values that are taken out of what the ranks print, before anybody sees it.
  std::vector<std::string> secrets;
  // Of every process: "open_files=4096", memlock_bytes, core_bytes; -1:
  // unlimited. The others are as the node has them.
  std::vector<std::string> process_limits;
  // The variables of the user's login shell on the node lie below `env`.
  bool login_shell = false;
  // For looking at processes that do not get on, before they are ended.
  double evidence_s = 6;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_REQUEST_H_
