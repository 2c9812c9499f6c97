// Any bytes as a log: the same is seen however they are cut, and the diagnosis
// of it is valid JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "runner/observe/diagnose/diagnosis.h"
#include "runner/observe/diagnose/diagnosis_json.h"
#include "runner/observe/diagnose/diagnosis_text.h"
#include "runner/observe/parse/scanner.h"

namespace {

// Remembers the kinds of observations and their lines.
class Kinds final : public zs::ObservationSink {
 public:
  void Take(const zs::LogLine& line, const zs::Observation& seen) override {
    kinds.push_back(static_cast<int64_t>(seen.index()));
    kinds.push_back(line.number);
  }

  std::vector<int64_t> kinds;
};

std::vector<int64_t> Seen(std::string_view text, size_t piece) {
  Kinds sink;
  zs::LogScanner scanner(0, sink);
  for (size_t at = 0; at < text.size(); at += piece) {
    scanner.Feed(text.substr(at, piece));
  }
  scanner.Finish();
  return std::move(sink.kinds);
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
