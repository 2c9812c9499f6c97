#include "runner/observe/diagnose/facts.h"

#include <algorithm>
#include <cmath>

#include "runner/observe/catalogue/signature.h"
#include "runner/observe/diagnose/line_ref.h"

namespace zs {
namespace {

constexpr size_t kMaxSteps = 400'000;  // of a run, about 45 MiB
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
  RunFacts& facts;
  const LogLine& line;

  LineRef Here() const { return MakeLineRef(facts.sources, line); }

  template <typename T>
  void Keep(std::vector<T>& all, T value) const {
    if (all.size() < kMaxKept) {
      all.push_back(std::move(value));
    }
  }

  // Remembers the line as the first of its KIND on NODE.
  void Note(NodeFacts& node, std::string_view kind) const {
    if (node.lines.find(kind) == node.lines.end()) {
      node.lines.emplace(kind, Here());
    }
  }

  StepSeries& SeriesFor(const TrainStep& step) const {
    for (auto it = facts.series.rbegin(); it != facts.series.rend(); ++it) {
      if (it->trainer != step.trainer || it->source != line.source) {
        continue;
      }
      const bool restarted =
          !it->steps.empty() && step.iteration < it->steps.back().iteration;
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
    if (!series.steps.empty() &&
        series.steps.back().iteration == step.iteration) {
      StepFact& last = series.steps.back();  // a second line of this step
      Fill(last.step_ms, step.step_ms);
      Fill(last.loss, step.loss);
      Fill(last.tokens_per_s_per_gpu, step.printed_tokens_per_s_per_gpu);
      return;
    }
    if (series.steps.size() >= kMaxSteps) {
      ++series.dropped;
      return;
    }
    series.steps.push_back(ToFact(step, line.number));
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
         CheckpointFact{checkpoint.action, checkpoint.iteration, Here()});
  }

  void operator()(const ValidationLine& validation) const {
    if (facts.validations.size() < 65'536) {
      facts.validations.push_back(validation.iteration);
    }
  }

  void operator()(const EndLine& end) const {
    facts.end = std::make_pair(end.reason, Here());
  }

  void operator()(const NcclWarning& warning) const {
    facts.Node(warning.from, line);
    Keep(facts.nccl_warnings, Here());
  }

  void operator()(const NcclVersion& version) const {
    NodeFacts& node = facts.Node(version.from, line);
    if (node.versions.size() < 16) {
      node.versions.emplace(version.version);
    }
    Note(node, "version");
  }

  void operator()(const NcclSetting& setting) const {
    NodeFacts& node = facts.Node(setting.from, line);
    if (node.settings.size() < kMaxKept) {
      node.settings.emplace(setting.name, setting.value);
    }
    if (node.lines.size() < kMaxKept) {
      Note(node, setting.name);
    }
  }

  void operator()(const NcclBootstrap& bootstrap) const {
    NodeFacts& node = facts.Node(bootstrap.from, line);
    std::pair<std::string, std::string> entry(bootstrap.interface,
                                              bootstrap.address);
    if (node.bootstraps.size() < 64 &&
        std::find(node.bootstraps.begin(), node.bootstraps.end(), entry) ==
            node.bootstraps.end()) {
      node.bootstraps.push_back(std::move(entry));
    }
    Note(node, "bootstrap");
  }

  void operator()(const NcclNetwork& network) const {
    NodeFacts& node = facts.Node(network.from, line);
    if (!network.network.empty() && node.networks.size() < 16) {
      node.networks.emplace(network.network);
      Note(node, "network");
    }
    if (!network.plugin.empty() && node.plugins.size() < 16) {
      node.plugins.emplace(network.plugin);
      Note(node, "plugin");
    }
  }

  void operator()(const NcclInterfaces& interfaces) const {
    NodeFacts& node = facts.Node(interfaces.from, line);
    node.interfaces = interfaces.list.substr(0, 1000);
    Note(node, "interfaces");
  }

  void operator()(const NcclHcas& hcas) const {
    NodeFacts& node = facts.Node(hcas.from, line);
    if (hcas.none_found) {
      node.rdma_missing = true;
      Note(node, "rdma_missing");
    } else if (hcas.count > 0) {
      node.hcas = std::max(node.hcas, hcas.count);
      node.roce = node.roce || hcas.roce;
      if (node.hca_lists.size() < 16) {
        node.hca_lists.emplace(hcas.list);
      }
      Note(node, "hcas");
    }
  }

