// What the database holds, as plain data. Unknown is std::nullopt, never a
// zero. Times are milliseconds since 1970-01-01 UTC. Texts that end in _json
// hold one JSON document. What was asked for stands in Experiment, what was in
// effect in Effective, so that the two can be compared.
#ifndef RESULTS_STORE_RECORD_H_
#define RESULTS_STORE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs::results {

// How the processes of a run ended. In the database NULL while they run.
enum class ProcessState {
  kExited,    // by themselves, whatever the status
  kKilled,    // by a signal or on request
  kTimedOut,  // a limit of the experiment passed
  kHung,      // no progress
  kLost,      // nobody knows: node, connection or runner died
};

// What the numbers of a run are worth.
enum class MeasurementState {
  kValid,        // every step asked for is there
  kIncomplete,   // some are
  kNoData,       // none is
  kInvalidLoss,  // a loss or gradient is not a number
};

enum class Verdict {
  kPass,
  kFail,
  kUndecided,
};

// Why an experiment of a sweep was not run.
enum class NotRun {
  kCached,             // passed before under the same key
  kSkippedNeedFailed,  // a need has not passed
  kSkippedExcluded,    // by the file or the command line
  kSkippedDoesNotFit,  // more memory or ranks than there are
  kSkippedBudget,      // time or GPU-hours used up
};

enum class CheckStatus { kPass, kWarn, kFail, kUnknown };
enum class Severity { kInfo, kWarning, kError };
enum class MemoryKind { kMeasured, kPredicted };

// The words of the database and the reports: "exited", "timed_out",
// "invalid_loss", "undecided", "need_failed", ...
std::string_view Name(ProcessState state);
std::string_view Name(MeasurementState state);
std::string_view Name(Verdict verdict);
std::string_view Name(NotRun state);
std::string_view Name(CheckStatus status);
std::string_view Name(Severity severity);
std::string_view Name(MemoryKind kind);

// The state that NAME is the word of; empty for any other text. E is one of
// the enums above.
template <typename E>
std::optional<E> FromName(std::string_view name) {
  for (int i = 0; !Name(static_cast<E>(i)).empty(); ++i) {
    if (Name(static_cast<E>(i)) == name) {
      return static_cast<E>(i);
    }
  }
  return std::nullopt;
}

// One invocation of the runner on an experiment file.
struct SweepStart {
  std::string name;              // `sweep` of the file: "qwen3-zero"
  std::string file;              // the file's path, for people
  std::string args_json = "[]";  // the command line; secrets are masked
  std::string runner_version;
  std::string host;
  int64_t pid = 0;
  int64_t started_unix_ms = 0;
  uint64_t seed = 0;  // of random orders; 0 where there are none
};

struct SweepRow {
  int64_t id = 0;
  SweepStart start;
  std::optional<int64_t> ended_unix_ms;
  std::optional<int> exit_code;  // of the runner; unknown while it runs
  std::string reason;            // why it ended so, one line
};

// One node of a sweep's graph: what was asked for.
struct Experiment {
  std::string name;                   // "z1"
  std::string key;                    // hash of the parts below
  std::string key_parts_json = "{}";  // part -> what decides the result
  std::string spec_json = "{}";       // as evaluated; secrets are masked
  std::vector<std::string> needs;     // names
  std::string backend;                // "engine" | "megatron" | ...
  std::string model;                  // "gpt_smoke"
  std::optional<int> zero_requested;
  std::optional<int> world_size;  // ranks asked for
  std::optional<int> ranks_per_node;
  std::optional<int64_t> micro_batch;
  std::optional<int64_t> global_batch;
  std::optional<int64_t> seq_len;
  std::optional<int64_t> steps;
  std::optional<int64_t> warmup_steps;
  std::string dtype;  // "fp32"; empty: unknown
};

// Bytes by component (DESIGN: mem_peak_bytes).
struct MemoryRow {
  int rank = 0;  // predicted: the rank with most
  std::optional<int64_t> parameters;
  std::optional<int64_t> gradients;
  std::optional<int64_t> optimizer;
  std::optional<int64_t> activations;
  std::optional<int64_t> logits;
  std::optional<int64_t> workspace;
  std::optional<int64_t> communication;
  std::optional<int64_t> total;
};

