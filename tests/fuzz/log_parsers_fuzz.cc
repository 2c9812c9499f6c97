// Each parser of a log line on any line that holds its word: it reads within
// the line and never goes back.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/observe/parse/observation.h"
#include "runner/observe/parse/words.h"
#include "runner/observe/text/lines.h"

namespace {

class Ignore final : public zs::ObservationSink {
 public:
  void Take(const zs::LogLine&, const zs::Observation&) override {}
};

}  // namespace

// The first two bytes choose the word, the third says where it stands.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) {
    return 0;
  }
  const zs::WordTable& words = zs::WordTable::Get();
  const std::string_view raw(reinterpret_cast<const char*>(data) + 3, size - 3);
  std::string buffer;
  std::string text(zs::WithoutControls(raw, buffer));
  const int word = (data[0] * 256 + data[1]) % words.words();
  const size_t at = text.empty() ? 0 : data[2] % text.size();
  text.insert(at, words.matcher().literal(word));
  const zs::LogLine line = {.source = 0, .number = 1, .text = text};
  Ignore sink;
  const zs::WordEntry& entry = words.entry(word);
  if (entry.parser != nullptr) {
    const size_t next = entry.parser(line, at, sink);
    if (next < at || next > text.size()) {
      std::abort();
    }
  }
  return 0;
}
