#include "runner/backend/engine_observer.h"

#include <utility>
#include <variant>

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;

// The rank that EVENT says it comes from.
int RankOf(const Event& event) {
  return std::visit([](const auto& e) { return e.rank; }, event);
}

}  // namespace

void EngineObserver::OnOutput(const OutputChunk& chunk, RunProgress& progress) {
  if (chunk.stream != OutputStream::kStdout) {
    return;  // events come on stdout alone
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
}

void EngineObserver::OnLine(int rank, std::string_view line,
                            RunProgress& progress) {
  const auto event = ParseEventLine(line);
  if (!event.ok()) {
    if (event.status().code() != StatusCode::kNotFound) {
      ++record_.damaged_lines;
    }
    return;
  }
  // A rank speaks for itself alone.
  if (RankOf(*event) != rank) {
    ++record_.damaged_lines;
    return;
  }
  std::visit([&](const auto& e) { Record(e, progress); }, *event);
  on_event_(*event);
}

void EngineObserver::Record(const StartEvent& event, RunProgress& progress) {
  record_.starts.insert_or_assign(event.rank, event);
  progress.RankStarted(event.rank);
}

void EngineObserver::Record(const StepEvent& event, RunProgress& progress) {
  record_.steps.push_back(event);
  progress.StepDone(event.step);
}

void EngineObserver::Record(const MemoryEvent& event, RunProgress& progress) {
  record_.mem_peak_bytes[event.rank] = event.mem_peak_bytes;
  progress.Alive();
}

void EngineObserver::Record(const CheckpointEvent& event,
                            RunProgress& progress) {
  record_.checkpoints.push_back(event);
  progress.Alive();
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

void EngineObserver::Record(const CollectiveEvent& event,
                            RunProgress& progress) {
  progress.AtCollective(event.rank, {.op = event.op,
                                     .seq = event.seq,
                                     .issued = event.issued,
                                     .bytes = event.bytes,
                                     .waiting = event.waiting,
                                     .elapsed_ms = event.elapsed_ms});
}

}  // namespace zs
