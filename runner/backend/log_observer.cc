#include "runner/backend/log_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "base/json.h"
#include "runner/observe/diagnose/step_mark.h"

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

template <typename T>
void Fill(std::optional<T>& target, const std::optional<T>& value) {
  target = target.has_value() ? target : value;
}

// What MORE tells of the step that ROW does not.
void FillIn(const results::StepRow& more, results::StepRow& row) {
  Fill(row.step_ms, more.step_ms);
  Fill(row.tokens, more.tokens);
  Fill(row.loss, more.loss);
  Fill(row.grad_norm, more.grad_norm);
  Fill(row.lr, more.lr);
}

int64_t SequenceOf(const RunFacts& facts) {
  const auto it = facts.arguments.find("seq_length");
  return it == facts.arguments.end() ? 0 : std::atoll(it->second.c_str());
}

}  // namespace

void LogObserver::Begin(const RunRequest& request) {
  watch_.Begin(request, /*tell_commands=*/true);
}

void LogObserver::BeginFiles(std::vector<LogSource> sources) {
  watch_.BeginFiles(std::move(sources));
}

void LogObserver::OnOutput(const OutputChunk& chunk, RunProgress& progress) {
  progress_ = &progress;
  watch_.Feed(chunk);
  if (reading_.figures.has_value()) {
    FindFigures(chunk);
  }
  progress_ = nullptr;
}

void LogObserver::OnRankExit(const RankExit& exit, RunProgress& progress) {
  progress_ = &progress;
  watch_.Finish(exit.rank);
  for (auto& [key, stream] : streams_) {
    if (key.first == exit.rank) {
      stream.lines.Finish([&](std::string_view line) {
        if (auto step = stream.figures.Take(line)) {
          TakeStep(std::move(*step));
        }
      });
    }
  }
  progress_ = nullptr;
}

void LogObserver::FindFigures(const OutputChunk& chunk) {
  const auto it = streams_.try_emplace(
      StreamKey(chunk.rank, chunk.stream),
      Stream{LineSplitter(kMaxLineBytes), LineFigures(*reading_.figures)});
  Stream& stream = it.first->second;
  if (chunk.dropped_bytes > 0) {
    stream.lines.Break();
  }
  stream.lines.Add(chunk.bytes, [&](std::string_view line) {
    if (auto step = stream.figures.Take(line)) {
      TakeStep(std::move(*step));
    }
  });
}

void LogObserver::TakeStep(results::StepRow row) {
  if (row.step == last_step_ && !record_.steps.empty()) {
    FillIn(row, record_.steps.back());  // a second line of this step
    return;
  }
  if (row.step < last_step_) {
    return;
  }
  last_step_ = row.step;
  record_.steps.push_back(std::move(row));
  if (progress_ != nullptr) {
    progress_->StepDone(last_step_);
  }
  on_step_(record_.steps.back());
}

void LogObserver::Take(const LogLine& line, const Observation& observation) {
  static_cast<void>(line);
  if (const auto* step = std::get_if<TrainStep>(&observation)) {
    if (!reading_.figures.has_value() && step->iteration >= 0) {
      const RunFacts* const facts = watch_.facts();
      results::StepRow row =
          StepRowOf(*step, facts == nullptr ? 0 : SequenceOf(*facts));
      if (!row.tokens.has_value() && step->global_batch > 0) {
        batches_[row.step] = step->global_batch;
      }
      TakeStep(std::move(row));
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
