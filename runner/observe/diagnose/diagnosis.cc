#include "runner/observe/diagnose/diagnosis.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "runner/observe/diagnose/rules.h"
#include "runner/observe/text/input.h"

namespace zs {
namespace {

Health Judge(const RunFacts& facts, const Findings& findings) {
  Health verdict = facts.meaningful > 0 ? Health::kHealthy : Health::kUnknown;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kError) {
      return Health::kFailed;
    }
    if (finding.severity == Severity::kWarning) {
      verdict = Health::kDegraded;
    }
  }
  return verdict;
}

// Worth a second thread.
bool IsLarge(const std::string& path) {
  constexpr std::uintmax_t kLarge = std::uintmax_t{16} << 20;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size > kLarge && std::thread::hardware_concurrency() > 1;
}

}  // namespace

const Finding* Diagnosis::root_cause() const {
  for (const RunDiagnosis& group : groups) {
    if (group.has_root) {
      return &group.findings.front();
    }
  }
  return nullptr;
}

void RunDiagnoser::Tee::Take(const LogLine& line,
                             const Observation& observation) {
  facts_.Take(line, observation);
  listener_.Take(line, observation);
}

RunDiagnoser::RunDiagnoser(std::string name, std::vector<LogSource> sources,
                           DiagnoseOptions options, ObservationSink* listener)
    : name_(std::move(name)), options_(options), facts_(std::move(sources)) {
  scanners_.resize(facts_.sources.size());
  if (listener != nullptr) {
    tee_ = std::make_unique<Tee>(facts_, *listener);
  }
}

ObservationSink& RunDiagnoser::sink() {
  return tee_ == nullptr ? static_cast<ObservationSink&>(facts_) : *tee_;
}

RunDiagnoser::~RunDiagnoser() = default;

LogScanner& RunDiagnoser::ScannerOf(int source) {
  std::unique_ptr<LogScanner>& scanner = scanners_[source];
  if (scanner == nullptr) {
    scanner = std::make_unique<LogScanner>(source, sink());
  }
  return *scanner;
}

void RunDiagnoser::ExpectMuch(int source) {
  ScannerOf(source).UseTwoThreads();
}

void RunDiagnoser::Feed(int source, std::string_view bytes) {
  ScannerOf(source).Feed(bytes);
}

void RunDiagnoser::Finish(int source) {
  if (scanners_[source] != nullptr) {
    scanners_[source]->Finish();
  }
}

void RunDiagnoser::NoteUnread(const std::string& path,
                              std::string_view reason) {
  unread_.push_back(path + ": " + std::string(reason));
}

RunDiagnosis RunDiagnoser::Diagnose() const {
  RunDiagnosis diagnosis;
  diagnosis.name = name_;
  AddLineFindings(facts_, diagnosis.findings);
  AddLaunchFindings(facts_, diagnosis.findings);
  AddNcclFindings(facts_, diagnosis.findings);
  AddWaitFindings(facts_, diagnosis.findings);
  AddTrainingFindings(facts_, diagnosis.findings);
  diagnosis.has_root = RankFindings(diagnosis.findings).has_value();
  diagnosis.verdict = Judge(facts_, diagnosis.findings);
  diagnosis.nccl = JudgeNccl(facts_, diagnosis.findings);
  diagnosis.runs = SummarizeRuns(facts_, options_.summary);
  for (const std::unique_ptr<LogScanner>& scanner : scanners_) {
    if (scanner != nullptr) {
      const ScanCounts counts = scanner->counts();
      diagnosis.counts.bytes += counts.bytes;
      diagnosis.counts.lines += counts.lines;
      diagnosis.counts.recognised += counts.recognised;
      diagnosis.counts.cut_lines += counts.cut_lines;
    }
  }
  diagnosis.unread = unread_;
  return diagnosis;
}

Result<Diagnosis> DiagnoseLogs(const std::vector<std::string>& paths,
                               const DiagnoseOptions& options) {
  ASSIGN_OR_RETURN(std::vector<LogGroup> groups, FindLogs(paths));
  Diagnosis diagnosis;
  for (LogGroup& group : groups) {
    RunDiagnoser diagnoser(group.name, group.sources, options);
    for (size_t i = 0; i < group.sources.size(); ++i) {
      const int source = static_cast<int>(i);
      const std::string& path = group.sources[i].path;
      if (IsLarge(path)) {
        diagnoser.ExpectMuch(source);
      }
      const Result<InputReport> report = ReadLog(
          path, [&](std::string_view bytes) { diagnoser.Feed(source, bytes); });
      diagnoser.Finish(source);
      if (!report.ok()) {
        diagnoser.NoteUnread(path, report.status().message());
      } else if (report->truncated) {
        diagnoser.NoteUnread(path, "damaged or cut " + report->format +
                                       " data: read up to there");
      }
    }
    diagnosis.groups.push_back(diagnoser.Diagnose());
    diagnosis.verdict =
        std::max(diagnosis.verdict, diagnosis.groups.back().verdict);
  }
  return diagnosis;
}

Diagnosis DiagnoseText(std::string_view text, const std::string& name) {
  RunDiagnoser diagnoser(name, {LogSource{name, "", -1}});
  diagnoser.Feed(0, text);
  diagnoser.Finish(0);
  Diagnosis diagnosis;
  diagnosis.groups.push_back(diagnoser.Diagnose());
  diagnosis.verdict = diagnosis.groups.back().verdict;
  return diagnosis;
}

}  // namespace zs
