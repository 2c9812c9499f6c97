#include "runner/observe/diagnose/facts.h"

#include <algorithm>
#include <cmath>

#include "runner/observe/catalogue/signature.h"
#include "runner/observe/diagnose/line_ref.h"

namespace zs {
namespace {

constexpr size_t kMaxSteps = 300'000;  // of a run, about 35 MiB
constexpr size_t kMaxSeries = 256;
constexpr size_t kMaxKept = 512;  // of other things that can repeat
constexpr size_t kMaxNodes = 4096;
constexpr size_t kMaxMatchedLines = 65'536;
constexpr int kMaxRank = 1 << 20;

template <typename T>
void Fill(T& target, const T& value) {
  if (value == value && !(value == T(-1))) {
    target = value;
  }
}

StepFact ToFact(const TrainStep& step, int64_t line) {
  StepFact fact;
  fact.iteration = step.iteration;
  fact.step_ms = step.step_ms;
  fact.loss = step.loss;
  fact.grad_norm = step.grad_norm;
  fact.tflops = step.tflops;
  fact.tokens_per_s_per_gpu = step.printed_tokens_per_s_per_gpu;
  fact.tokens_per_s = step.printed_tokens_per_s;
  fact.time_s = step.time_s;
  fact.global_batch = step.global_batch;
  fact.tokens = step.tokens;
  fact.skipped = step.skipped;
  fact.nan_iterations = step.nan_iterations;
  fact.line = line;
  return fact;
}

}  // namespace

// One overload an observation.
struct RunFacts::Taker {
  template <typename T>
  void operator()(const T&) const {}  // NCCL's: facts_nccl.cc

  RunFacts& facts;
  const LogLine& line;

  LineRef Here() const { return MakeLineRef(facts.sources, line); }

  template <typename T>
  void Keep(std::vector<T>& all, T value) const {
    if (all.size() < kMaxKept) {
      all.push_back(std::move(value));
    }
  }

  StepSeries& SeriesFor(const TrainStep& step) const {
    for (auto it = facts.series.rbegin(); it != facts.series.rend(); ++it) {
      if (it->trainer != step.trainer || it->source != line.source) {
        continue;
      }
      const bool restarted = step.iteration < it->last_iteration;
      if (!restarted || facts.series.size() >= kMaxSeries) {
        return *it;
      }
      break;
    }
    StepSeries series;
    series.trainer = step.trainer;
    series.source = line.source;
    return facts.series.emplace_back(std::move(series));
  }

  void operator()(const TrainStep& step) const {
    StepSeries& series = SeriesFor(step);
    Fill(series.total, step.total);
    if (step.memory_gib == step.memory_gib) {
      series.memory_gib = std::fmax(series.memory_gib, step.memory_gib);
    }
    if (step.consumed_tokens > 0 && step.consumed_samples > 0) {
      series.sequence_tokens = step.consumed_tokens / step.consumed_samples;
    }
    if (series.last_iteration == step.iteration && !series.steps.empty()) {
      StepFact& last = series.steps.back();  // a second line of this step
      if (last.iteration == step.iteration) {
        Fill(last.step_ms, step.step_ms);
        Fill(last.loss, step.loss);
        Fill(last.tokens_per_s_per_gpu, step.printed_tokens_per_s_per_gpu);
      }
      return;
    }
    KeepStep(step, series);
  }

  void KeepStep(const TrainStep& step, StepSeries& series) const {
    const int64_t width = series.last_iteration >= 0
                              ? step.iteration - series.last_iteration
                              : -1;
    series.last_iteration = step.iteration;
    series.last_line = line.number;
    series.last_quote = line.text.substr(0, 400);
    if (series.first_quote.empty()) {
      series.first_quote = series.last_quote;
    }
    series.skipped += std::max<int64_t>(0, step.skipped);
    series.nan_iterations += std::max<int64_t>(0, step.nan_iterations);
    const bool bad =
        step.nan_iterations > 0 ||
        (step.trainer == Trainer::kEngine && step.loss != step.loss);
    if (bad && series.first_bad < 0) {
      series.first_bad = step.iteration;
      series.first_bad_at = Here();
    }
    if (series.lines++ % series.stride != 0 || facts.steps_kept_ >= kMaxSteps) {
      return;
    }
    if (series.steps.size() >= StepSeries::kMaxKept) {
      Thin(series);
    }
    series.steps.push_back(ToFact(step, line.number));
    series.steps.back().width = width;
    ++facts.steps_kept_;
  }

