#include "runner/plan/describe.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/api/layout.h"

namespace zs {
namespace {

bool Trains(const Experiment& experiment) {
  return experiment.backend == Backend::kEngine ||
         experiment.backend == Backend::kMegatron;
}

bool HasModel(const Experiment& experiment) {
  return Trains(experiment) && experiment.model.layers > 0;
}

// Computes figures that depend on the model and the shape once for each.
class Memo {
 public:
  explicit Memo(MemoryPredictor predict) : predict_(predict) {}

  void Fill(const Experiment& experiment, Derived* derived) {
    Figures& figures = known_[Shape(experiment)];
    if (!figures.known) {
      figures.known = true;
      figures.parameters = ParameterCount(experiment.model);
      if (experiment.backend == Backend::kEngine) {
        figures.memory =
            predict_(EngineConfig(experiment), derived->world_size);
      }
    }
    derived->parameters = figures.parameters;
    derived->memory = figures.memory;
  }

 private:
  struct Figures {
    bool known = false;
    int64_t parameters = 0;
    MemoryBytes memory;
  };

  // All that memory may depend on, as text. The engine's configuration is
  // taken whole but for what differs between any two experiments.
  static std::string Shape(const Experiment& experiment) {
    TrainConfig train = experiment.train;
    train.seed = 0;
    train.lr = 0;
    return std::to_string(experiment.world_size()) + '/' +
           std::to_string(experiment.topology.ranks_per_node) + '/' +
           std::to_string(experiment.threads_per_rank) +
           std::string(BackendName(experiment.backend)) + experiment.device +
           DumpJson(ToJson(experiment.model)) + DumpJson(ToJson(train));
  }

