#include "results/store/record.h"

#include <cstddef>

namespace zs::results {
namespace {

// WORDS in the order of the enum; empty for a number beyond it.
template <size_t kSize, typename E>
std::string_view WordOf(const std::string_view (&words)[kSize], E value) {
  const size_t index = static_cast<size_t>(value);
  return index < kSize ? words[index] : std::string_view();
}

}  // namespace

std::string_view Name(ProcessState state) {
  static constexpr std::string_view kWords[] = {"exited", "killed", "timed_out",
                                                "hung", "lost"};
  return WordOf(kWords, state);
}

std::string_view Name(MeasurementState state) {
  static constexpr std::string_view kWords[] = {"valid", "incomplete",
                                                "no_data", "invalid_loss"};
  return WordOf(kWords, state);
}

std::string_view Name(Verdict verdict) {
  static constexpr std::string_view kWords[] = {"pass", "fail", "undecided"};
  return WordOf(kWords, verdict);
}

std::string_view Name(NotRun state) {
  static constexpr std::string_view kWords[] = {
      "cached", "need_failed", "excluded", "does_not_fit", "budget"};
  return WordOf(kWords, state);
}

std::string_view Name(CheckStatus status) {
  static constexpr std::string_view kWords[] = {"pass", "warn", "fail",
                                                "unknown"};
  return WordOf(kWords, status);
}

std::string_view Name(Severity severity) {
  static constexpr std::string_view kWords[] = {"info", "warning", "error"};
  return WordOf(kWords, severity);
}

std::string_view Name(MemoryKind kind) {
  static constexpr std::string_view kWords[] = {"measured", "predicted"};
  return WordOf(kWords, kind);
}

}  // namespace zs::results
