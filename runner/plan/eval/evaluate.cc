#include "runner/plan/eval/evaluate.h"

#include <signal.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/plan/eval/eval_child.h"
#include "runner/plan/eval/subprocess.h"

namespace zs {
namespace {

std::string Mebibytes(int64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

std::string Seconds(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text + " s";
}

// TEXT of the child for a terminal: no control characters but line feed and
// tab, no line feeds at its end.
std::string Printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
      },
      '?');
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

Status TooMuch(const EvalRequest& request, const std::string& what) {
  return ResourceExhaustedError(
      request.file + ": " + what +
      "; look for recursion or a range without end, or split the file");
}

Status OutOfMemory(const EvalRequest& request) {
  return TooMuch(request, "evaluation needs more memory than the " +
                              Mebibytes(request.limits.memory_bytes) +
                              " allowed");
}

// Why a signal ended the child.
Status SignalStatus(const EvalRequest& request, int signal) {
  const EvalLimits& limits = request.limits;
  switch (signal) {
    case SIGXCPU:
    case SIGKILL:  // the kernel's second step for CPU time, or its OOM killer
      return TooMuch(request, "evaluation took more than the " +
                                  Seconds(limits.cpu_s) +
                                  " of CPU time or the memory allowed");
    case SIGABRT:
      return OutOfMemory(request);
    case SIGSEGV:
    case SIGBUS:
      return InvalidArgumentError(
          request.file +
          ": Jsonnet crashed on it; most likely an expression or a value is "
          "nested many thousand levels deep");
    default:
      return InvalidArgumentError(request.file +
                                  ": Jsonnet was ended by signal " +
                                  std::to_string(signal));
  }
}

// The status of a child that gave no answer.
Status EndStatus(const EvalRequest& request, const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildEnd::kTimedOut:
      return DeadlineExceededError(
          request.file + ": evaluation did not end within " +
          Seconds(request.limits.wall_s) +
          "; look for recursion or a range without end");
    case ChildEnd::kFlooded:
      return TooMuch(request, "the result is larger than the " +
                                  Mebibytes(request.limits.output_bytes) +
                                  " allowed");
    case ChildEnd::kSignalled:
      return SignalStatus(request, outcome.code);
    case ChildEnd::kExited:
      break;
  }
  return InternalError("the Jsonnet process ended with status " +
                       std::to_string(outcome.code) + ": " +
                       Printable(outcome.err));
}

}  // namespace

Result<Evaluated> Evaluate(const EvalRequest& request,
                           const std::function<void()>& meanwhile) {
  ASSIGN_OR_RETURN(
      ChildOutcome outcome,
      RunChild([&request] { return EvalInChild(request); },
               request.limits.wall_s, request.limits.output_bytes, meanwhile));
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
    return EndStatus(request, outcome);
  }
  const size_t line_end = outcome.out.find('\n');
  ASSIGN_OR_RETURN(
      EvalHeader header,
      EvalHeaderFromLine(std::string_view(outcome.out).substr(0, line_end)));
  if (header.error == kOutOfMemoryError) {
    return OutOfMemory(request);
  }
  if (!header.error.empty()) {
    return InvalidArgumentError(Printable(std::move(header.error)));
  }
  outcome.out.erase(0, line_end + 1);
  return Evaluated{.document = std::move(outcome.out),
                   .files = std::move(header.files),
                   .trace = Printable(std::move(outcome.err))};
}

}  // namespace zs
