#include "runner/predict/extrapolate.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "engine/api/footprint.h"
#include "engine/api/layout.h"

namespace zs {
namespace {

constexpr double kKneePct = 90;
constexpr int kMostNodes = 100'000;

Status TopologyFault(std::string_view text) {
  return InvalidArgumentError(
      "--topology: '" + std::string(text) +
      "' is not allowed; allowed: nodes=N or nodes=N,ranks_per_node=M with N "
      "and M from 1 to 100000");
}

std::vector<int> SizesUpTo(int nodes) {
  std::vector<int> sizes;
  for (int n = 1; n < nodes; n *= 2) {
    sizes.push_back(n);
  }
  sizes.push_back(nodes);
  return sizes;
}

ScalingPoint PointAt(const RunConfig& config, const Placement& placement,
                     const MachineProfile& profile) {
  ScalingPoint point;
  point.placement = placement;
  point.step = PredictStep(config, placement, profile);
  point.memory_bytes =
      static_cast<double>(PredictMemory(config, placement.world_size()).total);
  return point;
}

void SetEfficiency(std::vector<ScalingPoint>& points) {
  const auto per_rank = [](const ScalingPoint& point) {
    return point.step.tokens_per_s / point.placement.world_size();
  };
  double first = 0;
  for (ScalingPoint& point : points) {
    first = first == 0 ? per_rank(point) : first;
    point.efficiency_pct = first > 0 ? 100 * per_rank(point) / first : 0;
  }
}

results::Cell Ms(const StepPrediction& step, double ms) {
  return step.step_ms > 0 ? results::NumberCell(ms, 2) : results::UnknownCell();
}

}  // namespace

Result<ClusterSize> ParseTopology(std::string_view text) {
  ClusterSize size{.nodes = 0};
  const std::map<std::string_view, int*> fields = {
      {"nodes", &size.nodes}, {"ranks_per_node", &size.ranks_per_node}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    const auto field = fields.find(part.substr(0, equals));
    if (equals == std::string_view::npos || field == fields.end()) {
      return TopologyFault(text);
    }
    const char* end = part.data() + part.size();
    const auto [stop, error] =
        std::from_chars(part.data() + equals + 1, end, *field->second);
    if (error != std::errc() || stop != end || *field->second < 1 ||
        *field->second > kMostNodes) {
      return TopologyFault(text);
    }
  }
  if (size.nodes == 0) {
    return TopologyFault(text);
  }
  return size;
}

Scaling Extrapolate(const Experiment& experiment, const ClusterSize& size,
                    bool fixed_batch, const MachineProfile& profile) {
  Scaling scaling;
  scaling.experiment = experiment.name;
  RunConfig config = EngineConfig(experiment);
  config.device = profile.device;
  const int64_t passes =
      std::max<int64_t>(1, Accumulation(config.train, experiment.world_size()));
  const int per_node = size.ranks_per_node > 0
                           ? size.ranks_per_node
                           : experiment.topology.ranks_per_node;
  for (const int nodes : SizesUpTo(size.nodes)) {
    const Placement placement{nodes, per_node};
    if (!fixed_batch) {
      config.train.global_batch =
          passes * config.train.micro_batch * placement.world_size();
    }
    scaling.points.push_back(PointAt(config, placement, profile));
  }
  SetEfficiency(scaling.points);
  for (const ScalingPoint& point : scaling.points) {
    if (scaling.knee_nodes == 0 && point.step.step_ms > 0 &&
        point.efficiency_pct < kKneePct) {
      scaling.knee_nodes = point.placement.nodes;
    }
  }
  return scaling;
}

results::Table ScalingTable(const Scaling& scaling,
                            const MachineProfile& profile) {
  results::Table table;
  table.title =
      scaling.experiment + " as profile " + profile.name + " predicts it";
  table.columns = {{"nodes", "nodes", true},
                   {"ranks", "ranks", true},
                   {"step_ms", "step ms", true},
                   {"lo_ms", "from", true},
                   {"hi_ms", "to", true},
                   {"exposed_ms", "exposed ms", true},
                   {"tokens_per_s", "tokens/s", true},
                   {"efficiency_pct", "efficiency %", true},
                   {"memory_bytes", "memory/rank", true}};
  for (const ScalingPoint& point : scaling.points) {
    const StepPrediction& step = point.step;
    table.rows.push_back(
        {results::IntCell(point.placement.nodes),
         results::IntCell(point.placement.world_size()), Ms(step, step.step_ms),
         Ms(step, step.lo_ms), Ms(step, step.hi_ms), Ms(step, step.exposed_ms),
         step.step_ms > 0 ? results::NumberCell(step.tokens_per_s, 0)
                          : results::UnknownCell(),
         Ms(step, point.efficiency_pct),
         results::BytesCell(static_cast<int64_t>(point.memory_bytes))});
    if (!step.why.empty()) {
      table.notes.push_back(std::to_string(point.placement.nodes) +
                            " nodes: " + step.why);
    }
  }
  table.notes.push_back(
      scaling.knee_nodes > 0
          ? "the knee: below 90% of one node's speed per rank from " +
                std::to_string(scaling.knee_nodes) + " nodes on"
          : "no knee: every size keeps 90% of one node's speed per rank");
  table.notes.push_back("from runs of up to " +
                        std::to_string(profile.ranks_measured) +
                        " ranks: " + profile.source);
  if (profile.network_assumed && scaling.points.back().placement.nodes > 1) {
    table.notes.push_back("the network is assumed, not measured: " +
                          results::NumberCell(profile.network.gb_s, 1).text +
                          " GB/s for each rank (--network-gb-s)");
  }
  return table;
}

Json ScalingJson(const std::vector<Scaling>& all,
                 const MachineProfile& profile) {
  Json experiments = Json::array();
  for (const Scaling& scaling : all) {
    Json points = Json::array();
    for (const ScalingPoint& point : scaling.points) {
      Json json = {{"nodes", point.placement.nodes},
                   {"ranks", point.placement.world_size()},
                   {"efficiency_pct", point.efficiency_pct},
                   {"memory_bytes", point.memory_bytes},
                   {"why", point.step.why}};
      for (const auto& [term, value] : point.step.terms()) {
        json[term] = value;
      }
      points.push_back(std::move(json));
    }
    experiments.push_back({{"experiment", scaling.experiment},
                           {"knee_nodes", scaling.knee_nodes},
                           {"points", std::move(points)}});
  }
  return {{"profile", profile.name},
          {"network_assumed", profile.network_assumed},
          {"experiments", std::move(experiments)}};
}

}  // namespace zs
