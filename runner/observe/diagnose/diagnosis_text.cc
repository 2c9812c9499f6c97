#include "runner/observe/diagnose/diagnosis_text.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace zs {
namespace {

constexpr size_t kQuoteChars = 160;

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

// "code on g0034 rank 3: what it means".
std::string Heading(const Finding& finding) {
  std::string text = finding.code;
  if (!finding.node.empty()) {
    text += " on " + finding.node;
  }
  if (finding.rank >= 0) {
    text += " rank " + std::to_string(finding.rank);
  }
  return text + ": " + finding.meaning;
}

std::string Place(const Finding& finding) {
  return finding.file + ":" + std::to_string(finding.line);
}

std::string FindingText(const std::string& label, const Finding& finding) {
  std::string text = "  " + label + " " + Heading(finding) + "\n";
  if (finding.line > 0) {
    text += "    " + Place(finding) + ": " +
            finding.quote.substr(0, kQuoteChars) + "\n";
  }
  if (!finding.hint.empty() && finding.severity != Severity::kInfo) {
    text += "    -> " + finding.hint + "\n";
  }
  return text;
}

std::string ConsequenceText(const Finding& finding) {
  return "    follows: " + Heading(finding) +
         (finding.line > 0 ? " (" + Place(finding) + ")" : "") + "\n";
}

// The root comes first, then what follows from it, then all else.
std::string FindingsText(const RunDiagnosis& group) {
  std::string root;
  std::string consequences;
  std::string others;
  for (size_t i = 0; i < group.findings.size(); ++i) {
    const Finding& finding = group.findings[i];
    if (i == 0 && group.has_root) {
      root = FindingText("root cause:", finding);
    } else if (finding.secondary && group.has_root) {
      consequences += ConsequenceText(finding);
    } else {
      others +=
          FindingText(std::string(SeverityName(finding.severity)), finding);
    }
  }
  return root + consequences + others;
}

std::string RunText(const RunSummary& run) {
  std::string text =
      "  " + run.trainer + ": iteration " + std::to_string(run.last_iteration);
  if (run.iterations_planned > 0) {
    text += " of " + std::to_string(run.iterations_planned);
  }
  for (const PhaseSummary& phase : run.phases) {
    text += "; " + Short(phase.median_ms) + " ms a step (median of " +
            std::to_string(phase.counted) + ")";
    if (std::isfinite(phase.tokens_per_s)) {
      text += ", " + Short(phase.tokens_per_s) + " tokens/s";
    }
  }
  if (run.zero_effective >= 0) {
    text += "; ZeRO-" + std::to_string(run.zero_effective) + " in effect";
  }
  return text + "\n";
}

std::string RunsText(const RunDiagnosis& group) {
  std::string text = group.name + ": " +
                     std::string(HealthName(group.verdict)) + "\n" +
                     FindingsText(group);
  for (const RunSummary& run : group.runs) {
    text += RunText(run);
  }
  if (group.nccl.health != Health::kUnknown) {
    text += "  NCCL: " + std::string(HealthName(group.nccl.health)) + "\n";
  }
  for (const std::string& unread : group.unread) {
    text += "  not read: " + unread + "\n";
  }
  return text + "  " + std::to_string(group.counts.recognised) + " of " +
         std::to_string(group.counts.lines) + " lines understood\n";
}

}  // namespace

std::string DiagnosisToText(const Diagnosis& diagnosis) {
  std::string text;
  for (const RunDiagnosis& group : diagnosis.groups) {
    text += RunsText(group);
  }
  return text;
}

}  // namespace zs
