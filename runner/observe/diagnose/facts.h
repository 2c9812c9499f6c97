// What the logs of one run say, gathered: the sink behind every scanner of a
// run. Rules (rules.h) and figures (run_summary.h) are made of it.
#ifndef RUNNER_OBSERVE_DIAGNOSE_FACTS_H_
#define RUNNER_OBSERVE_DIAGNOSE_FACTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/observe/parse/observation.h"

namespace zs {

// A stream of a run.
struct LogSource {
  std::string path;  // as findings name it
  std::string node;  // from the file's name; empty: unknown
  int rank = -1;     // the same
};

// A line that can be shown.
struct LineRef {
  int source = 0;
  int64_t line = 0;  // 0: no line
  std::string quote;
  std::string node;  // empty: unknown
  int rank = -1;
  std::optional<double> time_s;
};

// A row of the catalogue that lines matched; lines that differ in nothing but
// their number are counted.
struct SignatureFact {
  int signature = -1;
  LineRef at;  // the first
  std::string captures[4];
  int64_t count = 0;
};

struct StepFact {
  int64_t iteration = -1;
  int64_t width = -1;  // iterations that the line speaks for; -1: the first
  double step_ms = kNoNumber;
  double loss = kNoNumber;
  double grad_norm = kNoNumber;
  double tflops = kNoNumber;
  double tokens_per_s_per_gpu = kNoNumber;  // as printed
  double tokens_per_s = kNoNumber;          // as printed, of all GPUs
  double time_s = kNoNumber;
  int64_t global_batch = -1;
  int64_t tokens = -1;
  int64_t skipped = -1;
  int64_t nan_iterations = -1;
  int64_t line = 0;
};

// The steps of one stream, from one start of the program to the next. Of very
// many only every second, fourth, ... is kept, evenly over the whole run.
struct StepSeries {
  static constexpr size_t kMaxKept = 32'768;

  Trainer trainer = Trainer::kMegatron;
  int source = 0;
  int64_t total = -1;  // iterations planned
  int64_t lines = 0;   // step lines seen
  int64_t stride = 1;  // of them every so many are kept: see kMaxKept
  int64_t last_iteration = -1;
  int64_t skipped = 0;  // iterations without update
  int64_t nan_iterations = 0;
  int64_t first_bad = -1;  // iteration whose loss is not a number
  LineRef first_bad_at;
  std::string first_quote;  // the first line and the last
  std::string last_quote;
  int64_t last_line = 0;
  int64_t sequence_tokens = -1;  // of a sample, where steps tell
  double memory_gib = kNoNumber;
  std::vector<StepFact> steps;
};

// What NCCL said on one node.
struct NodeFacts {
  std::set<std::string> versions;
  std::set<int> drivers;
  std::vector<std::pair<std::string, std::string>> bootstraps;  // if, address
  std::set<std::string> networks;
  std::set<std::string> plugins;  // "none": looked for and not found
  std::string interfaces;         // NET/Socket's list
  std::set<std::string> hca_lists;
  int hcas = -1;
  bool roce = false;
  bool rdma_missing = false;                  // no device, or no libibverbs
  std::map<std::string, int64_t> hca_speeds;  // Mb/s
  std::map<std::string, std::string> settings;
  int64_t gdr_disabled = 0;
  int64_t gdr_enabled = 0;
  int64_t channels_p2p = 0;
  int64_t channels_shm = 0;
  std::map<std::string, int64_t, std::less<>> channels_net;  // by network
  int64_t channels_gdr = 0;
  int smallest_mtu = -1;
  bool nvls = false;
  int64_t first_order = 0;
  // The first line of each kind, to quote.
  std::map<std::string, LineRef, std::less<>> lines;
};

struct CommunicatorFacts {
  int ranks = -1;
  std::set<int> started;
  std::set<int> completed;
  LineRef at;
};

struct WorkerFact {
  std::string host;
  int rank = -1;
  int local_rank = -1;
  int exit_code = 0;
  int64_t pid = -1;
  std::optional<double> time_s;
  bool first_observed = false;
  LineRef at;
};

struct TimeoutFact {
  int64_t sequence = -1;
  std::string operation;
  int64_t elements = -1;
  double timeout_ms = kNoNumber;
  double ran_ms = kNoNumber;
  LineRef at;
};

struct PythonFact {
  std::string type;
  std::string message;
  std::string frame;
  LineRef at;
};

struct BandwidthFact {
  std::string operation;
  int64_t bytes = -1;
  double algbw_gb_s = kNoNumber;
  double busbw_gb_s = kNoNumber;
  double in_place_busbw_gb_s = kNoNumber;
  LineRef at;
};

struct ParallelFact {
  std::string wrapper;
  std::string strategy;
  int zero_stage = -1;
  int overlap_grad_reduce = -1;
  int overlap_param_gather = -1;
  LineRef at;
};

struct LaunchFact {
  std::string text;
  int nodes = -1;
  int node_rank = -1;
  std::string endpoint;
  bool endpoint_is_shell = false;
  LineRef at;
};

struct BarrierFact {
  int world = -1;
  int joined = -1;
  std::set<int> ranks;  // that wait
  LineRef at;
};

struct CheckpointFact {
  CheckpointAction action = CheckpointAction::kSaving;
  int64_t iteration = -1;
  std::string folder;  // empty: not said
  LineRef at;
};

// Bounded: of everything that can repeat without end only so much is kept as
// a diagnosis needs. Not thread-safe.
class RunFacts : public ObservationSink {
 public:
  explicit RunFacts(std::vector<LogSource> sources)
      : sources(std::move(sources)) {}
  RunFacts(const RunFacts&) = delete;
  RunFacts& operator=(const RunFacts&) = delete;

