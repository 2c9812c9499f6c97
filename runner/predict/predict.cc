#include "runner/predict/predict.h"

#include <algorithm>
#include <cmath>

#include "runner/predict/work.h"

namespace zs {
namespace {

constexpr double kMs = 1e3;            // of a second
constexpr double kPerDoubling = 0.02;  // error of each doubling of the ranks
constexpr double kUnknownTurns =
    0.3;  // error where ranks share cores unmeasured

// How much better or worse than the profile the links are.
struct Links {
  double bandwidth = 1;
  double latency = 1;
};

// Cores' worth of speed that a rank has; 1 on GPUs.
double CoresOf(const RunConfig& config, const Placement& placement,
               const MachineProfile& profile) {
  if (profile.device != "cpu" || profile.cores <= 0) {
    return 1;
  }
  const double share = profile.cores / placement.ranks_per_node;
  const double threads = config.threads_per_rank > 0
                             ? config.threads_per_rank
                             : std::max(1.0, std::floor(share));
  const double cores = std::min(threads, share);
  return cores > 1 ? std::pow(cores, profile.core_scaling) : cores;
}

double PassMs(const PassWork& pass, double attention_tflops, double width,
              const MachineProfile& profile) {
  return kMs * (pass.gemm_flops / GemmFlops(profile, width) +
                pass.attention_flops / (attention_tflops * 1e12) +
                pass.bytes / (profile.memory_gb_s * 1e9));
}

// Calls of one kind, alone on the links, for BYTES that a rank sends.
double CommMs(const CommWork& comm, double bytes, const Placement& placement,
              const MachineProfile& profile, const Links& links) {
  const double calls = static_cast<double>(comm.calls) *
                       (comm.bytes > 0 ? bytes / comm.bytes : 1);
  double latency_us = profile.node.latency_us;
  double gb_s = profile.node.gb_s;
  if (placement.nodes > 1) {
    // A ring crosses each border once with all of a node's adapters; small
    // all-reduces go over a tree.
    const double hops = comm.op == "all_reduce" ? 2 * std::log2(placement.nodes)
                                                : placement.nodes - 1.0;
    latency_us += profile.network.latency_us * hops;
    const double node_gb_s = profile.network.gb_s * placement.ranks_per_node;
    gb_s = placement.ranks_per_node > 1 ? std::min(gb_s, node_gb_s) : node_gb_s;
  }
  // On CPUs the ranks' own cores copy and add.
  if (profile.device == "cpu" && profile.cores > 0) {
    gb_s *= std::min(1.0, profile.cores / placement.ranks_per_node);
  }
  return calls * latency_us * links.latency / 1e3 +
         bytes / (gb_s * links.bandwidth * 1e9) * kMs;
}

double AllMs(const std::vector<CommWork>& all, const Placement& placement,
             const MachineProfile& profile, const Links& links) {
  double ms = 0;
  for (const CommWork& comm : all) {
    ms += CommMs(comm, comm.bytes, placement, profile, links);
  }
  return ms;
}

double TailMs(const std::vector<CommWork>& all, const Placement& placement,
              const MachineProfile& profile, const Links& links) {
  double ms = 0;
  for (const CommWork& comm : all) {
    ms += CommMs(comm, comm.tail_bytes, placement, profile, links);
  }
  return ms;
}

// Ranks that share a core run in turns, and a collective goes on when the last
// has had its turn: a wait in each call that no computing hides, since the
// others' computing is what is waited for.
void AddTurns(const StepWork& work, double crowd, const MachineProfile& profile,
              StepPrediction& p) {
  double calls = 0;
  for (const auto* part : {&work.reduce, &work.gather}) {
    for (const CommWork& comm : *part) {
      calls += static_cast<double>(comm.calls);
    }
  }
  const double ms = calls * crowd * profile.turn_ms.value_or(0);
  p.communication_ms += ms;
  p.exposed_ms += ms;
}

// What of the communication is not hidden; the rest slows the passes.
void AddCommunication(const StepWork& work, const Placement& placement,
                      const MachineProfile& profile, const Links& links,
                      StepPrediction& p) {
  const double reduce = AllMs(work.reduce, placement, profile, links);
  const double gather = AllMs(work.gather, placement, profile, links);
  p.communication_ms = reduce + gather;
  if (!work.overlap) {
    p.exposed_ms = reduce + gather;
    return;
  }
  const auto passes = static_cast<double>(work.micro_batches);
  const double window =
      work.reduces_each ? p.backward_ms : p.backward_ms / passes;
  const double tail =
      std::min(reduce, TailMs(work.reduce, placement, profile, links));
  p.exposed_ms = tail + std::max(0.0, reduce - tail - window) +
                 std::max(0.0, gather - p.forward_ms / passes);
  p.backward_ms +=
      profile.interference * std::max(0.0, p.communication_ms - p.exposed_ms);
}

StepPrediction Once(const RunConfig& config, const StepWork& work,
                    const Placement& placement, const MachineProfile& profile,
                    const Links& links) {
  StepPrediction p;
  if (work.micro_batches == 0) {
    p.why = "global_batch " + std::to_string(config.train.global_batch) +
            " does not divide by micro_batch " +
            std::to_string(config.train.micro_batch) + " x " +
            std::to_string(placement.world_size()) + " ranks";
    return p;
  }
  const double cores = CoresOf(config, placement, profile);
  const auto passes = static_cast<double>(work.micro_batches);
  p.forward_ms =
      passes * (PassMs(work.forward, profile.attention_forward_tflops,
                       work.gemm_width, profile) /
                    cores +
                profile.pass_overhead_ms);
  p.backward_ms =
      passes * (PassMs(work.backward, profile.attention_backward_tflops,
                       work.gemm_width, profile) /
                    cores +
                profile.pass_overhead_ms);
  p.optimizer_ms =
      work.optimizer_bytes / (profile.optimizer_gb_s * 1e9) * kMs / cores;
  AddCommunication(work, placement, profile, links, p);
  AddTurns(work, CrowdOf(config, placement, profile), profile, p);
  p.other_ms = profile.overhead_ms;
  p.step_ms =
      p.forward_ms + p.backward_ms + p.optimizer_ms + p.exposed_ms + p.other_ms;
  p.tokens_per_s =
      static_cast<double>(config.train.global_batch * config.train.seq_len) /
      p.step_ms * kMs;
  return p;
}

}  // namespace

std::vector<std::pair<std::string, double>> StepPrediction::terms() const {
  if (step_ms <= 0) {
    return {};
  }
  return {{"step", step_ms},
          {"forward", forward_ms},
          {"backward", backward_ms},
          {"optimizer", optimizer_ms},
          {"exposed", exposed_ms},
          {"other", other_ms},
          {"communication", communication_ms},
          {"lo", lo_ms},
          {"hi", hi_ms},
          {"tokens_per_s", tokens_per_s}};
}

double CrowdOf(const RunConfig& config, const Placement& placement,
               const MachineProfile& profile) {
  if (profile.device != "cpu" || profile.cores <= 0) {
    return 0;
  }
  const int threads = std::max(1, static_cast<int>(config.threads_per_rank));
  return std::max(0.0, placement.ranks_per_node * threads / profile.cores - 1);
}

StepPrediction PredictStep(const RunConfig& config, const Placement& placement,
                           const MachineProfile& profile) {
  const StepWork work = WorkOf(config, placement.world_size());
  StepPrediction p = Once(config, work, placement, profile, {});
  if (p.step_ms <= 0) {
    return p;
  }
  double error = profile.error_pct / 100;
  if (CrowdOf(config, placement, profile) > 0) {
    p.note = std::to_string(placement.ranks_per_node) + " ranks share " +
             std::to_string(static_cast<int>(profile.cores)) + " cores";
    error += profile.turn_ms ? 0 : kUnknownTurns;
  }
  Links best;
  Links worst;
  if (placement.world_size() > profile.ranks_measured) {
    best = {.bandwidth = 1.1, .latency = 0.5};
    worst = {.bandwidth = 0.7, .latency = 2};
    error +=
        kPerDoubling * std::log2(static_cast<double>(placement.world_size()) /
                                 std::max(1, profile.ranks_measured));
  }
  p.lo_ms = Once(config, work, placement, profile, best).step_ms * (1 - error);
  p.hi_ms = Once(config, work, placement, profile, worst).step_ms * (1 + error);
  return p;
}

}  // namespace zs
