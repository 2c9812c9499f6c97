#include "results/report/junit.h"

#include <array>
#include <cstdio>
#include <vector>

#include "results/report/text.h"

namespace zs::results {
namespace {

std::string Seconds(int64_t ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f",
                static_cast<double>(ms) / 1000);
  return text.data();
}

struct Totals {
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  int64_t ms = 0;
};

std::string Child(const std::string& element, const std::string& type,
                  const std::string& message) {
  return "      <" + element + (type.empty() ? "" : " type=\"" + type + "\"") +
         " message=\"" + XmlAttribute(message) + "\"/>\n";
}

// A run that passed needs no element; one that was judged and failed is a
// failure; one that could not be judged is an error.
std::string ChildOf(const RunRow& run, Totals& totals) {
  if (!run.outcome) {
    ++totals.errors;
    return Child("error", "running", "not finished");
  }
  const RunOutcome& o = *run.outcome;
  if (o.verdict == Verdict::kPass) {
    return "";
  }
  const std::string states =
      std::string(Name(o.process)) + " (" + o.process_reason + "), " +
      std::string(Name(o.measurement)) + " (" + o.measurement_reason + "), " +
      std::string(Name(o.verdict)) + " (" + o.verdict_reason + ")";
  if (o.verdict == Verdict::kFail) {
    ++totals.failures;
    return Child("failure", std::string(Name(o.measurement)), states);
  }
  ++totals.errors;
  return Child("error", std::string(Name(o.process)), states);
}

Result<std::string> CaseOf(const Reader& reader, const ExperimentRow& row,
                           const std::string& sweep, Totals& totals) {
  std::string child;
  int64_t ms = 0;
  if (row.newest_run_id) {
    ASSIGN_OR_RETURN(const RunRow run, reader.Run(*row.newest_run_id));
    ms = run.ended_unix_ms.value_or(run.started_unix_ms) - run.started_unix_ms;
    child = ChildOf(run, totals);
  } else {
    ++totals.skipped;
    child = Child("skipped", "",
                  row.not_run ? std::string(Name(*row.not_run)) + ": " +
                                    row.not_run_reason
                              : "not run");
  }
  totals.ms += ms;
  const std::string open = "    <testcase classname=\"" + XmlAttribute(sweep) +
                           "\" name=\"" + XmlAttribute(row.experiment.name) +
                           "\" time=\"" + Seconds(ms) + "\"";
  return child.empty() ? open + "/>\n"
                       : open + ">\n" + child + "    </testcase>\n";
}

}  // namespace

Result<std::string> JUnitXml(const Reader& reader, int64_t sweep_id) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  ASSIGN_OR_RETURN(const SweepRow sweep, reader.Sweep(sweep_id));
  ASSIGN_OR_RETURN(const auto experiments, reader.Experiments(sweep_id));
  Totals totals;
  std::string cases;
  for (const ExperimentRow& row : experiments) {
    ASSIGN_OR_RETURN(const std::string one,
                     CaseOf(reader, row, sweep.start.name, totals));
    cases += one;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
         "  <testsuite name=\"" +
         XmlAttribute(sweep.start.name) + "\" tests=\"" +
         std::to_string(experiments.size()) + "\" failures=\"" +
         std::to_string(totals.failures) + "\" errors=\"" +
         std::to_string(totals.errors) + "\" skipped=\"" +
         std::to_string(totals.skipped) + "\" time=\"" + Seconds(totals.ms) +
         "\">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace zs::results
