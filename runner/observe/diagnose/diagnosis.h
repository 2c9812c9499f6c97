// The verdict on logs: what happened, why, and how sure that is.
#ifndef RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_H_
#define RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runner/observe/diagnose/finding.h"
#include "runner/observe/diagnose/log_set.h"
#include "runner/observe/diagnose/nccl_health.h"
#include "runner/observe/diagnose/run_summary.h"
#include "runner/observe/parse/scanner.h"

namespace zs {

// One run.
struct RunDiagnosis {
  std::string name;
  Health verdict = Health::kUnknown;
  Findings findings;  // ranked: the root first, if there is one
  bool has_root = false;
  NcclHealth nccl;
  std::vector<RunSummary> runs;
  ScanCounts counts;
  std::vector<std::string> unread;  // files, each with the reason
};

// All runs that were asked for; the worst verdict counts.
struct Diagnosis {
  Health verdict = Health::kUnknown;
  std::vector<RunDiagnosis> groups;

  // The root cause of the first failed run, or null.
  const Finding* root_cause() const;
};

struct DiagnoseOptions {
  SummaryOptions summary;
};

// Diagnoses one run while its streams are still read: what `supervise` feeds
// from each node, and what DiagnoseLogs feeds from files. Not thread-safe.
class RunDiagnoser {
 public:
  // LISTENER gets every observation too; null or outlives the diagnoser.
  RunDiagnoser(std::string name, std::vector<LogSource> sources,
               DiagnoseOptions options = {},
               ObservationSink* listener = nullptr);
  ~RunDiagnoser();

  // Bytes of a source (its index), as they come.
  void Feed(int source, std::string_view bytes);
  // Much is to come from this source: it is read by two threads. Before Feed.
  void ExpectMuch(int source);
  // The source has ended.
  void Finish(int source);
  void NoteUnread(const std::string& path, std::string_view reason);

  // What is known so far; may be called at any time and again.
  RunDiagnosis Diagnose() const;

  const RunFacts& facts() const { return facts_; }

 private:
  // Gives what was seen to the facts and the listener.
  class Tee final : public ObservationSink {
   public:
    Tee(RunFacts& facts, ObservationSink& listener)
        : facts_(facts), listener_(listener) {}
    void Take(const LogLine& line, const Observation& observation) override;

   private:
    RunFacts& facts_;
    ObservationSink& listener_;
  };

  ObservationSink& sink();
  LogScanner& ScannerOf(int source);

  std::string name_;
  DiagnoseOptions options_;
  RunFacts facts_;
  std::unique_ptr<Tee> tee_;
  std::vector<std::unique_ptr<LogScanner>> scanners_;
  std::vector<std::string> unread_;
};

// Reads PATHS (files, folders, "-") and diagnoses each run among them. Errors
// as FindLogs; a file that cannot be read is named in `unread` and the others
// count.
Result<Diagnosis> DiagnoseLogs(const std::vector<std::string>& paths,
                               const DiagnoseOptions& options = {});

// The same for one text, as it would stand in a file of that name.
Diagnosis DiagnoseText(std::string_view text, const std::string& name = "log");

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_DIAGNOSIS_H_