// Bytes that one rank sends in one step, from arithmetic.
struct CommTheory {
  std::string op;  // "all_reduce", "reduce_scatter", "all_gather", ...
  int64_t bytes_per_step = 0;
};

// A term of what was predicted for a run (docs/metrics.md, "Prediction").
struct PredictionRow {
  std::string term;  // "step", "compute", ...: ms; "tokens_per_s"
  double value = 0;
  std::string profile;  // the machine profile it was computed with
};

// A measured point of a collective's bandwidth curve.
struct BandwidthRow {
  std::string op;
  int64_t size_bytes = 0;  // of the whole buffer
  std::optional<double> ms;
  std::optional<double> algbw_gb_s;
  std::optional<double> busbw_gb_s;
  std::optional<int64_t> wrong;  // elements with a wrong result
  std::optional<bool> in_place;
  std::optional<int64_t> calls;  // that took `ms` together
};

// What was in effect, as far as the run has said it.
struct Effective {
  std::optional<int> zero_stage;
  std::optional<int> world_size;
  std::optional<int64_t> accumulation;  // micro-batches a step and rank
  std::optional<int64_t> parameters;    // of the whole model
  std::optional<int> threads_per_rank;
  std::string device;                // "cpu" | "cuda"; empty: unknown
  std::string versions_json = "{}";  // library -> version
};

// A process of a run. Fields that are unknown when it starts come later: a
// second row for the same rank fills them in.
struct RankRow {
  int rank = 0;
  int node_rank = 0;
  int local_rank = 0;
  std::optional<int64_t> pid;
  std::optional<int> exit_status;  // 0 to 255
  std::optional<int> exit_signal;  // 0: none
  std::string reason;              // one line; empty: none given
};

// A machine of a run.
struct NodeRow {
  int node_rank = 0;
  std::string host;
  int ranks = 0;
  std::string hardware_json = "{}";  // CPU, cores, memory, GPUs, NICs, kernel
  std::string contained_by;          // "cgroup" | "subreaper"
  std::string in_effect;  // limits of its ranks, and their login shell
  // Of the node's processor time during the run, what went to programs that
  // were not its ranks.
  std::optional<double> other_cpu_pct;
  // The receipt: what the run has left there. Unknown until somebody looked.
  std::optional<int> clean;  // 1: nothing is left
  std::optional<int64_t> left_processes;
  std::optional<int64_t> left_shm_bytes;
  std::optional<int64_t> left_gpu_bytes;  // unknown also where no GPU was used
  std::string ports_busy;                 // "29500, 29501"
  std::string clean_up_note;
};

// A node of a run that is over of which nobody knows that it is clean.
struct UncleanNode {
  int64_t run_id = 0;
  std::string experiment;
  std::string token;  // of the run
  NodeRow node;
};

// One collective operation on one rank over one step.
struct CommRow {
  std::string op;
  std::optional<int64_t> calls;
  std::optional<int64_t> bytes;  // that the rank sent
  std::optional<double> ms;      // inside the operation, hidden or not
  // A measurement of collective operations alone (docs/metrics.md):
  std::optional<int64_t> size_bytes;  // of the whole buffer
  std::optional<double> algbw_gb_s;
  std::optional<double> busbw_gb_s;
  std::optional<int64_t> wrong;  // elements; absent: not looked at
  std::optional<bool> in_place;
};

// One optimizer step. NaN and infinities are kept as what they are.
struct StepRow {
  int64_t step = 0;  // from 1
  std::optional<double> loss;
  std::optional<double> grad_norm;
  std::optional<double> lr;
  std::optional<int64_t> tokens;  // of the global batch
  std::optional<double> step_ms;
  std::optional<double> data_ms;
  std::optional<double> forward_ms;
  std::optional<double> backward_ms;
  std::optional<double> optimizer_ms;
  std::optional<double> comm_exposed_ms;
  std::string mark;  // why its time is in no statistics: "first", "pause" (it
                     // holds an evaluation or a save); empty: it is
  std::vector<CommRow> comm;  // Reader::Steps leaves it empty
};