  MemoryPredictor predict_;
  std::unordered_map<std::string, Figures> known_;
};

Derived Derive(const Experiment& experiment, Memo* memo) {
  Derived derived;
  derived.world_size = experiment.world_size();
  if (!Trains(experiment)) {
    return derived;
  }
  const TrainConfig& train = experiment.train;
  derived.accumulation = Accumulation(train, DataParallelSize(experiment));
  derived.tokens_per_step = train.global_batch * train.seq_len;
  if (HasModel(experiment)) {
    memo->Fill(experiment, &derived);
  }
  return derived;
}

Json MemoryJson(const MemoryBytes& memory) {
  return {{"parameters", memory.parameters},
          {"gradients", memory.gradients},
          {"optimizer", memory.optimizer},
          {"activations", memory.activations},
          {"logits", memory.logits},
          {"workspace", memory.workspace},
          {"communication", memory.communication},
          {"total", memory.total}};
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// NUMBER with three significant digits and UNIT.
std::string Scaled(double number, std::string_view unit) {
  char text[32];
  std::snprintf(text, sizeof text,
                number < 9.995   ? "%.2f"
                : number < 99.95 ? "%.1f"
                                 : "%.0f",
                number);
  return text + std::string(unit);
}

// A cell that is empty where nothing is known.
std::string BytesCell(int64_t bytes) {
  return bytes == 0 ? "" : ShortBytes(bytes);
}

std::string NumberCell(int64_t number) {
  return number == 0 ? "" : std::to_string(number);
}

std::string MsCell(double ms) {
  return ms > 0 ? Scaled(ms, "") : "";
}

Json StepJson(const Derived& derived) {
  Json json = {{"profile", derived.profile}};
  for (const auto& [term, value] : derived.step.terms()) {
    json[term] = value;
  }
  return json;
}

using Row = std::vector<std::string>;

Row PlanCells(const Experiment& experiment, const PlanRow& row) {
  const Derived& derived = row.derived;
  const bool trains = Trains(experiment);
  const std::string_view cause = SkipCauseName(row.decision.cause);
  std::string action(ActionName(row.decision.action));
  if (row.decision.action == Action::kRun && experiment.repeats > 1) {
    action += " x" + std::to_string(experiment.repeats);
  }
  if (!cause.empty()) {
    action += " (" + std::string(cause) + ")";
  }
  return {experiment.name,
          action,
          trains ? std::to_string(experiment.train.zero_stage) : "",
          std::to_string(derived.world_size),
          NumberCell(trains ? experiment.train.micro_batch : 0),
          NumberCell(derived.accumulation),
          NumberCell(derived.tokens_per_step),
          derived.parameters == 0 ? "" : ShortCount(derived.parameters),
          Joined(experiment.needs),
          row.decision.reason};
}

// Empty where nothing was predicted.
Row MemoryCells(const Experiment& experiment, const PlanRow& row) {
  const MemoryBytes& memory = row.derived.memory;
  if (memory.total <= 0) {
    return {};
  }
  // What is left: workspace, communication, and what a GPU's driver keeps.
  const int64_t named = memory.parameters + memory.gradients +
                        memory.optimizer + memory.activations + memory.logits;
  return {experiment.name,
          BytesCell(memory.parameters),
          BytesCell(memory.gradients),
          BytesCell(memory.optimizer),
          BytesCell(memory.activations + memory.logits),
          BytesCell(memory.total - named),
          BytesCell(memory.total)};
}

// Empty where nothing was predicted.
Row StepCells(const Experiment& experiment, const PlanRow& row) {
  const StepPrediction& step = row.derived.step;
  if (step.step_ms <= 0) {
    return {};
  }
  return {experiment.name,
          MsCell(step.step_ms),
          MsCell(step.lo_ms) + "-" + MsCell(step.hi_ms),
          MsCell(step.exposed_ms),
          ShortCount(static_cast<int64_t>(step.tokens_per_s)),
          step.note};
}

struct PlanColumn {
  const char* name;
  bool is_number = true;
};
constexpr PlanColumn kPlanColumns[] = {
    {"name", false},  {"action", false}, {"zero"},        {"ranks"},
    {"micro"},        {"accum"},         {"tokens/step"}, {"parameters"},
    {"needs", false}, {"why", false}};
constexpr PlanColumn kMemoryColumns[] = {
    {"name", false}, {"parameters"},      {"gradients"}, {"optimizer"},
    {"activations"}, {"buffers, driver"}, {"in all"}};
constexpr PlanColumn kStepColumns[] = {{"name", false}, {"step ms"},
                                       {"between"},     {"exposed ms"},
                                       {"tokens/s"},    {"note", false}};

TextTable TableOf(std::string title, std::span<const PlanColumn> columns,
                  Row (*cells)(const Experiment&, const PlanRow&),
                  const Sweep& sweep, const std::vector<PlanRow>& rows) {
  TextTable table;
  table.title = std::move(title);
  for (const PlanColumn& column : columns) {
    table.columns.emplace_back(column.name);
    table.is_number.push_back(column.is_number);
  }
  table.rows.reserve(rows.size());
  for (const PlanRow& row : rows) {
    if (Row line = cells(sweep.experiments[row.index], row); !line.empty()) {
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

}  // namespace

std::vector<Derived> DeriveAll(const Sweep& sweep, MemoryPredictor predict) {
  Memo memo(predict);
  std::vector<Derived> all;
  all.reserve(sweep.experiments.size());
  for (const Experiment& experiment : sweep.experiments) {
    all.push_back(Derive(experiment, &memo));
  }
  return all;
}

std::string DoesNotFit(const Experiment& experiment, const Derived& derived,
                       const NodeMemory& node) {
  const int64_t total = derived.memory.total;
  if (experiment.device == "cuda") {
    return node.gpu_bytes == 0 || total <= node.gpu_bytes
               ? ""
               : "a rank needs " + ShortBytes(total) + ", a GPU has " +
                     ShortBytes(node.gpu_bytes);
  }
  const int ranks = experiment.topology.ranks_per_node;
  // Divided, since the product could overflow.
  if (node.host_bytes == 0 || total <= node.host_bytes / ranks) {
    return "";
  }
  return std::to_string(ranks) + " ranks a node x " + ShortBytes(total) +
         " is more than its " + ShortBytes(node.host_bytes);
}

std::vector<PlanRow> PlanRows(const Graph& graph,
                              const std::vector<Decision>& decisions,
                              const std::vector<Derived>& derived) {
  std::vector<PlanRow> rows;
  rows.reserve(graph.order.size());
  for (const size_t i : graph.order) {
    rows.push_back(
        {.index = i, .decision = decisions[i], .derived = derived[i]});
  }
  return rows;
}

std::vector<TextTable> PlanTables(const Sweep& sweep,
                                  const std::vector<PlanRow>& rows) {
  std::vector<TextTable> tables = {
      TableOf(sweep.name, kPlanColumns, &PlanCells, sweep, rows),
      TableOf("memory of a rank, predicted", kMemoryColumns, &MemoryCells,
              sweep, rows),
      TableOf("a step, predicted", kStepColumns, &StepCells, sweep, rows)};
  tables.erase(
      std::remove_if(tables.begin() + 1, tables.end(),
                     [](const TextTable& table) { return table.rows.empty(); }),
      tables.end());
  return tables;
}

Json PlanJson(const Sweep& sweep, const std::vector<PlanRow>& rows) {
  Json experiments = Json::array();
  for (const PlanRow& row : rows) {
    const Experiment& experiment = sweep.experiments[row.index];
    Json json = {{"name", experiment.name},
                 {"action", ActionName(row.decision.action)},
                 {"cause", SkipCauseName(row.decision.cause)},
                 {"reason", row.decision.reason},
                 {"repeats", experiment.repeats},
                 {"backend", BackendName(experiment.backend)},
                 {"device", experiment.device},
                 {"needs", experiment.needs},
                 {"nodes", experiment.topology.nodes},
                 {"world_size", row.derived.world_size}};
    if (Trains(experiment)) {
      json["zero_stage"] = experiment.train.zero_stage;
      json["micro_batch"] = experiment.train.micro_batch;
      json["global_batch"] = experiment.train.global_batch;
      json["accumulation"] = row.derived.accumulation;
      json["tokens_per_step"] = row.derived.tokens_per_step;
    }
    if (row.derived.parameters > 0) {
      json["parameters"] = row.derived.parameters;
    }
    if (row.derived.memory.total > 0) {
      json["mem_predicted_bytes"] = MemoryJson(row.derived.memory);
    }
    if (row.derived.step.step_ms > 0) {
      json["step_predicted"] = StepJson(row.derived);
    }
    experiments.push_back(std::move(json));
  }
  return {{"sweep", sweep.name}, {"experiments", std::move(experiments)}};
}

std::string ShortCount(int64_t count) {
  const auto number = static_cast<double>(count);
  if (count < 1000) {
    return std::to_string(count);
  }
  return number < 999.5e3   ? Scaled(number / 1e3, "k")
         : number < 999.5e6 ? Scaled(number / 1e6, "M")
                            : Scaled(number / 1e9, "B");
}

std::string ShortBytes(int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  const double kib = number / 1024;
  return kib < 999.5                 ? Scaled(kib, " KiB")
         : kib / 1024 < 999.5        ? Scaled(kib / 1024, " MiB")
         : kib / 1024 / 1024 < 999.5 ? Scaled(kib / 1048576, " GiB")
                                     : Scaled(kib / 1073741824, " TiB");
}

}  // namespace zs
