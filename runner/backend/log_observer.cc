#include "runner/backend/log_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "base/json.h"
#include "base/strings.h"
#include "runner/observe/diagnose/step_mark.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 10;
constexpr double kMib = 1024.0 * 1024.0;

std::optional<double> Known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<int> KnownInt(int value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

// Whether OBSERVATION says that the run goes on though no step is done.
bool IsSignOfLife(const Observation& observation) {
  return std::holds_alternative<CheckpointLine>(observation) ||
         std::holds_alternative<ValidationLine>(observation) ||
         std::holds_alternative<EndLine>(observation);
}

// An expression of the experiment and the figure that it finds.
struct Expression {
  const char* field;
  std::string CommandSpec::*pattern;
  bool (*told)(const results::StepRow&);
};

constexpr Expression kExpressions[] = {
    {"step_ms_pattern", &CommandSpec::step_ms_pattern,
     [](const results::StepRow& row) { return row.step_ms.has_value(); }},
    {"tokens_pattern", &CommandSpec::tokens_pattern,
     [](const results::StepRow& row) { return row.tokens.has_value(); }},
    {"loss_pattern", &CommandSpec::loss_pattern,
     [](const results::StepRow& row) { return row.loss.has_value(); }},
};

// The expressions of SPEC that found nothing at the last of STEPS.
std::vector<std::string> NotFound(const CommandSpec& spec,
                                  const std::vector<results::StepRow>& steps) {
  std::vector<std::string> missing;
  for (const Expression& expression : kExpressions) {
    if (steps.empty() || (spec.*expression.pattern).empty() ||
        expression.told(steps.back())) {
      continue;
    }
    const bool ever = std::any_of(steps.begin(), steps.end(), expression.told);
    missing.push_back(
        std::string("command.") + expression.field + " matched no " +
        (ever ? "number at the last step, " + std::to_string(steps.back().step)
              : std::string("line with a number")));
  }
  return missing;
}

int64_t SequenceOf(const RunFacts& facts) {
  const auto it = facts.arguments.find("seq_length");
  return it == facts.arguments.end() ? 0 : std::atoll(it->second.c_str());
}

}  // namespace

void LogObserver::Begin(const RunRequest& request) {
  live_ = true;
  for (const NodeRequest& node : request.nodes) {
    for (const RankRequest& process : node.ranks) {
      node_of_[process.rank] = node.name;
    }
  }
  watch_.Begin(request, /*tell_commands=*/true);
}

void LogObserver::BeginFiles(std::vector<LogSource> sources) {
  watch_.BeginFiles(std::move(sources));
}

void LogObserver::OnOutput(const OutputChunk& chunk, RunProgress& progress) {
  progress_ = &progress;
  process_ = chunk.rank;
  watch_.Feed(chunk);
  if (reading_.figures.has_value()) {
    FindFigures(chunk);
  }
  progress_ = nullptr;
}

void LogObserver::OnRankExit(const RankExit& exit, RunProgress& progress) {
  progress_ = &progress;
  process_ = exit.rank;
  watch_.Finish(exit.rank);
  for (auto& [key, lines] : streams_) {
    if (key.first == exit.rank) {
      const OutputStream stream = key.second;
      lines.Finish([&](std::string_view line) {
        FindFiguresIn(exit.rank, stream, line);
      });
    }
  }
  progress_ = nullptr;
}

StepTeller LogObserver::TellerOf(int process, std::string_view line) const {
  if (!live_) {
    return {0, -1};
  }
  if (reading_.role == ProcessRole::kRank) {
    return {process, -1};
  }
  const Prefix prefix = ParsePrefix(line);
  return {process, prefix.local_rank >= 0 ? prefix.local_rank : prefix.rank};
}

std::string LogObserver::NameOf(const StepTeller& teller) const {
  if (reading_.role == ProcessRole::kRank) {
    return "rank " + std::to_string(teller.first);
  }
  const auto node = node_of_.find(teller.first);
  const std::string where =
      node == node_of_.end() ? std::to_string(teller.first) : node->second;
  return teller.second < 0
             ? "node " + where
             : "rank " + std::to_string(teller.second) + " of node " + where;
}

void LogObserver::FindFigures(const OutputChunk& chunk) {
  LineSplitter& lines = streams_
                            .try_emplace(StreamKey(chunk.rank, chunk.stream),
                                         LineSplitter(kMaxLineBytes))
                            .first->second;
  if (chunk.dropped_bytes > 0) {
    lines.Break();
  }
  lines.Add(chunk.bytes, [&](std::string_view line) {
    FindFiguresIn(chunk.rank, chunk.stream, line);
  });
}

void LogObserver::FindFiguresIn(int process, OutputStream stream,
                                std::string_view line) {
  const StepTeller teller = TellerOf(process, line);
  auto figures = figures_.find(FiguresKey(teller, stream));
  if (figures == figures_.end()) {
    figures =
        figures_
            .emplace(FiguresKey(teller, stream), LineFigures(*reading_.figures))
            .first;
  }
  if (auto step = figures->second.Take(line)) {
    TakeStep(teller, std::move(*step));
  }
}

void LogObserver::TakeStep(const StepTeller& teller, results::StepRow row) {
  const int64_t before = tellers_.last_step();
  const bool is_new = tellers_.Take(teller, std::move(row));
  if (progress_ != nullptr && tellers_.last_step() > before) {
    progress_->StepDone(tellers_.last_step());
  }
  if (is_new) {
    on_step_(tellers_.rows().back());
  }
}