// A sample of one GPU.
struct GpuSample {
  int node_rank = 0;
  int gpu = 0;
  int64_t at_unix_ms = 0;
  std::optional<double> util_pct;
  std::optional<double> power_w;
  std::optional<double> temp_c;
  std::optional<double> sm_clock_mhz;
  std::optional<int64_t> mem_used_bytes;
  std::optional<double> power_cap_w;
  std::optional<int64_t> ecc_errors;  // uncorrected, since the driver's start
  std::string throttle_reasons;       // empty: none
  std::optional<int64_t> step;        // the newest one that was known then
};

// Something verified before a run.
struct CheckRow {
  std::string name;  // "disk_space"
  std::string node;  // empty: the runner's own
  CheckStatus status = CheckStatus::kUnknown;
  std::string found;
  std::string allowed;
  std::string hint;  // what to do where it failed
  int64_t at_unix_ms = 0;
};

// Something diagnosed.
struct FindingRow {
  std::string code;  // "nccl_timeout"
  Severity severity = Severity::kInfo;
  std::string node;
  std::optional<int> rank;
  std::string message;
  std::string hint;
  std::string evidence;  // the line that says it, cut
  int64_t count = 1;
  int64_t at_unix_ms = 0;
};

// A file that a run left: logs, checkpoints, configurations.
struct ArtifactRow {
  std::string kind;  // "log", "config", "checkpoint"
  std::string path;
  std::optional<int64_t> bytes;
  std::string sha256;  // empty: not taken
};

// One attempt at an experiment, as known before it starts.
struct RunStart {
  int64_t experiment_id = 0;
  int attempt = 0;    // from 1 within sweep and key; 0: the next
  int repeat = 1;     // which of the experiment's `repeats`, from 1
  std::string token;  // marks the run's processes
  int64_t started_unix_ms = 0;
  std::string environment_json = "{}";  // secrets are masked
  std::optional<MemoryRow> mem_predicted;
  std::vector<CommTheory> comm_theory;
  std::vector<PredictionRow> predictions;
  // On record with the run: its machines, of which nothing is known yet, and
  // what is found from its start on.
  std::vector<NodeRow> nodes;
  std::vector<ArtifactRow> artifacts;
};

// A run that later ones are measured against.
struct BaselineRow {
  int64_t run_id = 0;
  std::string reason;  // never empty
  std::string author;  // user@host
  int64_t at_unix_ms = 0;
};

// How far runs of the same experiment are apart on the same hosts.
struct NoiseFloor {
  int64_t sweep_id = 0;
  std::string experiment;
  std::string hosts_json = "[]";  // sorted names
  std::string device;
  int runs = 0;
  // Standard deviation of the logarithm of a run's median step time, by steps
  // and runs together.
  double run_deviation = 0;
  int64_t at_unix_ms = 0;
};

// How a run ended. Each state has a reason of one line.
struct RunOutcome {
  ProcessState process = ProcessState::kLost;
  std::string process_reason;
  MeasurementState measurement = MeasurementState::kNoData;
  std::string measurement_reason;
  Verdict verdict = Verdict::kUndecided;
  std::string verdict_reason;
  int64_t ended_unix_ms = 0;
  std::optional<int> exit_status;  // of the rank that decided
  std::optional<double> final_loss;
  std::string parameters_sha256;  // empty: unknown
  std::string nccl_health;        // empty: unknown
};

// A run with its experiment, as reports want it.
struct RunRow {
  int64_t id = 0;
  int64_t sweep_id = 0;
  int64_t experiment_id = 0;
  std::string sweep;  // its name
  Experiment experiment;
  int attempt = 0;
  int repeat = 0;
  std::string token;
  int64_t started_unix_ms = 0;
  std::optional<int64_t> ended_unix_ms;  // unknown: still running
  std::optional<RunOutcome> outcome;     // unknown: still running
  Effective effective;
  int64_t steps_recorded = 0;
};

// An experiment of a sweep and what became of it.
struct ExperimentRow {
  int64_t id = 0;
  int64_t sweep_id = 0;
  Experiment experiment;
  std::optional<NotRun> not_run;
  std::string not_run_reason;
  std::optional<int64_t> cached_run_id;  // the run that cached points to
  std::optional<int64_t> newest_run_id;  // of this sweep
};

}  // namespace zs::results

#endif  // RESULTS_STORE_RECORD_H_
