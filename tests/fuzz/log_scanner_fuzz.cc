// Any bytes as a log: the same is seen however they are cut, and the diagnosis
// of it is valid JSON.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "runner/observe/diagnose/diagnosis.h"
#include "runner/observe/diagnose/diagnosis_json.h"
#include "runner/observe/diagnose/diagnosis_text.h"
#include "runner/observe/parse/scanner.h"

namespace {

// Remembers the kinds of observations and their lines; of those that may be
// counted together the number.
class Kinds final : public zs::ObservationSink {
 public:
  void Take(const zs::LogLine& line,
            const zs::Observation& observation) override {
    const auto kind = static_cast<int64_t>(observation.index());
    const auto counted = [&](const auto& seen) {
      if constexpr (requires { seen.from.lines; }) {
        counts[kind] += seen.from.lines;
        return true;
      }
      return false;
    };
    if (!std::visit(counted, observation)) {
      kinds.push_back(kind);
      kinds.push_back(line.number);
    }
  }

  std::vector<int64_t> All() {
    for (const auto& [kind, count] : counts) {
      kinds.push_back(kind);
      kinds.push_back(count);
    }
    return std::move(kinds);
  }

  std::vector<int64_t> kinds;
  std::map<int64_t, int64_t> counts;
};

std::vector<int64_t> Seen(std::string_view text, size_t piece) {
  Kinds sink;
  zs::LogScanner scanner(0, sink);
  for (size_t at = 0; at < text.size(); at += piece) {
    scanner.Feed(text.substr(at, piece));
  }
  scanner.Finish();
  return sink.All();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Seen(text, size + 1) != Seen(text, 1 + size / 5)) {
    std::abort();
  }
  const zs::Diagnosis diagnosis = zs::DiagnoseText(text);
  const std::string json = zs::DumpJson(zs::DiagnosisToJson(diagnosis));
  if (!zs::ParseJson(json).ok()) {
    std::abort();
  }
  zs::DiagnosisToText(diagnosis);
  return 0;
}
