#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "runner/observe/diagnose/hardware.h"
#include "runner/observe/diagnose/rules.h"
#include "runner/observe/diagnose/run_summary.h"
#include "runner/observe/env/lint.h"

namespace zs {
namespace {

// The first step line of a series, or the last.
LineRef StepLine(const RunFacts& facts, const StepSeries& series, bool last) {
  LineRef at;
  at.source = series.source;
  at.line = last || series.steps.empty() ? series.last_line
                                         : series.steps.front().line;
  at.quote = last ? series.last_quote : series.first_quote;
  at.node = facts.sources[series.source].node;
  return at;
}

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(),
                   values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  return values[middle];
}

// The median of the last part against that of the first, where the work of a
// step stays the same and times grow in between too.
void AddDrift(const RunFacts& facts, const StepSeries& series,
              Findings& findings) {
  std::vector<double> times;
  const StepFact* first = nullptr;
  for (const StepFact& step : series.steps) {
    const bool same =
        first == nullptr || step.global_batch == first->global_batch;
    if (step.iteration > 2 && step.step_ms == step.step_ms && same) {
      first = first == nullptr ? &step : first;
      times.push_back(step.step_ms);
    }
  }
  if (times.size() < 6) {
    return;
  }
  const size_t part = std::max<size_t>(2, times.size() / 10);
  const std::vector<double> head(times.begin(), times.begin() + part);
  const std::vector<double> tail(times.end() - part, times.end());
  const size_t half = times.size() / 2;
  const double first_half =
      Median(std::vector<double>(times.begin(), times.begin() + half));
  const double second_half =
      Median(std::vector<double>(times.begin() + half, times.end()));
  const double from = Median(head);
  const double to = Median(tail);
  if (to < 1.2 * from || second_half < 1.1 * first_half) {
    return;
  }
  Finding finding =
      MakeFinding(facts, "step-time-drift", StepLine(facts, series, true));
  finding.meaning += ": from " + std::to_string(std::lround(from)) + " to " +
                     std::to_string(std::lround(to)) + " ms since iteration " +
                     std::to_string(first->iteration);
  findings.push_back(finding);
}

void AddLoss(const RunFacts& facts, const StepSeries& series,
             Findings& findings) {
  if (series.first_bad >= 0 && FindFinding(findings, "loss-nan") == nullptr) {
    Finding finding = MakeFinding(facts, "loss-nan", series.first_bad_at);
    finding.meaning += " since iteration " + std::to_string(series.first_bad);
    findings.push_back(finding);
  }
}

void AddLossLines(const RunFacts& facts, Findings& findings) {
  const SignatureFact* fact = facts.Find("loss-nan");
  if (fact != nullptr && FindFinding(findings, "loss-nan") == nullptr) {
    Finding finding = MakeFinding(facts, "loss-nan", fact->at);
    if (!fact->captures[0].empty()) {
      finding.rank = std::atoi(fact->captures[0].c_str());
      finding.node = fact->captures[1];
    }
    findings.push_back(finding);
  }
}

// A save that was begun, never completed, and a failure after it.
void AddSave(const RunFacts& facts, Findings& findings) {
  const CheckpointFact* open = nullptr;
  for (const CheckpointFact& checkpoint : facts.checkpoints) {
    if (checkpoint.action == CheckpointAction::kSaving) {
      open = &checkpoint;
    } else if (checkpoint.action == CheckpointAction::kSaved) {
      open = nullptr;
    }
  }
  const bool failed =
      std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::kError;
      });
  if (open == nullptr || !failed) {
    return;
  }
  bool trained = facts.end.has_value();
  for (const StepSeries& series : facts.series) {
    trained |= series.lines > 0 && (series.last_iteration >= series.total ||
                                    series.last_iteration >= open->iteration);
  }
  if (trained) {
    findings.push_back(
        MakeFinding(facts, "failed-after-training-at-save", open->at));
  }
}

void AddRestart(const RunFacts& facts, Findings& findings) {
  const SignatureFact* fact = facts.Find("checkpoint-silent-restart");
  if (fact == nullptr) {
    return;
  }
  for (const CheckpointFact& checkpoint : facts.checkpoints) {
    if (checkpoint.action == CheckpointAction::kLoaded) {
      return;  // something else was loaded after all
    }
  }
  Finding finding =
      MakeFinding(facts, "checkpoint-silent-restart", fact->at, fact->captures);
  if (!facts.series.empty()) {
    finding.severity = Severity::kWarning;  // it trains; perhaps as wanted
  }
  findings.push_back(finding);
}

void AddStage(const RunFacts& facts, Findings& findings) {
  const int asked = ZeroRequested(facts);
  if (!facts.parallel.has_value() || asked < 0 ||
      facts.parallel->zero_stage < 0 || facts.parallel->zero_stage == asked) {
    return;
  }
  Finding finding =
      MakeFinding(facts, "zero-stage-differs", facts.parallel->at);
  finding.quote = finding.quote.substr(0, 160);
  finding.meaning += ": asked for " + std::to_string(asked) + ", in effect " +
                     std::to_string(facts.parallel->zero_stage);
  findings.push_back(finding);
}

