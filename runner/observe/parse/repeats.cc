#include "runner/observe/parse/repeats.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>

#include "runner/observe/parse/nccl.h"
#include "runner/observe/parse/nccl_speaker.h"
#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMaxPart = 64;  // bytes of a host, of what a kind shares
constexpr size_t kMaxLine = 512;
constexpr std::string_view kWord = " NCCL INFO ";

// Where the "[dev]" in front of " NCCL INFO " ends, or npos. Launchers put
// brackets of their own before it.
size_t SpeakerEnd(std::string_view line) {
  constexpr size_t kReach = 200;
  size_t at = 0;
  for (int bracket = 0; bracket < 4; ++bracket) {
    const size_t left = std::min(line.size(), kReach) - at;
    const void* close = std::memchr(line.data() + at, ']', left);
    if (close == nullptr) {
      return kNone;
    }
    at = static_cast<size_t>(static_cast<const char*>(close) - line.data()) + 1;
    if (Cursor(line.substr(at)).Take(kWord)) {
      return at;
    }
    if (at >= kReach) {
      return kNone;
    }
  }
  return kNone;
}

size_t DigitsEnd(std::string_view text, size_t at) {
  while (at < text.size() && IsDigit(text[at])) {
    ++at;
  }
  return at;
}

// Where "host:pid:tid [dev]" at the start of LINE ends, and HOST in it; npos
// where something else stands there.
size_t PlainSpeakerEnd(std::string_view line, std::string_view& host) {
  size_t at = 0;
  while (at < line.size() && line[at] > ' ' && line[at] != ':' &&
         line[at] != '[' && line[at] != '>') {
    ++at;
  }
  host = line.substr(0, at);
  const size_t pid = at + 1;
  const size_t pid_end = DigitsEnd(line, pid);
  const size_t tid = pid_end + 1;
  if (at == 0 || pid_end == pid || pid_end >= line.size() || line[at] != ':' ||
      line[pid_end] != ':') {
    return kNone;
  }
  const size_t end = DigitsEnd(line, tid);
  const size_t device = end + 2;
  const size_t close = DigitsEnd(line, device);
  const bool whole = close < line.size() && close > device && end > tid &&
                     line[end] == ' ' && line[end + 1] == '[' &&
                     line[close] == ']';
  return whole ? close + 1 : kNone;
}

// Eight bytes at a time; the last ones may count twice.
uint64_t Mixed(std::string_view text, uint64_t hash) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  uint64_t bytes = 0;
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::memcpy(&bytes, text.data() + at, 8);
    hash = (hash ^ bytes) * kFactor;
    hash ^= hash >> 32;
  }
  for (bytes = 0; at < text.size(); ++at) {
    bytes = bytes << 8 | static_cast<unsigned char>(text[at]);
  }
  hash = (hash ^ bytes) * kFactor;
  return hash ^ hash >> 32;
}

// " via P2P/CUMEM" of a channel's line; empty where MESSAGE is none.
std::string_view ViaOf(std::string_view message) {
  constexpr std::string_view kVia = "] via ";
  // From the end: it is short.
  for (size_t at = message.size(); at > 10 + kVia.size(); --at) {
    const size_t start = at - kVia.size();
    if (message[at - 1] == ' ' && Cursor(message.substr(start)).Take(kVia)) {
      return IsDigit(message[8]) ? message.substr(start + 1)
                                 : std::string_view();
    }
  }
  return {};
}

// What MESSAGE, the text behind "NCCL INFO ", shares with the others of its
// kind: the transport of a channel, or how it starts. Empty: it has to be read.
std::string_view SharedIn(std::string_view message) {
  return Cursor(message).Take("Channel ") ? ViaOf(message) : CountedIn(message);
}

// Passes on observations as those of several lines.
class Several final : public ObservationSink {
 public:
  Several(ObservationSink& next, int64_t lines) : next_(next), lines_(lines) {}

  void Take(const LogLine& line, const Observation& observation) override {
    Observation several = observation;
    std::visit(
        [this](auto& seen) {
          if constexpr (requires { seen.from.lines; }) {
            seen.from.lines = lines_;
          }
        },
        several);
    next_.Take(line, several);
  }

 private:
  ObservationSink& next_;
  int64_t lines_;
};

}  // namespace

bool NcclRepeats::Read(std::string_view line, Parts& parts) const {
  if (line.size() > kMaxLine) {
    return false;
  }
  size_t end = PlainSpeakerEnd(line, parts.host);
  if (end == kNone || !Cursor(line.substr(end)).Take(kWord)) {
    // Something stands before: nothing but launchers' prefixes may.
    end = SpeakerEnd(line);
    if (end == kNone || words_.Next(line, 0).position != end + 1) {
      return false;
    }
    parts.host = NcclSpeakerBefore(line.substr(0, end + 1)).host;
  }
  parts.word = end + 1;
  if (parts.host.empty() || parts.host.size() > kMaxPart) {
    return false;
  }
  parts.what = SharedIn(line.substr(end + kWord.size()));
  return !parts.what.empty() && parts.what.size() <= kMaxPart;
}

void NcclRepeats::Add(std::string_view line, const Parts& parts, size_t slot) {
  if (kinds_.size() >= kMaxKinds) {
    return;
  }
  Kind& kind = kinds_.emplace_back();
  kind.line = line;
  kind.word = parts.word;
  const auto own = [&](std::string_view part) {
    const auto at = static_cast<size_t>(part.data() - line.data());
    return std::string_view(kind.line).substr(at, part.size());
  };
  kind.host = own(parts.host);
  const bool in_line = parts.what.data() >= line.data() &&
                       parts.what.data() < line.data() + line.size();
  kind.what = in_line ? own(parts.what) : parts.what;
  slots_[slot] = static_cast<uint16_t>(kinds_.size());
}

bool NcclRepeats::Count(std::string_view line) {
  Parts parts;
  if (!Read(line, parts)) {
    return false;
  }
  if (slots_.empty()) {
    slots_.resize(kSlots);
  }
  size_t slot =
      Mixed(parts.what, Mixed(parts.host, parts.host.size())) & (kSlots - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
    Kind& kind = kinds_[slots_[slot] - size_t{1}];
    if (kind.what == parts.what && kind.host == parts.host) {
      if (kind.waiting++ == 0) {
        counted_.push_back(static_cast<uint16_t>(slots_[slot] - 1));
      }
      return true;
    }
  }
  Add(line, parts, slot);
  return false;
}

void NcclRepeats::Deliver(int source, int64_t line_number,
                          ObservationSink& sink) {
  for (const uint16_t index : counted_) {
    Kind& kind = kinds_[index];
    Several several(sink, kind.waiting);
    ParseNcclLine({source, line_number, kind.line}, kind.word, several);
    kind.waiting = 0;
  }
  counted_.clear();
}

void NcclRepeats::Clear() {
  slots_ = {};
  kinds_.clear();
}

}  // namespace zs
