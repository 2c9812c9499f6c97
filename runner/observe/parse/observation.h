// What a line of a log says, as plain data. Texts are views into the line and
// live as long as the call that delivers them; a number that the line does not
// give is NaN or -1.
#ifndef RUNNER_OBSERVE_PARSE_OBSERVATION_H_
#define RUNNER_OBSERVE_PARSE_OBSERVATION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>

namespace zs {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// A line and where it stands. TEXT has no control characters; PREFIX_LENGTH
// bytes of it belong to launchers (text/prefix.h).
struct LogLine {
  int source = 0;      // which file or stream, as the caller counts them
  int64_t number = 0;  // from 1
  std::string_view text;
};

// Which trainer wrote a step line.
enum class Trainer {
  kMegatron,  // Megatron-LM, its forks, and programs that imitate its line
  kDeepSpeed,
  kTorchtitan,
  kLlmC,
  kEngine,  // our own engine's events
};

// One optimizer step, or the mean over the steps since the last such line.
struct TrainStep {
  Trainer trainer = Trainer::kMegatron;
  int64_t iteration = -1;
  int64_t total = -1;          // iterations planned
  double step_ms = kNoNumber;  // elapsed time per iteration
  double loss = kNoNumber;
  double grad_norm = kNoNumber;
  double learning_rate = kNoNumber;
  double tflops = kNoNumber;  // as printed; formulas differ by version
  double printed_tokens_per_s = kNoNumber;          // of all GPUs
  double printed_tokens_per_s_per_gpu = kNoNumber;  // as printed
  double samples_per_s = kNoNumber;                 // as printed
  double memory_gib = kNoNumber;  // peak, where the step line gives it
  int64_t consumed_samples = -1;
  int64_t consumed_tokens = -1;
  int64_t global_batch = -1;  // sequences a step
  int64_t tokens = -1;        // a step, where the line says so
  int64_t skipped = -1;       // iterations without update in the interval
  int64_t nan_iterations = -1;
  double time_s = kNoNumber;  // of the line's time stamp (TimeIn)
  // Where the figures stand in the line if nobody wanted them; npos: all is
  // here.
  size_t unread_at = std::string_view::npos;
};

// "[Rank r] (after i iterations) memory (MB) | ...", in MiB.
struct MemoryUse {
  int rank = -1;
  int64_t iteration = -1;
  double allocated_mib = kNoNumber;
  double max_allocated_mib = kNoNumber;
  double reserved_mib = kNoNumber;
  double max_reserved_mib = kNoNumber;
  double device_mib = kNoNumber;
};

// "    name ....: (min, max)" or "name ....: value", in ms.
struct TimerLine {
  std::string_view name;
  double min_ms = kNoNumber;
  double max_ms = kNoNumber;
};

// "  name ....... value" of an argument dump.
struct ArgumentLine {
  std::string_view name;
  std::string_view value;
};

// World size and how it is divided; -1 where not said.
struct WorldLine {
  int world = -1;
  int data_parallel = -1;
  int tensor_parallel = -1;
  int pipeline_parallel = -1;
};

// The data-parallel implementation in effect.
struct ParallelConfig {
  std::string_view wrapper;   // "ddp" | "megatron_fsdp" | "torch_fsdp2" |
                              // "deepspeed" | "llm.c"
  int zero_stage = -1;        // in effect; -1 unknown
  std::string_view strategy;  // data_parallel_sharding_strategy; may be empty
  int overlap_grad_reduce = -1;   // 0, 1 or -1 unknown
  int overlap_param_gather = -1;  // the same
};

enum class CheckpointAction { kSaving, kSaved, kLoading, kLoaded };

struct CheckpointLine {
  CheckpointAction action = CheckpointAction::kSaving;
  int64_t iteration = -1;
  std::string_view folder;
};

// Validation; the step around it is not a plain step.
struct ValidationLine {
  int64_t iteration = -1;
  double loss = kNoNumber;
};

enum class EndReason {
  kDone,     // "[after training is done]"
  kExiting,  // "[exiting program at iteration N]", "... after N minutes"
  kSignal,   // "[exiting program after receiving SIGTERM.]"
};

struct EndLine {
  EndReason reason = EndReason::kDone;
  int64_t iteration = -1;
};

// host:pid:tid [dev] in front of NCCL's lines.
struct NcclSpeaker {
  std::string_view host;
  int64_t pid = -1;
  int device = -1;
  int64_t lines = 1;  // of this host that say the same (parse/repeats.h)
};

// A line of NCCL's that no other observation tells.
struct NcclWarning {
  NcclSpeaker from;
  std::string_view text;
};

struct NcclVersion {
  NcclSpeaker from;
  std::string_view version;  // "2.28.9+cuda13.0"
};

struct NcclSetting {  // "NAME set by environment to VALUE"
  NcclSpeaker from;
  std::string_view name;
  std::string_view value;
};

struct NcclBootstrap {
  NcclSpeaker from;
  std::string_view interface;
  std::string_view address;
};

// "Using network X", or which plugin supplies it.
struct NcclNetwork {
  NcclSpeaker from;
  std::string_view network;  // "IB", "Socket", "AWS Libfabric"
  std::string_view plugin;   // path of an external plugin; "none" if internal
};

struct NcclInterfaces {  // "NET/Socket : Using [0]eth0:..."; list as printed
  NcclSpeaker from;
  std::string_view list;
};

struct NcclHcas {  // "NET/IB : Using [0]mlx5_0:1/IB ... [RO]; OOB"
  NcclSpeaker from;
  std::string_view list;
  int count = 0;
  bool roce = false;
  bool none_found = false;  // "No device found", "Failed to open libibverbs"
};

struct NcclHcaSpeed {
  NcclSpeaker from;
  std::string_view device;
  int64_t mbit_per_s = -1;
};

struct NcclGdr {
  NcclSpeaker from;
  bool enabled = false;
  std::string_view device;
};

struct NcclMtu {  // enum of ibverbs: 1 = 256 ... 5 = 4096 bytes
  NcclSpeaker from;
  int mtu = -1;
  bool roce = false;
};

enum class Transport { kP2p, kShm, kNet, kCollnet, kOther };

struct NcclChannel {
  NcclSpeaker from;
  int from_rank = -1;
  int to_rank = -1;
  Transport transport = Transport::kOther;
  std::string_view network;  // of kNet: "IB", "Socket", ...
  bool gdr = false;
};

enum class InitPhase { kStart, kComplete, kAbort, kDestroy };

struct NcclInit {
  NcclSpeaker from;
  InitPhase phase = InitPhase::kStart;
  int rank = -1;
  int ranks = -1;
  std::string_view comm;     // pointer
  std::string_view comm_id;  // the same on all ranks; empty before 2.16
};

struct NcclTopology {
  NcclSpeaker from;
  int rank = -1;
  int ranks = -1;
  int nodes = -1;
  int local_ranks = -1;
};

struct NcclInitTime {
  NcclSpeaker from;
  int rank = -1;
  double total_s = kNoNumber;
  double kernels_s = kNoNumber;
  double bootstrap_s = kNoNumber;
};

struct NcclDriver {
  NcclSpeaker from;
  int cuda_version = -1;  // 12040 is 12.4
};

struct NcclNvls {
  NcclSpeaker from;
  bool available = false;
};

// "[Proxy ...", "Connected all rings", ...: understood, nothing to keep.
struct NcclOther {
  NcclSpeaker from;
};

// A row of an nccl-tests table, or another statement of a bandwidth.
struct BandwidthRow {
  std::string_view operation;  // "all_reduce"; empty where not said
  int64_t bytes = -1;
  double time_us = kNoNumber;  // out of place
  double algbw_gb_s = kNoNumber;
  double busbw_gb_s = kNoNumber;
  double in_place_busbw_gb_s = kNoNumber;
  int64_t wrong = -1;  // elements; -1 not checked
};

struct NcclTestsDevice {  // "#  Rank  0 Group  0 Pid 1 on host device 0 [..] N"
  int rank = -1;
  std::string_view host;
  std::string_view gpu;
};

struct NcclTestsHeader {
  std::string_view operation;  // "all_reduce"
};

// One worker in torchrun's failure report, or "failed (exitcode: ...".
struct WorkerFailure {
  std::string_view host;
  int rank = -1;
  int local_rank = -1;
  int exit_code = 0;
  int64_t pid = -1;
  double time_s = kNoNumber;
  bool first_observed = false;  // torchrun's "Root Cause"
};

struct WatchdogTimeout {
  int rank = -1;
  int64_t sequence = -1;
  std::string_view operation;  // "ALLREDUCE"
  int64_t elements = -1;
  double timeout_ms = kNoNumber;
  double ran_ms = kNoNumber;
};

struct WatchdogProgress {  // what a rank has enqueued and completed in a group
  int rank = -1;
  std::string_view group;
  int64_t enqueued = -1;
  int64_t completed = -1;
};

struct StoreBarrier {
  int rank = -1;
  int world = -1;
  int joined = -1;
};

// The end of a traceback: "TYPE: MESSAGE", and its innermost frame.
struct PythonError {
  std::string_view type;
  std::string_view message;
  std::string_view frame;  // "train.py:12"
  int rank = -1;
  int64_t first_line = 0;  // of the traceback
};

// A command that starts processes, as found in a log.
struct LaunchCommand {
  std::string_view text;
  int nodes = -1;
  int node_rank = -1;
  std::string_view endpoint;       // rdzv_endpoint or master_addr
  bool endpoint_is_shell = false;  // "$(hostname)": differs on each node
};

// Device memory in use as a program states it ("device memory usage: ...").
struct DeviceMemory {
  double used_mib = kNoNumber;
};

// An established connection: addresses without ports.
struct TcpConnection {
  std::string_view local;
  std::string_view peer;
};

// A row of the catalogue that the line matches (catalogue/catalogue.h).
struct SignatureHit {
  int signature = -1;
  std::string_view captures[4];  // groups 1 to 4 of the expression
};

using Observation =
    std::variant<TrainStep, MemoryUse, TimerLine, ArgumentLine, WorldLine,
                 ParallelConfig, CheckpointLine, ValidationLine, EndLine,
                 NcclWarning, NcclVersion, NcclSetting, NcclBootstrap,
                 NcclNetwork, NcclInterfaces, NcclHcas, NcclHcaSpeed, NcclGdr,
                 NcclMtu, NcclChannel, NcclInit, NcclTopology, NcclInitTime,
                 NcclDriver, NcclNvls, NcclOther, BandwidthRow, NcclTestsDevice,
                 NcclTestsHeader, WorkerFailure, WatchdogTimeout,
                 WatchdogProgress, StoreBarrier, PythonError, LaunchCommand,
                 DeviceMemory, TcpConnection, SignatureHit>;

// Takes what was seen, in the order of the log.
class ObservationSink {
 public:
  virtual ~ObservationSink() = default;
  virtual void Take(const LogLine& line, const Observation& observation) = 0;

  // Whether the figures of this iteration's line are wanted. Of a line that is
  // not, and reports no skipped or NaN iteration, only the numbers of the
  // iteration are delivered: a run of millions of steps needs no more.
  virtual bool WantsStep(const LogLine& line, int64_t iteration) const {
    static_cast<void>(line);
    static_cast<void>(iteration);
    return true;
  }
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_OBSERVATION_H_
