// Understands what the ranks of the engine print (engine/api/event.h).
#ifndef RUNNER_BACKEND_ENGINE_OBSERVER_H_
#define RUNNER_BACKEND_ENGINE_OBSERVER_H_

#include <map>
#include <string_view>
#include <utility>

#include "engine/api/event.h"
#include "results/store/record.h"
#include "runner/backend/driver.h"
#include "runner/backend/line_splitter.h"
#include "runner/backend/log_watch.h"
#include "runner/backend/run_record.h"
#include "runner/supervise/observer.h"

namespace zs {

// MEMORY of RANK as the record keeps it.
results::MemoryRow MemoryRowOf(int rank, const MemoryBytes& memory);

// Not thread-safe. Keeps the record of one run.
class EngineObserver final : public BackendObserver {
 public:
  // ON_STEP is called with each step after the record has it. With USES_NCCL
  // the record tells how NCCL fared, be it "unknown".
  explicit EngineObserver(StepSink on_step, bool uses_nccl = false)
      : on_step_(std::move(on_step)),
        uses_nccl_(uses_nccl),
        watch_(ProcessRole::kRank, nullptr) {}

  void Begin(const RunRequest& request) override;

  void OnOutput(const OutputChunk& chunk, RunProgress& progress) override;
  void OnRankExit(const RankExit& exit, RunProgress& progress) override;

  // Also what the ranks agree on.
  RunRecord Take(const RunOutcome& ended) override;

 private:
  void OnLine(int rank, std::string_view line, RunProgress& progress);
  void Record(const StartEvent& event, RunProgress& progress);
  void Record(const StepEvent& event, RunProgress& progress);
  void Record(const MemoryEvent& event, RunProgress& progress);
  void Record(const CheckpointEvent& event, RunProgress& progress);
  void Record(const CollectiveEvent& event, RunProgress& progress);
  void Record(const EndEvent& event, RunProgress& progress);
  void Record(const ErrorEvent& event, RunProgress& progress);
  void Record(const PositionEvent& event, RunProgress& progress);

  StepSink on_step_;
  bool uses_nccl_;
  LogWatch watch_;                         // of all that is no event
  std::map<int, LineSplitter> splitters_;  // stdout of each rank
  std::map<int, StartEvent> starts_;       // by rank
  RunRecord record_;
};

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_OBSERVER_H_