  void operator()(const NcclHcaSpeed& speed) const {
    NodeFacts& node = facts.Node(speed.from, line);
    if (node.hca_speeds.size() < 64) {
      node.hca_speeds.emplace(speed.device, speed.mbit_per_s);
    }
    Note(node, "speed");
  }

  void operator()(const NcclGdr& gdr) const {
    NodeFacts& node = facts.Node(gdr.from, line);
    ++(gdr.enabled ? node.gdr_enabled : node.gdr_disabled);
    Note(node, gdr.enabled ? "gdr_enabled" : "gdr_disabled");
  }

  void operator()(const NcclMtu& mtu) const {
    NodeFacts& node = facts.Node(mtu.from, line);
    if (mtu.roce && mtu.mtu > 0 &&
        (node.smallest_mtu < 0 || mtu.mtu < node.smallest_mtu)) {
      node.smallest_mtu = mtu.mtu;
      Note(node, "mtu");
    }
  }

  void operator()(const NcclChannel& channel) const {
    NodeFacts& node = facts.Node(channel.from, line);
    switch (channel.transport) {
      case Transport::kP2p:
        ++node.channels_p2p;
        break;
      case Transport::kShm:
        if (node.channels_shm++ == 0) {
          Note(node, "shm");
        }
        break;
      case Transport::kNet:
        ++node.channels_net[std::string(channel.network.substr(0, 64))];
        if (channel.gdr) {
          ++node.channels_gdr;
        } else {
          Note(node, "net");
        }
        break;
      default:
        break;
    }
  }

  void operator()(const NcclInit& init) const {
    facts.Node(init.from, line);
    std::string key(init.comm_id.substr(0, 64));
    if (key.empty() || init.rank < 0 || init.rank > kMaxRank) {
      return;
    }
    if (facts.communicators.size() >= kMaxNodes &&
        facts.communicators.find(key) == facts.communicators.end()) {
      return;
    }
    CommunicatorFacts& comm = facts.communicators[std::move(key)];
    if (comm.at.line == 0) {
      comm.at = Here();
    }
    comm.ranks = init.ranks;
    facts.nccl_ranks = std::max(facts.nccl_ranks, init.ranks);
    if (init.phase == InitPhase::kStart && comm.started.size() < 65'536) {
      comm.started.insert(init.rank);
    } else if (init.phase == InitPhase::kComplete) {
      comm.completed.insert(init.rank);
    }
  }

  void operator()(const NcclTopology& topology) const {
    facts.Node(topology.from, line);
    facts.nccl_nodes = std::max(facts.nccl_nodes, topology.nodes);
    facts.nccl_ranks = std::max(facts.nccl_ranks, topology.ranks);
  }

  void operator()(const NcclInitTime& time) const {
    facts.Node(time.from, line);
    if (!(time.total_s <= facts.init_s)) {
      facts.init_s = time.total_s;
      facts.init_kernels_s = time.kernels_s;
      facts.init_at = Here();
    }
  }

  void operator()(const NcclDriver& driver) const {
    NodeFacts& node = facts.Node(driver.from, line);
    if (node.drivers.size() < 16) {
      node.drivers.insert(driver.cuda_version);
    }
    Note(node, "driver");
  }

  void operator()(const NcclNvls& nvls) const {
    NodeFacts& node = facts.Node(nvls.from, line);
    node.nvls = node.nvls || nvls.available;
  }

  void operator()(const NcclOther& other) const {
    facts.Node(other.from, line);
  }

  void operator()(const BandwidthRow& row) const {
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

NodeFacts& RunFacts::Node(const NcclSpeaker& from, const LogLine& line) {
  std::string_view host = from.host;
  if (host.empty() && line.source < static_cast<int>(sources.size())) {
    host = sources[line.source].node;
  }
  if (last_node_ != nullptr && host == last_host_) {
    return *last_node_;
  }
  auto it = nodes.find(host);
  if (it == nodes.end()) {
    if (nodes.size() >= kMaxNodes) {
      host = {};
    }
    it = nodes.try_emplace(std::string(host)).first;
    it->second.first_order = static_cast<int64_t>(nodes.size());
  }
  last_host_ = it->first;
  last_node_ = &it->second;
  return *last_node_;
}

void RunFacts::Take(const LogLine& line, const Observation& observation) {
  if (!std::holds_alternative<ArgumentLine>(observation) &&
      !std::holds_alternative<TimerLine>(observation) &&
      !std::holds_alternative<NcclTestsHeader>(observation)) {
    ++meaningful;
  }
  std::visit(Taker{*this, line}, observation);
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