  void Take(const LogLine& line, const Observation& observation) override;
  bool WantsStep(const LogLine& line, int64_t iteration) const override;

  // Nodes that are known by any line or file name.
  std::set<std::string> Hosts() const;
  // The number of nodes as NCCL, the launcher or the hosts tell; 0: unknown.
  int NodeCount() const;
  // The first fact with this code, or null.
  const SignatureFact* Find(std::string_view code) const;

  std::vector<LogSource> sources;
  std::vector<SignatureFact> signatures;
  std::vector<StepSeries> series;
  std::map<int, MemoryUse> memory;  // by rank: the last line
  double device_mib = kNoNumber;
  std::map<std::string, std::string, std::less<>> arguments;
  std::map<std::string, std::vector<std::pair<double, double>>, std::less<>>
      timers;  // by name: min and max
  int world = -1;
  int tensor_parallel = -1;
  int pipeline_parallel = -1;
  int data_parallel = -1;
  std::optional<ParallelFact> parallel;
  std::vector<CheckpointFact> checkpoints;
  std::vector<int64_t> validations;  // iterations
  std::optional<std::pair<EndReason, LineRef>> end;
  std::map<std::string, NodeFacts, std::less<>> nodes;  // by host; "" unknown
  std::map<std::string, CommunicatorFacts> communicators;
  int nccl_nodes = -1;  // nNodes of the largest communicator
  int nccl_ranks = -1;
  std::vector<LineRef> nccl_warnings;
  double init_s = kNoNumber;  // the slowest rank's
  double init_kernels_s = kNoNumber;
  LineRef init_at;
  std::string operation;  // of nccl-tests
  std::vector<BandwidthFact> bandwidths;
  std::vector<std::string> gpus;     // names, by nccl-tests' ranks
  std::set<std::string> test_hosts;  // of nccl-tests
  std::vector<WorkerFact> workers;
  std::map<int, std::vector<TimeoutFact>> timeouts;  // by rank; -1 unknown
  std::map<std::string, std::map<int, std::pair<int64_t, int64_t>>>
      progress;  // by group and rank: last enqueued, last completed
  std::vector<BarrierFact> barriers;
  std::vector<PythonFact> python;
  std::vector<LaunchFact> launches;
  std::vector<std::pair<std::pair<std::string, std::string>, LineRef>>
      connections;
  std::set<std::pair<int, int64_t>> matched_lines;  // source and line
  int64_t meaningful = 0;  // observations that say something about a run

 private:
  struct Taker;
  struct NcclTaker;

  NodeFacts& Node(const NcclSpeaker& from, const LogLine& line);
  // False where the observation is not one of NCCL's.
  bool TakeNccl(const LogLine& line, const Observation& observation);
  // Hosts that were asked for of late, by the end of their names: most lines
  // come from few of them.
  struct Recent {
    std::string_view host;  // the key in nodes
    NodeFacts* node = nullptr;
  };
  std::array<Recent, 64> recent_;
  size_t steps_kept_ = 0;  // over all series
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_FACTS_H_