  // Keeps every second step.
  void Thin(StepSeries& series) const {
    const size_t half = series.steps.size() / 2;
    for (size_t i = 1; i < half; ++i) {
      series.steps[i] = series.steps[2 * i];
    }
    facts.steps_kept_ -= series.steps.size() - half;
    series.steps.resize(half);
    series.stride *= 2;
  }

  void operator()(const MemoryUse& use) const {
    if (use.rank < kMaxRank && facts.memory.size() < kMaxNodes) {
      MemoryUse& kept = facts.memory[use.rank];
      const double peak =
          std::fmax(kept.max_allocated_mib, use.max_allocated_mib);
      const double reserved =
          std::fmax(kept.max_reserved_mib, use.max_reserved_mib);
      kept = use;
      kept.max_allocated_mib = peak;
      kept.max_reserved_mib = reserved;
    }
  }

  void operator()(const TimerLine& timer) const {
    if (facts.timers.size() < kMaxKept ||
        facts.timers.find(timer.name) != facts.timers.end()) {
      auto& all = facts.timers[std::string(timer.name)];
      if (all.size() < kMaxKept) {
        all.emplace_back(timer.min_ms, timer.max_ms);
      }
    }
  }

  void operator()(const ArgumentLine& argument) const {
    if (facts.arguments.size() < 4096 && argument.name.size() < 100 &&
        argument.value.size() < 1000) {
      facts.arguments.emplace(argument.name, argument.value);
    }
  }

  void operator()(const WorldLine& world) const {
    Fill(facts.world, world.world);
    Fill(facts.data_parallel, world.data_parallel);
    Fill(facts.tensor_parallel, world.tensor_parallel);
    Fill(facts.pipeline_parallel, world.pipeline_parallel);
  }

  void operator()(const ParallelConfig& parallel) const {
    if (!facts.parallel.has_value()) {
      facts.parallel = ParallelFact{
          std::string(parallel.wrapper), std::string(parallel.strategy),
          parallel.zero_stage,           parallel.overlap_grad_reduce,
          parallel.overlap_param_gather, Here()};
    }
  }

  void operator()(const CheckpointLine& checkpoint) const {
    Keep(facts.checkpoints,
         CheckpointFact{checkpoint.action, checkpoint.iteration,
                        std::string(checkpoint.folder), Here()});
  }

  void operator()(const ValidationLine& validation) const {
    if (facts.validations.size() < 65'536) {
      facts.validations.push_back(validation.iteration);
    }
  }

  void operator()(const EndLine& end) const {
    facts.end = std::make_pair(end.reason, Here());
  }

  void operator()(const BandwidthRow& row) const {
    if (facts.bandwidths.size() >= kMaxKept) {
      return;
    }
    BandwidthFact fact{
        std::string(row.operation), row.bytes, row.algbw_gb_s, row.busbw_gb_s,
        row.in_place_busbw_gb_s,    {}};
    if (fact.operation.empty()) {
      fact.operation = facts.operation;
    }
    fact.at = Here();
    Keep(facts.bandwidths, std::move(fact));
  }

  void operator()(const NcclTestsDevice& device) const {
    Keep(facts.gpus, std::string(device.gpu));
    if (facts.test_hosts.size() < kMaxNodes && !device.host.empty()) {
      facts.test_hosts.emplace(device.host);
    }
  }

  void operator()(const NcclTestsHeader& header) const {
    facts.operation = header.operation;
  }

  void operator()(const WorkerFailure& failure) const {
    for (WorkerFact& known : facts.workers) {
      if (failure.pid >= 0 && known.pid == failure.pid &&
          known.exit_code == failure.exit_code) {
        Fill(known.rank, failure.rank);
        Fill(known.local_rank, failure.local_rank);
        known.first_observed |= failure.first_observed;
        if (known.host.empty()) {
          known.host = failure.host;
        }
        return;
      }
    }
    WorkerFact fact{std::string(failure.host), failure.rank, failure.local_rank,
                    failure.exit_code,         failure.pid,  std::nullopt,
                    failure.first_observed,    Here()};
    if (failure.time_s == failure.time_s) {
      fact.time_s = failure.time_s;
    }
    Keep(facts.workers, std::move(fact));
  }

  void operator()(const WatchdogTimeout& timeout) const {
    if (timeout.rank >= kMaxRank || facts.timeouts.size() >= kMaxNodes) {
      return;
    }
    std::vector<TimeoutFact>& all = facts.timeouts[timeout.rank];
    for (const TimeoutFact& known : all) {
      if (known.sequence == timeout.sequence &&
          known.operation == timeout.operation) {
        return;
      }
    }
    if (all.size() < 64) {
      all.push_back({timeout.sequence, std::string(timeout.operation),
                     timeout.elements, timeout.timeout_ms, timeout.ran_ms,
                     Here()});
    }
  }

