#include "results/report/run_cells.h"

#include <array>
#include <ctime>

namespace zs::results {

namespace {

Cell FormattedTime(int64_t unix_ms, const char* format) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  if (unix_ms == 0 || ::gmtime_r(&seconds, &parts) == nullptr) {
    return UnknownCell();
  }
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), format, &parts);
  return {unix_ms, std::string(text.data(), size)};
}

}  // namespace

Cell TimeCell(int64_t unix_ms) {
  return FormattedTime(unix_ms, "%F %T");
}

Cell MinuteCell(int64_t unix_ms) {
  return FormattedTime(unix_ms, "%F %R");
}

Cell SecondsCell(std::optional<int64_t> ended_ms, int64_t started_ms) {
  if (!ended_ms) {
    return UnknownCell();
  }
  return NumberCell(static_cast<double>(*ended_ms - started_ms) / 1000, 1);
}

std::string ReasonOf(const RunOutcome& outcome) {
  for (const std::string* reason :
       {&outcome.verdict_reason, &outcome.measurement_reason,
        &outcome.process_reason}) {
    if (!reason->empty()) {
      return *reason;
    }
  }
  return "";
}

Cell ProcessCell(const RunRow& run) {
  return run.outcome ? TextCell(std::string(Name(run.outcome->process)))
                     : TextCell("running");
}

Cell MeasurementCell(const RunRow& run) {
  return run.outcome ? TextCell(std::string(Name(run.outcome->measurement)))
                     : UnknownCell();
}

Cell VerdictCell(const RunRow& run) {
  return run.outcome ? TextCell(std::string(Name(run.outcome->verdict)))
                     : UnknownCell();
}

}  // namespace zs::results