// The steps, and what they lack.
void LogObserver::TakeFromSteps() {
  record_.steps = std::move(tellers_.rows());
  record_.replaced = tellers_.replaced();
  if (const auto apart = tellers_.Apart()) {
    const auto& [least, most] = *apart;
    record_.missing.push_back(NameOf(least.first) + " ended with step " +
                              std::to_string(least.second) + ", " +
                              NameOf(most.first) + " with step " +
                              std::to_string(most.second));
  }
  if (reading_.figures.has_value()) {
    for (std::string& missing : NotFound(*reading_.figures, record_.steps)) {
      record_.missing.push_back(std::move(missing));
    }
  }
  if (const auto& bad = tellers_.bad_loss()) {
    record_.invalid_loss = "step " + std::to_string(bad->step) + ": loss " +
                           FormatNumber(bad->loss);
    if (live_) {
      *record_.invalid_loss += " (" + NameOf(bad->teller) + ")";
    }
  }
}

void LogObserver::Take(const LogLine& line, const Observation& observation) {
  if (const auto* step = std::get_if<TrainStep>(&observation)) {
    if (!reading_.figures.has_value() && step->iteration >= 0) {
      const RunFacts* const facts = watch_.facts();
      results::StepRow row =
          StepRowOf(*step, facts == nullptr ? 0 : SequenceOf(*facts));
      if (!row.tokens.has_value() && step->global_batch > 0) {
        batches_[row.step] = step->global_batch;
      }
      TakeStep(TellerOf(process_, line.text), std::move(row));
    }
  } else if (progress_ != nullptr && IsSignOfLife(observation)) {
    progress_->Alive();
  }
}

void LogObserver::TakeFromLogs(const RunFacts& facts,
                               const RunDiagnosis& diagnosis) {
  record_.effective = EffectiveOf(facts, diagnosis);
  // Arguments are another node's to print, and may come after its steps.
  const int64_t sequence = SequenceOf(facts);
  for (results::StepRow& row : record_.steps) {
    const auto batch = batches_.find(row.step);
    if (!row.tokens.has_value() && batch != batches_.end() && sequence > 0) {
      row.tokens = batch->second * sequence;
    }
  }
  if (!reading_.figures.has_value()) {
    MarkSteps(facts, record_.steps);
  }
  for (const auto& [rank, use] : facts.memory) {
    if (rank >= 0 && use.max_allocated_mib == use.max_allocated_mib) {
      record_.mem_peak_bytes[rank] = {
          .rank = rank, .total = std::llround(use.max_allocated_mib * kMib)};
    }
  }
  for (const CheckpointFact& checkpoint : facts.checkpoints) {
    if (checkpoint.action == CheckpointAction::kSaved) {
      record_.checkpoints.push_back({.action = "saved",
                                     .dir = checkpoint.folder,
                                     .step = checkpoint.iteration});
    }
  }
}

RunRecord LogObserver::Take(const RunOutcome& ended) {
  TakeFromSteps();
  const RunFacts* const facts = watch_.facts();
  if (facts != nullptr) {
    diagnosis_ = watch_.Diagnose();
    TakeFromLogs(*facts, diagnosis_);
    LogWatch::Report(diagnosis_, ended, reading_.uses_nccl, record_);
  }
  record_.every_step = false;
  record_.amended = true;
  return std::move(record_);
}

results::Effective EffectiveOf(const RunFacts& facts,
                               const RunDiagnosis& diagnosis) {
  results::Effective effective;
  Json versions = Json::object();
  if (facts.parallel.has_value()) {
    effective.zero_stage = KnownInt(facts.parallel->zero_stage);
  }
  effective.world_size = KnownInt(facts.world);
  if (!diagnosis.runs.empty()) {
    const RunSummary& run = diagnosis.runs.front();
    effective.world_size = KnownInt(run.world_size);
  }
  if (!diagnosis.nccl.version.empty()) {
    versions["nccl"] = diagnosis.nccl.version;
    effective.device = "cuda";
  }
  effective.versions_json = DumpJson(versions);
  return effective;
}

results::StepRow StepRowOf(const TrainStep& step, int64_t sequence) {
  results::StepRow row;
  row.step = step.iteration;
  row.step_ms = Known(step.step_ms);
  row.loss = Known(step.loss);
  if (step.nan_iterations > 0 && !row.loss.has_value()) {
    // Megatron-LM leaves the field out where the loss is not a number.
    row.loss = std::numeric_limits<double>::quiet_NaN();
  }
  row.grad_norm = Known(step.grad_norm);
  row.lr = Known(step.learning_rate);
  if (step.tokens > 0) {
    row.tokens = step.tokens;
  } else if (step.global_batch > 0 && sequence > 0) {
    row.tokens = step.global_batch * sequence;
  }
  return row;
}

void MarkSteps(const RunFacts& facts, std::vector<results::StepRow>& rows) {
  const std::vector<int64_t> pauses = PausesOf(facts);
  for (size_t i = 0; i < rows.size(); ++i) {
    int64_t width = rows[i].step;  // the first line: from the start
    if (i > 0) {
      width = rows[i].step - rows[i - 1].step;
    } else if (rows.size() > 1) {
      width = rows[1].step - rows[0].step;
    }
    const int64_t from = std::max<int64_t>(0, rows[i].step - width);
    rows[i].mark = StepMark(
        {.from = from, .iteration = rows[i].step, .first_line = rows[0].step},
        pauses);
  }
}

}  // namespace zs
