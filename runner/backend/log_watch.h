// What the output of a run says besides its figures: findings, their root
// cause, and how NCCL fared (runner/observe), for runs of every backend.
#ifndef RUNNER_BACKEND_LOG_WATCH_H_
#define RUNNER_BACKEND_LOG_WATCH_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "results/store/record.h"
#include "runner/backend/run_record.h"
#include "runner/observe/diagnose/diagnosis.h"
#include "runner/observe/diagnose/facts.h"
#include "runner/observe/parse/observation.h"
#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/request.h"

namespace zs {

// Which process stands for what.
enum class ProcessRole {
  kRank,      // each process is the rank of its number
  kLauncher,  // each starts the ranks of its node; its number is no rank
};

// Not thread-safe. Watches the processes of one run.
class LogWatch {
 public:
  // LISTENER also gets every observation; may be null, else outlives this.
  LogWatch(ProcessRole role, ObservationSink* listener)
      : role_(role), listener_(listener) {}

  // The processes that are about to be started; once, before any output. With
  // TELL_COMMANDS their command lines count as part of what they print.
  void Begin(const RunRequest& request, bool tell_commands);

  // The same for the logs of processes that ended long ago: the process of
  // number I wrote SOURCES[I], all of it to one stream.
  void BeginFiles(std::vector<LogSource> sources);

  // Output of a process that Begin named; other output is ignored.
  void Feed(const OutputChunk& chunk);
  // One whole line of its stdout.
  void FeedLine(int process, std::string_view line);
  // The process has ended.
  void Finish(int process);

  // What is known now; empty before Begin.
  RunDiagnosis Diagnose() const;
  const RunFacts* facts() const;

  // Fills in findings, root cause and NCCL's health from what DIAGNOSIS and
  // the end of the run tell. NCCL's health stays empty where USES_NCCL is
  // false and no line of NCCL's came.
  static void Report(const RunDiagnosis& diagnosis, const RunOutcome& ended,
                     bool uses_nccl, RunRecord& record);

 private:
  // Place of the stream among the diagnoser's sources; -1 unknown.
  int SourceOf(int process, OutputStream stream) const;

  ProcessRole role_;
  ObservationSink* listener_;
  std::vector<int> processes_;  // in the order of their sources
  int streams_ = 2;             // sources of each process
  std::unique_ptr<RunDiagnoser> diagnoser_;
};

// FINDING as the record keeps it.
results::FindingRow RowOf(const Finding& finding);

// "rank 3 on g0034: ValueError: no such file": who, what and its line.
std::string RootCauseText(const Finding& finding);

}  // namespace zs

#endif  // RUNNER_BACKEND_LOG_WATCH_H_
