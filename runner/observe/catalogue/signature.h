// The catalogue of signatures: what can be wrong with a run, as data. A row
// says what a finding means and what to do; expressions say which lines show
// it. Adding a row is all that a new signature needs.
#ifndef RUNNER_OBSERVE_CATALOGUE_SIGNATURE_H_
#define RUNNER_OBSERVE_CATALOGUE_SIGNATURE_H_

#include <span>
#include <string_view>

namespace zs {

enum class Severity {
  kInfo,     // good to know; never makes a run unhealthy
  kWarning,  // slower or less safe than it should be
  kError,    // the run failed, or its result is wrong
};

// Where a finding stands among possible causes: of several errors the one with
// the smallest order is the root, then the earliest.
enum class CauseOrder {
  kHardware,     // GPU, link or kernel: nothing else can explain it
  kSpecific,     // one named reason: argument, path, port, memory, setting
  kApplication,  // an exception of the program
  kComparison,   // nodes or ranks differ
  kNetwork,      // NCCL's transport failed
  kKilled,       // a process died of a signal
  kWorker,       // a process ended with a code
  kWait,         // somebody waited too long
  kConsequence,  // follows from something else
};

// What it takes to make a finding of a matching line.
enum class Evidence {
  kLine,     // the line is enough
  kContext,  // a rule of diagnose/ decides with other lines or nodes
  kOutside,  // never from a log alone: configuration, counters, the runner
};

enum class Confidence { kLow, kMedium, kHigh };

struct Signature {
  std::string_view code;
  Severity severity;
  CauseOrder order;
  Evidence evidence;
  Confidence confidence;
  bool ends_run;            // the run cannot go on
  std::string_view source;  // "NCCL", "ssh", "torchrun", "kernel", ...
  std::string_view meaning;
  std::string_view causes;  // likely first, separated by "; "
  std::string_view hint;    // {1}..{4} are groups of the expression
};

struct Expression {
  std::string_view code;     // of a Signature
  std::string_view literal;  // stands in every line that REGEX matches
  std::string_view regex;    // RE2
};

// All rows, sorted by code; valid for ever.
std::span<const Signature> Signatures();

// All expressions; those of one code stand together.
std::span<const Expression> Expressions();

// The index in Signatures(), or -1.
int SignatureIndex(std::string_view code);

// "info", "warning", "error"; "low", "medium", "high".
std::string_view SeverityName(Severity severity);
std::string_view ConfidenceName(Confidence confidence);

}  // namespace zs

#endif  // RUNNER_OBSERVE_CATALOGUE_SIGNATURE_H_