// Ranks from the rows themselves: busbw = algbw x 2 (n - 1) / n.
int RanksFrom(const BandwidthFact& row) {
  if (row.operation != "all_reduce" || !(row.algbw_gb_s > 1)) {
    return -1;
  }
  const double factor = row.busbw_gb_s / row.algbw_gb_s;
  return factor < 1.99 ? static_cast<int>(std::lround(2 / (2 - factor))) : -1;
}

void AddBandwidth(const RunFacts& facts, Findings& findings) {
  const BandwidthFact* largest = nullptr;
  for (const BandwidthFact& row : facts.bandwidths) {
    if (largest == nullptr || row.bytes >= largest->bytes) {
      largest = &row;
    }
  }
  if (largest == nullptr || largest->bytes < (int64_t{128} << 20)) {
    return;
  }
  const int nodes = std::max<int>(facts.NodeCount(),
                                  static_cast<int>(facts.test_hosts.size()));
  const int ranks = facts.gpus.empty() ? RanksFrom(*largest)
                                       : static_cast<int>(facts.gpus.size());
  const BandwidthReference reference =
      ReferenceBandwidth(facts.gpus, nodes, ranks, largest->operation);
  if (!(largest->busbw_gb_s < reference.busbw_gb_s * reference.share)) {
    return;
  }
  Finding finding = MakeFinding(facts, "busbw-below-reference", largest->at);
  finding.rank = -1;
  const std::string figures = std::to_string(largest->busbw_gb_s) +
                              " GB/s instead of about " +
                              std::to_string(reference.busbw_gb_s);
  finding.meaning += ": " + figures;
  findings.push_back(finding);
  if (!reference.suspect.empty()) {
    Finding suspect = MakeFinding(facts, reference.suspect, largest->at);
    suspect.severity = Severity::kWarning;
    suspect.confidence = Confidence::kLow;
    suspect.rank = -1;
    suspect.meaning = figures + ": the first suspicion is a small MTU";
    findings.push_back(suspect);
  }
}

void AddStragglers(const RunFacts& facts, Findings& findings) {
  for (const std::string_view name :
       {"forward-compute", "backward-compute", "forward-backward"}) {
    const auto it = facts.timers.find(name);
    if (it == facts.timers.end() || it->second.size() < 3) {
      continue;
    }
    std::vector<double> ratios;
    for (const auto& [low, high] : it->second) {
      if (low > 0) {
        ratios.push_back(high / low);
      }
    }
    if (ratios.size() < 3 || Median(ratios) < 1.3) {
      continue;
    }
    Finding finding = MakeFinding(facts, "straggler-node", LineRef{});
    finding.meaning += ": " + std::string(name) + " takes " +
                       std::to_string(Median(ratios)) +
                       " times as long on the slowest rank";
    findings.push_back(finding);
    return;
  }
}

// Settings in front of a launch command that the log shows.
void AddEnvironment(const RunFacts& facts, Findings& findings) {
  for (const LaunchFact& launch : facts.launches) {
    for (const EnvironmentIssue& issue :
         LintEnvironment(EnvironmentIn(launch.text), {})) {
      const std::string captures[2] = {issue.name, issue.nearest};
      Finding finding =
          MakeFinding(facts, "env-name-unknown", launch.at, captures);
      finding.meaning = issue.message;
      if (issue.nearest.empty()) {
        finding.hint.clear();
      }
      findings.push_back(finding);
    }
  }
}

void AddIncomplete(const RunFacts& facts, Findings& findings) {
  for (const StepSeries& series : facts.series) {
    if (series.lines == 0 || series.total <= 0 || facts.end.has_value() ||
        series.last_iteration >= series.total) {
      continue;
    }
    Finding finding =
        MakeFinding(facts, "run-incomplete", StepLine(facts, series, true));
    finding.severity = Severity::kInfo;
    finding.meaning = "the last line is iteration " +
                      std::to_string(series.last_iteration) + " of " +
                      std::to_string(series.total);
    findings.push_back(finding);
  }
}

}  // namespace

void AddTrainingFindings(const RunFacts& facts, Findings& findings) {
  for (const StepSeries& series : facts.series) {
    AddDrift(facts, series, findings);
    AddLoss(facts, series, findings);
  }
  AddLossLines(facts, findings);
  AddSave(facts, findings);
  AddRestart(facts, findings);
  AddStage(facts, findings);
  AddBandwidth(facts, findings);
  AddStragglers(facts, findings);
  AddEnvironment(facts, findings);
  AddIncomplete(facts, findings);
}

}  // namespace zs
