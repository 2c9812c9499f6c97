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

// Where the "[dev]" in front of " NCCL INFO " ends, or npos. Launchers put
// brackets of their own before it.
size_t SpeakerEnd(std::string_view line) {
  constexpr std::string_view kWord = " NCCL INFO ";
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

// The host where SPEAKER is "host:pid:tid [dev]" and nothing else.
std::string_view HostOf(std::string_view speaker) {
  const size_t host = speaker.find(':');
  if (host == kNone || host == 0) {
    return {};
  }
  const size_t pid = DigitsEnd(speaker, host + 1);
  if (pid >= speaker.size() || speaker[pid] != ':') {
    return {};
  }
  const size_t tid = DigitsEnd(speaker, pid + 1);
  if (speaker.substr(tid, 2) != " [" ||
      DigitsEnd(speaker, tid + 2) + 1 != speaker.size()) {
    return {};
  }
  const std::string_view name = speaker.substr(0, host);
  return name.find_first_of(" \t]>") == kNone ? name : std::string_view();
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
  const size_t end = SpeakerEnd(line);
  if (end == kNone || line.size() > kMaxLine) {
    return false;
  }
  parts.word = end + 1;
  parts.host = HostOf(line.substr(0, end));
  if (parts.host.empty()) {
    // Something stands before: nothing but launchers' prefixes may.
    if (words_.Next(line, 0).position != parts.word) {
      return false;
    }
    parts.host = NcclSpeakerBefore(line.substr(0, parts.word)).host;
  }
  if (parts.host.empty() || parts.host.size() > kMaxPart) {
    return false;
  }
  constexpr size_t kWord = 10;  // "NCCL INFO "
  parts.what = CountedIn(line.substr(parts.word + kWord));
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
