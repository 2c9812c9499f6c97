// Understands what the ranks of the engine print (engine/api/event.h).
#ifndef RUNNER_BACKEND_ENGINE_OBSERVER_H_
#define RUNNER_BACKEND_ENGINE_OBSERVER_H_

#include <functional>
#include <map>

#include "engine/api/event.h"
#include "runner/backend/line_splitter.h"
#include "runner/backend/run_record.h"
#include "runner/supervise/observer.h"

namespace zs {

// Not thread-safe. Keeps the record of one run.
class EngineObserver final : public RunObserver {
 public:
  // ON_EVENT is called with each event as it comes, after the record has it.
  explicit EngineObserver(std::function<void(const Event&)> on_event)
      : on_event_(std::move(on_event)) {}

  void OnOutput(const OutputChunk& chunk, RunProgress& progress) override;
  void OnRankExit(const RankExit& exit, RunProgress& progress) override;

  const RunRecord& record() const { return record_; }

 private:
  void OnLine(int rank, std::string_view line, RunProgress& progress);
  void Record(const StartEvent& event, RunProgress& progress);
  void Record(const StepEvent& event, RunProgress& progress);
  void Record(const MemoryEvent& event, RunProgress& progress);
  void Record(const CheckpointEvent& event, RunProgress& progress);
  void Record(const EndEvent& event, RunProgress& progress);
  void Record(const ErrorEvent& event, RunProgress& progress);
  void Record(const CollectiveEvent& event, RunProgress& progress);

  std::function<void(const Event&)> on_event_;
  std::map<int, LineSplitter> splitters_;  // stdout of each rank
  RunRecord record_;
};

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_OBSERVER_H_
