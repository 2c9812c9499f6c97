#include "runner/observe/diagnose/line_ref.h"

#include <string_view>

#include "base/strings.h"
#include "runner/observe/parse/nccl_speaker.h"
#include "runner/observe/text/cursor.h"
#include "runner/observe/text/lines.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

// "slurmstepd-node0: error:", "srun: error: node0: task 0: ...",
// "slurmstepd: error: *** STEP 7.0 ON node0 CANCELLED".
std::string_view SlurmHost(std::string_view text) {
  Cursor cursor(text);
  if (cursor.TakeThrough("slurmstepd-")) {
    return cursor.Until(":");
  }
  cursor = Cursor(text);
  if (cursor.TakeThrough("srun: error: ")) {
    const std::string_view host = cursor.Until(":");
    return cursor.Take(": task") ? host : std::string_view();
  }
  cursor = Cursor(text);
  if (cursor.TakeThrough("slurmstepd: error: *** ") &&
      cursor.TakeThrough(" ON ")) {
    const std::string_view host = cursor.TakeWord();
    return cursor.Take(" CANCELLED") ? host : std::string_view();
  }
  return {};
}

}  // namespace

LineRef MakeLineRef(const std::vector<LogSource>& sources,
                    const LogLine& line) {
  const std::string_view text = line.text.substr(0, 4096);
  LineRef ref;
  ref.source = line.source;
  ref.line = line.number;
  ref.quote = Quotable(Trimmed(line.text));
  ref.time_s = TimeIn(text);
  const Prefix prefix = ParsePrefix(text);
  const LogSource* source = line.source < static_cast<int>(sources.size())
                                ? &sources[line.source]
                                : nullptr;
  std::string_view host = NcclSpeakerOf(text).host;
  if (host.empty()) {
    host = SlurmHost(text);
  }
  if (host.empty()) {
    host = prefix.host;
  }
  if (host.empty() && source != nullptr) {
    host = source->node;
  }
  ref.node = std::string(host);
  ref.rank = RankIn(text);
  if (ref.rank < 0 && prefix.rank >= 0) {
    ref.rank = prefix.rank;
  }
  if (ref.rank < 0 && source != nullptr) {
    ref.rank = source->rank;
  }
  return ref;
}

}  // namespace zs
