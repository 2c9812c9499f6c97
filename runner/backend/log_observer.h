// Understands the output of trainers that are not ours.
#ifndef RUNNER_BACKEND_LOG_OBSERVER_H_
#define RUNNER_BACKEND_LOG_OBSERVER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/backend/driver.h"
#include "runner/backend/line_figures.h"
#include "runner/backend/line_splitter.h"
#include "runner/backend/log_watch.h"
#include "runner/backend/run_record.h"
#include "runner/backend/step_tellers.h"
#include "runner/observe/parse/observation.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"

namespace zs {

struct LogReading {
  ProcessRole role = ProcessRole::kRank;
  // Set: steps are what these expressions find. Absent: step lines of known
  // trainers (Megatron-LM, DeepSpeed, torchtitan, llm.c).
  std::optional<CommandSpec> figures;
  bool uses_nccl = false;
};

// Keeps the record of one run. Its steps are those of the lowest rank that
// tells any; where another that does got farther or less far, or the last step
// lacks a figure that an expression was given for, the record says so (files
// that were kept count as one speaker). Not thread-safe.
class LogObserver final : public BackendObserver, private ObservationSink {
 public:
  LogObserver(LogReading reading, StepSink on_step)
      : reading_(std::move(reading)),
        on_step_(std::move(on_step)),
        watch_(reading_.role, this) {}

  void Begin(const RunRequest& request) override;
  // Instead of Begin, see LogWatch.
  void BeginFiles(std::vector<LogSource> sources);
  void OnOutput(const OutputChunk& chunk, RunProgress& progress) override;
  void OnRankExit(const RankExit& exit, RunProgress& progress) override;
  RunRecord Take(const RunOutcome& ended) override;
  // What Take's record was made of.
  const RunDiagnosis& diagnosis() const { return diagnosis_; }

 private:
  using StreamKey = std::pair<int, OutputStream>;
  using FiguresKey = std::pair<StepTeller, OutputStream>;

  // ObservationSink: a step, or a sign of life.
  void Take(const LogLine& line, const Observation& observation) override;

  // Who says LINE of process PROCESS.
  StepTeller TellerOf(int process, std::string_view line) const;
  // "rank 3"; below a launcher "rank 1 of node g0034".
  std::string NameOf(const StepTeller& teller) const;
  void FindFigures(const OutputChunk& chunk);
  void FindFiguresIn(int process, OutputStream stream, std::string_view line);
  void TakeStep(const StepTeller& teller, results::StepRow row);
  void TakeFromSteps();
  void TakeFromLogs(const RunFacts& facts, const RunDiagnosis& diagnosis);

  LogReading reading_;
  StepSink on_step_;
  LogWatch watch_;
  bool live_ = false;                   // processes, not files that were kept
  std::map<int, std::string> node_of_;  // by process
  std::map<StreamKey, LineSplitter> streams_;
  std::map<FiguresKey, LineFigures> figures_;
  StepTellers tellers_;
  int process_ = 0;  // whose output is being looked at
  // Samples of the steps whose tokens are not known yet.
  std::map<int64_t, int64_t> batches_;
  RunProgress* progress_ = nullptr;  // during a call of the supervisor's
  RunDiagnosis diagnosis_;
  RunRecord record_;
};

// What the logs behind FACTS and DIAGNOSIS tell to have been in effect.
results::Effective EffectiveOf(const RunFacts& facts,
                               const RunDiagnosis& diagnosis);

// STEP as the record keeps it; SEQUENCE: tokens of a sample, 0 unknown.
results::StepRow StepRowOf(const TrainStep& step, int64_t sequence);

// Marks ROWS of a trainer's log that say nothing of its speed: those that hold
// the first iteration, an evaluation or a save.
void MarkSteps(const RunFacts& facts, std::vector<results::StepRow>& rows);

}  // namespace zs

#endif  // RUNNER_BACKEND_LOG_OBSERVER_H_
