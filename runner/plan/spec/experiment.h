// A validated experiment file as plain data: what to run, in which order, on
// which nodes, and what to expect of it. docs/experiment-file.md describes
// each field for those who write such files.
#ifndef RUNNER_PLAN_SPEC_EXPERIMENT_H_
#define RUNNER_PLAN_SPEC_EXPERIMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/run_config.h"

namespace zs {

// What carries an experiment out.
enum class Backend {
  kEngine,       // our own engine
  kMegatron,     // Megatron-LM under torchrun
  kCommand,      // any program, alone or under torchrun
  kCollectives,  // collective operations without a model
};

// "engine", "megatron", "command", "collectives".
std::string_view BackendName(Backend backend);

// Where the ranks run.
struct Topology {
  std::vector<std::string> nodes;  // host names, expanded, without repeats;
                                   // the first one is the master
  int ranks_per_node = 1;
  int master_port = 0;             // 0: the runner picks a free one
  std::vector<std::string> reach;  // argv prefix that gives a pipe to a
                                   // process on "{host}"; empty: this host
};

// What is saved, and what of it is verified.
struct CheckpointPlan {
  bool save_at_end = false;  // after the last step
  int64_t save_every = 0;    // steps between two saves; 0 never
  bool verify_load = false;  // a second run goes on from a save and must
                             // reproduce the losses of the first
  std::string dir;           // folder; empty: among the run's artifacts
};

// Deadlines of a run, in seconds, and what happens after a miss.
struct Limits {
  double start_s = 120;       // from start to all ranks having joined
  double first_step_s = 300;  // from there to the first step
  double hang_s = 120;        // without a step: at least this, and
  double hang_factor = 10;    // at least this many median steps
  double total_s = 3600;      // of the whole run
  double grace_s = 10;        // between TERM and KILL
  double lease_s = 30;        // that a node keeps its ranks without hearing of
                              // the runner, which tries to connect again
  int retries = 0;            // further attempts after a failed one
};

// Limits of each process (setrlimit); what is not set is as the node has it.
struct ProcessLimits {
  std::optional<int64_t> memlock_bytes;  // -1: unlimited; likewise below
  std::optional<int64_t> open_files;
  std::optional<int64_t> core_bytes;
};

// What the nodes must have, besides what follows from the experiment itself,
// before it is started. 0: nothing is asked for.
struct NodeNeeds {
  std::vector<std::string> paths;       // files or folders
  std::vector<std::string> same_files;  // and equal on all nodes
  std::vector<std::string> same_trees;  // folders of equal content
  int64_t free_bytes = 0;               // where checkpoints go
  int64_t shm_bytes = 0;                // free in /dev/shm
  int64_t memlock_bytes = 0;            // limit of locked memory; -1: unlimited
  int64_t open_files = 0;               // limit of open descriptors
  double clock_skew_s = 1;              // largest difference from the runner
  std::vector<std::string> accept;  // names of checks that are only recorded
};

// What a run must show to pass. What is not set is not asked for.
struct Expect {
  std::optional<int64_t> world_size;
  std::optional<double> max_step_cv;  // deviation / mean of step times
  std::optional<double> min_tokens_per_s;
  std::optional<double> min_tokens_per_s_per_rank;
  std::optional<double> max_step_time_ms;  // median
  std::optional<double> max_final_loss;
  std::optional<int64_t> max_mem_peak_bytes;  // of any rank
  std::optional<double> min_busbw_gb_s;       // collectives: of each operation
};

// How an experiment is compared with others.
struct ComparePlan {
  // How far losses may be apart, as a share; what is not set follows from the
  // number format and `train.deterministic`.
  std::optional<double> loss_tolerance;
  std::string window;  // "35-44": the steps that count; empty: all after the
                       // warm-up
};

// When enough repeats have been made.
struct UntilPlan {
  double rel_ci = 0;  // half the interval of a ratio, as a share, that is
                      // narrow enough; 0: only a word is enough
  int max = 0;        // repeats at most; 0: `repeats` alone decide
};

// Megatron-LM's side of an experiment (backend megatron).
struct MegatronSpec {
  std::string root;  // folder of the Megatron-LM tree on the nodes
  std::string script = "pretrain_gpt.py";  // within root, or an absolute path
  std::vector<std::string> args;           // added to the composed arguments
  int tensor_parallel = 1;
  int pipeline_parallel = 1;
  // "ddp" (ZeRO 0 and 1) | "fsdp" (Megatron-FSDP, ZeRO 0 to 2)
  std::string data_parallel = "ddp";
  bool own_script = false;       // script is the user's: started as it is, once
                                 // a node, and starts the ranks itself
  std::string version;           // of the tree, where the plan should know it
                                 // before the nodes are asked: "0.14.0", "main"
  bool allow_effective = false;  // accept the stage that this version can give
  std::string tokenizer;         // folder or name; empty: NullTokenizer
  std::string artifact_root;     // logs and checkpoints per node
};

// Any program (backend command).
struct CommandSpec {
  std::vector<std::string> argv;  // never passed through a shell
  bool torchrun = false;          // start argv under torchrun, else one process
                                  // for each rank
  std::string cwd;                // working folder on the nodes; empty: home
  // Expressions (RE2, one group each) that find the figures in its lines.
  std::string step_pattern;
  std::string step_ms_pattern;
  std::string tokens_pattern;
  std::string loss_pattern;
};

// Collective operations to measure (backend collectives).
struct CollectivesSpec {
  std::vector<std::string> ops;  // "all_reduce", "reduce_scatter", ...
  int64_t min_bytes = 8;         // sizes go up by powers of two
  int64_t max_bytes = 1 << 26;
  int64_t iterations = 20;
  int64_t warmup = 5;
  bool check = true;  // the sums are verified
};

// One node of the graph.
struct Experiment {
  std::string name;
  std::vector<std::string> needs;  // names of those that must have passed
  Backend backend = Backend::kEngine;
  std::string device = "cpu";  // "cpu" | "cuda"
  int threads_per_rank = 0;    // 0: cores / ranks of the node
  ModelConfig model;           // model, data and train: where the backend
  DataConfig data;             // trains one
  TrainConfig train;
  bool has_train = false;  // the experiment has the section `train`
  Topology topology;
  std::map<std::string, std::string> env;  // of each rank, as declared
  bool login_shell = false;  // the login shell's variables lie below `env`
  ProcessLimits ulimits;
  CheckpointPlan checkpoint;
  Limits limits;
  int repeats = 1;  // runs that must pass
  UntilPlan until;  // further repeats, while a comparison is undecided
  // Run at the beginning, in the middle and at the end of every sweep: shows
  // whether the machine drifts.
  bool sentinel = false;
  NodeNeeds checks;
  Expect expect;
  ComparePlan compare;
  std::string exclude;  // why it is not run; empty: it is
  std::optional<MegatronSpec> megatron;
  std::optional<CommandSpec> command;
  std::optional<CollectivesSpec> collectives;

  int world_size() const {
    return static_cast<int>(topology.nodes.size()) * topology.ranks_per_node;
  }
};

// Whether its ranks are processes of our engine.
bool RunsEngine(const Experiment& experiment);

// Ranks that each hold another part of a batch: the world size, divided by
// the tensor and pipeline parallel sizes where there are any.
int DataParallelSize(const Experiment& experiment);

// The experiments of a file, in the order of the file.
struct Sweep {
  std::string name;
  double total_s = 0;  // for the whole sweep; 0: no limit
  int64_t seed = 0;    // of the order of repeats; 0: another one each time
  std::vector<Experiment> experiments;
};

// The limits that are set, by the names of their fields.
std::vector<std::pair<std::string, int64_t>> LimitsSet(
    const ProcessLimits& limits);

// What the engine is asked for this experiment; the folders of its checkpoint
// are left empty, since the run decides them.
RunConfig EngineConfig(const Experiment& experiment);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_EXPERIMENT_H_
