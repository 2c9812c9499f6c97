#include "runner/observe/parse/nccl_speaker.h"

#include <cstddef>

#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Fields of "host:pid:tid", the end of HEAD.
void TakeProcess(std::string_view head, NcclSpeaker& speaker) {
  size_t start = head.size();
  size_t colons[2] = {0, 0};  // the last one and the one before
  int seen = 0;
  while (start > 0) {
    const char c = head[start - 1];
    if (c == ' ' || c == '\t' || c == ']' || c == '>') {
      break;
    }
    --start;
    if (c == ':' && seen < 2) {
      colons[seen++] = start;
    }
  }
  if (seen == 2 && Cursor(head.substr(colons[1] + 1)).TakeInt(speaker.pid)) {
    start += head[start] == ':' ? 1 : 0;  // "[default3]:host:pid:tid"
    if (start <= colons[1]) {
      speaker.host = head.substr(start, colons[1] - start);
    }
  }
}

}  // namespace

NcclSpeaker NcclSpeakerBefore(std::string_view before) {
  before = before.substr(before.size() > 512 ? before.size() - 512 : 0);
  NcclSpeaker speaker;
  const bool right_here = before.size() > 2 && before.back() == ' ' &&
                          before[before.size() - 2] == ']';
  const size_t close = right_here ? before.size() - 2 : before.rfind("] ");
  const size_t open = close == kNone ? kNone : before.rfind('[', close);
  if (open == kNone) {
    return speaker;
  }
  Cursor(before.substr(open + 1, close - open - 1)).TakeInt(speaker.device);
  const size_t end = open > 0 && before[open - 1] == ' ' ? open - 1 : open;
  TakeProcess(before.substr(0, end), speaker);
  return speaker;
}

NcclSpeaker NcclSpeakerOf(std::string_view text) {
  for (const std::string_view word : {"NCCL WARN ", "NCCL INFO "}) {
    if (const size_t at = text.find(word); at != kNone) {
      return NcclSpeakerBefore(text.substr(0, at));
    }
  }
  return {};
}

}  // namespace zs
