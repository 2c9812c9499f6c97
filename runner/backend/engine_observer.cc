#include "runner/backend/engine_observer.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/json.h"

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;

// The rank that EVENT says it comes from.
int RankOf(const Event& event) {
  return std::visit([](const auto& e) { return e.rank; }, event);
}

results::StepRow StepRowOf(const StepEvent& step) {
  results::StepRow row;
  row.step = step.step;
  row.loss = step.loss;
  row.grad_norm = step.grad_norm;
  row.lr = step.lr;
  row.tokens = step.tokens;
  row.step_ms = step.step_ms;
  row.data_ms = step.data_ms;
  row.forward_ms = step.forward_ms;
  row.backward_ms = step.backward_ms;
  row.optimizer_ms = step.optimizer_ms;
  row.comm_exposed_ms = step.comm_exposed_ms;
  for (const CommUse& use : step.comm) {
    row.comm.push_back(
        {.op = use.op, .calls = use.calls, .bytes = use.bytes, .ms = use.ms});
  }
  return row;
}

// A measurement takes the place of a step.
results::StepRow MeasurementRowOf(const CollectiveEvent& event) {
  const double ms = event.time_us * 1e-3 * static_cast<double>(event.calls);
  results::StepRow row;
  row.step = event.number;
  row.step_ms = ms;
  results::CommRow comm;
  comm.op = event.op;
  comm.calls = event.calls;
  comm.ms = ms;
  comm.size_bytes = event.size_bytes;
  comm.algbw_gb_s = event.algbw_gb_s;
  comm.busbw_gb_s = event.busbw_gb_s;
  comm.in_place = event.in_place;
  if (event.wrong >= 0) {
    comm.wrong = event.wrong;
  }
  row.comm.push_back(std::move(comm));
  return row;
}

// The value of FIELD in every start; absent where they differ.
template <typename T>
std::optional<T> Agreed(const std::map<int, StartEvent>& starts,
                        T StartEvent::*field) {
  const T& first = starts.begin()->second.*field;
  for (const auto& [rank, start] : starts) {
    if (start.*field != first) {
      return std::nullopt;
    }
  }
  return first;
}

results::Effective EffectiveOf(const std::map<int, StartEvent>& starts) {
  results::Effective effective;
  if (starts.empty()) {
    return effective;
  }
  effective.world_size = Agreed(starts, &StartEvent::world_size);
  if (effective.world_size.value_or(0) == static_cast<int>(starts.size())) {
    // Of a rank that has not spoken nobody knows it.
    effective.zero_stage = Agreed(starts, &StartEvent::zero_stage);
  }
  effective.accumulation = Agreed(starts, &StartEvent::accumulation);
  effective.parameters = Agreed(starts, &StartEvent::parameters);
  effective.threads_per_rank = Agreed(starts, &StartEvent::threads);
  effective.device = Agreed(starts, &StartEvent::device).value_or("");
  effective.versions_json = DumpJson(Json(starts.begin()->second.versions));
  return effective;
}

}  // namespace

results::MemoryRow MemoryRowOf(int rank, const MemoryBytes& memory) {
  return {.rank = rank,
          .parameters = memory.parameters,
          .gradients = memory.gradients,
          .optimizer = memory.optimizer,
          .activations = memory.activations,
          .logits = memory.logits,
          .workspace = memory.workspace,
          .communication = memory.communication,
          .total = memory.total};
}

RunRecord EngineObserver::Take(const RunOutcome& ended) {
  record_.effective = EffectiveOf(starts_);
  LogWatch::Report(watch_.Diagnose(), ended, uses_nccl_, record_);
  if (record_.first_error_rank.has_value()) {
    record_.root_cause.clear();  // the engine's own word is in the reason
  }
  if (record_.damaged_lines > 0) {
    record_.findings.push_back(
        {.code = "damaged_events",
         .severity = results::Severity::kWarning,
         .message = std::to_string(record_.damaged_lines) +
                    " lines of the ranks' output claim to be events and are "
                    "damaged or another rank's; what they told is unknown",
         .hint = "something else writes to the ranks' stdout: runner logs RUN",
         .count = record_.damaged_lines});
  }
  return std::move(record_);
}

void EngineObserver::Begin(const RunRequest& request) {
  watch_.Begin(request, /*tell_commands=*/false);
}

void EngineObserver::OnOutput(const OutputChunk& chunk, RunProgress& progress) {
  if (chunk.stream != OutputStream::kStdout) {
    watch_.Feed(chunk);  // events come on stdout alone
    return;
  }
  LineSplitter& splitter =
      splitters_.try_emplace(chunk.rank, kMaxLineBytes).first->second;
  if (chunk.dropped_bytes > 0) {
    splitter.Break();
  }
  splitter.Add(chunk.bytes, [&](std::string_view line) {
    OnLine(chunk.rank, line, progress);
  });
}

void EngineObserver::OnRankExit(const RankExit& exit, RunProgress& progress) {
  const auto it = splitters_.find(exit.rank);
  if (it != splitters_.end()) {
    it->second.Finish(
        [&](std::string_view line) { OnLine(exit.rank, line, progress); });
  }
  watch_.Finish(exit.rank);
}

void EngineObserver::OnLine(int rank, std::string_view line,
                            RunProgress& progress) {
  const auto event = ParseEventLine(line);
  if (!event.ok()) {
    if (event.status().code() != StatusCode::kNotFound) {
      ++record_.damaged_lines;
    } else {
      watch_.FeedLine(rank, line);  // NCCL's lines among them
    }
    return;
  }
  // A rank speaks for itself alone.
  if (RankOf(*event) != rank) {
    ++record_.damaged_lines;
    return;
  }
  std::visit([&](const auto& e) { Record(e, progress); }, *event);
}

void EngineObserver::Record(const StartEvent& event, RunProgress& progress) {
  starts_.insert_or_assign(event.rank, event);
  progress.RankStarted(event.rank);
}

void EngineObserver::Record(const StepEvent& event, RunProgress& progress) {
  record_.steps.push_back(StepRowOf(event));
  progress.StepDone(event.step);
  on_step_(record_.steps.back());
}

void EngineObserver::Record(const MemoryEvent& event, RunProgress& progress) {
  record_.mem_peak_bytes[event.rank] =
      MemoryRowOf(event.rank, event.mem_peak_bytes);
  progress.Alive();
}

void EngineObserver::Record(const CheckpointEvent& event,
                            RunProgress& progress) {
  record_.checkpoints.push_back(event);
  progress.Alive();
}

void EngineObserver::Record(const CollectiveEvent& event,
                            RunProgress& progress) {
  record_.steps.push_back(MeasurementRowOf(event));
  progress.StepDone(event.number);
  on_step_(record_.steps.back());
}

void EngineObserver::Record(const EndEvent& event, RunProgress& progress) {
  record_.ends.insert_or_assign(event.rank, event);
  progress.Alive();
}

void EngineObserver::Record(const ErrorEvent& event, RunProgress& progress) {
  record_.errors.try_emplace(event.rank, event);
  if (!record_.first_error_rank.has_value()) {
    record_.first_error_rank = event.rank;
  }
  progress.ErrorSeen(event.rank, event.code + ": " + event.message);
}

void EngineObserver::Record(const PositionEvent& event, RunProgress& progress) {
  progress.AtCollective(event.rank, {.op = event.op,
                                     .seq = event.seq,
                                     .issued = event.issued,
                                     .bytes = event.bytes,
                                     .waiting = event.waiting,
                                     .elapsed_ms = event.elapsed_ms});
}

}  // namespace zs
