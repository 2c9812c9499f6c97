#include "runner/plan/spec/consistency.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/step_range.h"
#include "runner/plan/spec/graph.h"
#include "runner/plan/spec/pattern.h"

namespace zs {
namespace {

// Adds faults of one experiment.
class Checker {
 public:
  Checker(const Experiment& experiment, const Place& place,
          std::vector<Fault>& faults)
      : experiment_(experiment), place_(place), faults_(faults) {}

  void Parallelism();
  void Batch();
  void EngineRules();
  void Reach();
  void Checkpoints();
  void Expectations();
  void Collectives();
  void Command();
  void Megatron();
  void Comparing();

 private:
  void Pattern(std::string_view field, const std::string& pattern);

  void Add(std::string_view path, std::string message) {
    faults_.push_back(
        {place_.ToString() + "." + std::string(path), std::move(message)});
  }

  bool trains() const {
    return experiment_.backend == Backend::kEngine ||
           experiment_.backend == Backend::kMegatron;
  }

  const Experiment& experiment_;
  const Place& place_;
  std::vector<Fault>& faults_;
};

std::string Text(int64_t number) {
  return std::to_string(number);
}

// Tensor and pipeline parallel groups must fill the ranks.
void Checker::Parallelism() {
  if (!experiment_.megatron) {
    return;
  }
  const int64_t group = int64_t{experiment_.megatron->tensor_parallel} *
                        experiment_.megatron->pipeline_parallel;
  if (experiment_.world_size() % group != 0) {
    Add("megatron.tensor_parallel", "tensor x pipeline parallel size " +
                                        Text(group) + " does not divide the " +
                                        Text(experiment_.world_size()) +
                                        " ranks");
  }
}

void Checker::Batch() {
  const TrainConfig& train = experiment_.train;
  const int64_t ranks = DataParallelSize(experiment_);
  if (!trains() || ranks == 0 ||
      train.global_batch % (train.micro_batch * ranks) == 0) {
    return;
  }
  Add("train.micro_batch", Text(train.micro_batch) + " x " + Text(ranks) +
                               " ranks does not divide global_batch " +
                               Text(train.global_batch));
}

// The engine's own rules; where the batch is wrong already, not that again.
void Checker::EngineRules() {
  if (experiment_.backend != Backend::kEngine) {
    return;
  }
  RunConfig config = EngineConfig(experiment_);
  config.checkpoint.save_dir = "run";  // the run decides it
  const int64_t micro_batch = std::max<int64_t>(1, config.train.micro_batch);
  const bool batch_known = config.train.global_batch % micro_batch != 0;
  for (const std::string& fault : Faults(config)) {
    const size_t colon = fault.find(": ");
    const std::string path = fault.substr(0, colon);
    if (batch_known && path == "train.micro_batch") {
      continue;
    }
    Add(path, colon == std::string::npos ? "wrong" : fault.substr(colon + 2));
  }
}

void Checker::Reach() {
  const auto& nodes = experiment_.topology.nodes;
  const auto& reach = experiment_.topology.reach;
  const bool has_host =
      std::any_of(reach.begin(), reach.end(), [](const std::string& word) {
        return word.find("{host}") != std::string::npos;
      });
  if (nodes.size() > 1 && !has_host) {
    Add("topology.reach", Text(static_cast<int64_t>(nodes.size())) +
                              " nodes, but no word of it has \"{host}\": all "
                              "of them would be one machine");
  }
}

// Repeats, and what is compared of them.
void Checker::Comparing() {
  const std::string& window = experiment_.compare.window;
  if (!window.empty() && !ParseStepRange(window)) {
    Add("compare.window", "'" + window +
                              "' is not allowed; allowed: FIRST-LAST, such as "
                              "35-44");
  }
  const UntilPlan& until = experiment_.until;
  if (until.max != 0 && until.max < experiment_.repeats) {
    Add("until.max",
        Text(until.max) + " is less than repeats " + Text(experiment_.repeats));
  }
  if (experiment_.sentinel && !experiment_.needs.empty()) {
    Add("sentinel",
        "a sentinel runs first and so needs nothing; leave out "
        "`needs`");
  }
  if (experiment_.sentinel && experiment_.repeats > 1) {
    Add("sentinel", "a sentinel runs three times a sweep; leave out `repeats`");
  }
}

void Checker::Checkpoints() {
  const CheckpointPlan& checkpoint = experiment_.checkpoint;
  if (checkpoint.verify_load && !checkpoint.save_at_end &&
      checkpoint.save_every == 0) {
    Add("checkpoint.verify_load",
        "nothing is saved; set save_at_end or save_every");
  }
}

void Checker::Expectations() {
  const Expect& expect = experiment_.expect;
  if (expect.world_size && *expect.world_size != experiment_.world_size()) {
    Add("expect.world_size",
        Text(*expect.world_size) + " is expected, but " +
            Text(static_cast<int64_t>(experiment_.topology.nodes.size())) +
            " nodes x " + Text(experiment_.topology.ranks_per_node) +
            " ranks give " + Text(experiment_.world_size()));
  }
  if (expect.min_busbw_gb_s && experiment_.backend != Backend::kCollectives) {
    Add("expect.min_busbw_gb_s", "only backend \"collectives\" measures it");
  }
}

void Checker::Collectives() {
  const auto& spec = experiment_.collectives;
  if (spec && spec->min_bytes > spec->max_bytes) {
    Add("collectives.min_bytes", Text(spec->min_bytes) +
                                     " is more than max_bytes " +
                                     Text(spec->max_bytes));
  }
  if (experiment_.backend == Backend::kCollectives &&
      experiment_.device == "cuda" && experiment_.world_size() == 1) {
    Add("topology.ranks_per_node",
        "1 rank in all has no other GPU to exchange anything with; backend "
        "\"collectives\" on device \"cuda\" needs at least 2");
  }
}

// An expression that finds one figure.
void Checker::Pattern(std::string_view field, const std::string& pattern) {
  if (pattern.empty()) {
    return;
  }
  const std::string path = "command." + std::string(field);
  const std::string fault = PatternFault(pattern);
  if (!fault.empty()) {
    Add(path, "'" + pattern + "': " + fault);
  }
}

void Checker::Command() {
  if (!experiment_.command) {
    return;
  }
  const CommandSpec& spec = *experiment_.command;
  if (spec.argv.empty()) {
    Add("command.argv", "missing; the program and its arguments");
  }
  Pattern("step_pattern", spec.step_pattern);
  Pattern("step_ms_pattern", spec.step_ms_pattern);
  Pattern("tokens_pattern", spec.tokens_pattern);
  Pattern("loss_pattern", spec.loss_pattern);
  const bool others = !spec.step_ms_pattern.empty() ||
                      !spec.tokens_pattern.empty() ||
                      !spec.loss_pattern.empty();
  if (spec.step_pattern.empty() && others) {
    Add("command.step_pattern",
        "missing; figures belong to steps, so it must say where these stand");
  }
}

void Checker::Megatron() {
  if (!experiment_.megatron) {
    return;
  }
  const MegatronSpec& spec = *experiment_.megatron;
  if (spec.script.ends_with(".sh") && !spec.own_script) {
    Add("megatron.own_script",
        "false, but torchrun cannot start the shell script '" + spec.script +
            "'; true starts it once a node, with NNODES, NPROC_PER_NODE, "
            "NODE_RANK, MASTER_ADDR, MASTER_PORT and ZERO_STAGE");
  }
}

void AddTwice(const Sweep& sweep, size_t i, size_t first,
              std::vector<Fault>& faults) {
  const Place root;
  faults.push_back(
      {Place(root, "experiments", i, sweep.experiments[i].name).ToString() +
           ".name",
       "stands twice; experiments[" + std::to_string(first) + "] has it too"});
}

// Reports needs that name nothing. The nearest name is looked up for the first
// hundred alone, since each look costs all names.
void AddUnknownNeeds(const Sweep& sweep, const NameIndex& index,
                     std::vector<Fault>& faults) {
  const Place root;
  std::vector<std::string_view> names;
  size_t found = 0;
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    const Experiment& experiment = sweep.experiments[i];
    for (size_t need = 0; need < experiment.needs.size(); ++need) {
      const std::string& name = experiment.needs[need];
      if (index.contains(name)) {
        continue;
      }
      if (names.empty()) {
        for (const Experiment& other : sweep.experiments) {
          names.push_back(other.name);
        }
      }
      const Place place(root, "experiments", i, experiment.name);
      faults.push_back({Place(place, "needs", need, "").ToString(),
                        "no experiment is named '" + name + "'" +
                            (++found <= 100 ? DidYouMean(name, names) : "")});
    }
  }
}

void AddCycles(const Sweep& sweep, std::vector<Fault>& faults) {
  const Place root;
  for (const auto& cycle : FindCycles(sweep)) {
    std::string path;
    for (size_t i = 0; i < cycle.size() && i < 10; ++i) {
      path += sweep.experiments[cycle[i]].name + " -> ";
    }
    path += cycle.size() > 10 ? "... -> " : "";
    path += sweep.experiments[cycle[0]].name;
    const Place place(root, "experiments", cycle[0],
                      sweep.experiments[cycle[0]].name);
    faults.push_back(
        {Place(place, "needs").ToString(), "needs itself: " + path});
  }
}

}  // namespace

void CheckConsistency(const Experiment& experiment, const Place& place,
                      std::vector<Fault>& faults) {
  Checker checker(experiment, place, faults);
  checker.Parallelism();
  checker.Batch();
  checker.EngineRules();
  checker.Reach();
  checker.Checkpoints();
  checker.Expectations();
  checker.Collectives();
  checker.Command();
  checker.Megatron();
  checker.Comparing();
}

void CheckGraph(const Sweep& sweep, std::vector<Fault>& faults) {
  NameIndex index;
  bool all_excluded = !sweep.experiments.empty();
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    const Experiment& experiment = sweep.experiments[i];
    all_excluded &= !experiment.exclude.empty();
    if (experiment.name.empty()) {
      continue;  // reported when it was read
    }
    const auto [it, added] = index.emplace(experiment.name, i);
    if (!added) {
      AddTwice(sweep, i, it->second, faults);
    }
  }
  AddUnknownNeeds(sweep, index, faults);
  AddCycles(sweep, faults);
  if (all_excluded) {
    faults.push_back({"experiments",
                      "every experiment is excluded; nothing is left to run"});
  }
}

}  // namespace zs