  void operator()(const WatchdogProgress& progress) const {
    if (facts.progress.size() < kMaxKept && progress.rank < kMaxRank) {
      auto& group = facts.progress[std::string(progress.group)];
      if (group.size() < 65'536) {
        group[progress.rank] = {progress.enqueued, progress.completed};
      }
    }
  }

  void operator()(const StoreBarrier& barrier) const {
    for (BarrierFact& known : facts.barriers) {
      if (known.world == barrier.world && known.joined == barrier.joined) {
        known.ranks.insert(barrier.rank);
        return;
      }
    }
    Keep(facts.barriers,
         BarrierFact{barrier.world, barrier.joined, {barrier.rank}, Here()});
  }

  void operator()(const PythonError& error) const {
    LineRef at = Here();
    if (error.rank >= 0) {
      at.rank = error.rank;
    }
    Keep(facts.python, PythonFact{std::string(error.type.substr(0, 200)),
                                  std::string(error.message.substr(0, 1000)),
                                  std::string(error.frame), std::move(at)});
  }

  void operator()(const LaunchCommand& launch) const {
    Keep(facts.launches,
         LaunchFact{std::string(launch.text.substr(0, 20'000)), launch.nodes,
                    launch.node_rank, std::string(launch.endpoint),
                    launch.endpoint_is_shell, Here()});
  }

  void operator()(const DeviceMemory& memory) const {
    facts.device_mib = std::fmax(facts.device_mib, memory.used_mib);
  }

  void operator()(const TcpConnection& connection) const {
    Keep(facts.connections,
         std::make_pair(std::make_pair(std::string(connection.local),
                                       std::string(connection.peer)),
                        Here()));
  }

  void operator()(const SignatureHit& hit) const {
    if (facts.matched_lines.size() < kMaxMatchedLines) {
      facts.matched_lines.emplace(line.source, line.number);
    }
    LineRef here = Here();
    for (SignatureFact& known : facts.signatures) {
      if (known.signature == hit.signature && known.at.node == here.node &&
          known.at.rank == here.rank && known.captures[0] == hit.captures[0] &&
          known.at.source == here.source) {
        ++known.count;
        return;
      }
    }
    SignatureFact fact{hit.signature, std::move(here), {}, 1};
    for (int i = 0; i < 4; ++i) {
      fact.captures[i] = std::string(hit.captures[i].substr(0, 300));
    }
    Keep(facts.signatures, std::move(fact));
  }
};

bool RunFacts::WantsStep(const LogLine& line, int64_t iteration) const {
  for (auto it = series.rbegin(); it != series.rend(); ++it) {
    if (it->trainer == Trainer::kMegatron && it->source == line.source) {
      return iteration < it->last_iteration || it->lines % it->stride == 0;
    }
  }
  return true;
}

void RunFacts::Take(const LogLine& line, const Observation& observation) {
  if (!std::holds_alternative<ArgumentLine>(observation) &&
      !std::holds_alternative<TimerLine>(observation) &&
      !std::holds_alternative<LaunchCommand>(observation) &&
      !std::holds_alternative<NcclTestsHeader>(observation)) {
    ++meaningful;
  }
  if (!TakeNccl(line, observation)) {
    std::visit(Taker{*this, line}, observation);
  }
}

std::set<std::string> RunFacts::Hosts() const {
  std::set<std::string> hosts = test_hosts;
  for (const auto& [host, node] : nodes) {
    if (!host.empty()) {
      hosts.insert(host);
    }
  }
  for (const LogSource& source : sources) {
    if (hosts.empty() && !source.node.empty()) {
      hosts.insert(source.node);
    }
  }
  return hosts;
}

int RunFacts::NodeCount() const {
  if (nccl_nodes > 0) {
    return nccl_nodes;
  }
  int count = 0;
  for (const LaunchFact& launch : launches) {
    count = std::max(count, launch.nodes);
  }
  const int hosts = static_cast<int>(Hosts().size());
  return hosts > 1 ? std::max(count, hosts) : count;
}

const SignatureFact* RunFacts::Find(std::string_view code) const {
  const int signature = SignatureIndex(code);
  for (const SignatureFact& fact : signatures) {
    if (fact.signature == signature) {
      return &fact;
    }
  }
  return nullptr;
}

}  // namespace zs
