#include "runner/observe/parse/scanner.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "re2/re2.h"
#include "runner/observe/catalogue/signature.h"
#include "runner/observe/parse/megatron.h"
#include "runner/observe/parse/scan_helper.h"
#include "runner/observe/parse/words.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;
// How much of a line an expression sees around its word.
constexpr size_t kBefore = 512;
constexpr size_t kBehind = 3072;
// Hits of one expression in one stream that are looked at; a flood of the
// same line says nothing new.
constexpr uint32_t kMaxHits = 4096;

// Smaller blocks are read sooner than another thread wakes up.
constexpr size_t kWorthAThread = size_t{128} << 10;

int64_t LinesIn(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

// Parsers see this much around a word of a very long line, so that a line
// made of words costs no more than its length.
constexpr size_t kWindowBefore = 2048;
constexpr size_t kWindowBehind = 16 * 1024;
constexpr size_t kMaxWorkPerLine = size_t{8} << 20;

}  // namespace

// Notes whether a line gave anything.
class LogScanner::Counter : public ObservationSink {
 public:
  explicit Counter(ObservationSink& next) : next_(next) {}

  void Take(const LogLine& line, const Observation& observation) override {
    any_ = true;
    next_.Take(line, observation);
  }

  bool WantsStep(const LogLine& line, int64_t iteration) const override {
    return next_.WantsStep(line, iteration);
  }

  // Whether there was something since the last call.
  bool TakeAny() {
    const bool any = any_;
    any_ = false;
    return any;
  }

 private:
  ObservationSink& next_;
  bool any_ = false;
};

// Scans a block on another thread as if nothing had been begun before it, and
// keeps what it saw.
class LogScanner::Ahead final : public ObservationSink {
 public:
  Ahead() : scanner_(0, *this) {}

  void Take(const LogLine& line, const Observation& observation) override {
    lasting_ &= Lasts(observation);
    lines_.push_back(line);
    observations_.push_back(observation);
  }

  // A step's figures are read where they are delivered, if they are wanted.
  bool WantsStep(const LogLine& line, int64_t iteration) const override {
    static_cast<void>(line);
    static_cast<void>(iteration);
    return false;
  }

  // BLOCK stays until End has returned.
  void Begin(std::string_view block) {
    lines_.clear();
    observations_.clear();
    lasting_ = true;
    scanner_.traceback_ = TracebackReader();
    scanner_.report_ = FailureReport();
    scanner_.line_number_ = 0;
    scanner_.recognised_ = 0;
    scanner_.cleaned_ = false;
    helper_.Start([this, block] { scanner_.ScanBlock(block); });
  }

  void End() { helper_.Wait(); }

  // Delivers what End has finished as TARGET's own. False, and nothing is
  // delivered, where it left something begun, or saw what does not last.
  bool Deliver(LogScanner& target) {
    if (scanner_.wants_lines() || scanner_.cleaned_ ||
        scanner_.report_.seen() || !lasting_) {
      return false;
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      LogLine& line = lines_[i];
      line.source = target.source_;
      line.number += target.line_number_;
      DeliverOne(line, observations_[i], target.sink_);
    }
    target.line_number_ += scanner_.line_number_;
    target.recognised_ += scanner_.recognised_;
    return true;
  }

 private:
  static void DeliverOne(const LogLine& line, const Observation& seen,
                         ObservationSink& sink) {
    const auto* step = std::get_if<TrainStep>(&seen);
    if (step != nullptr && step->unread_at != kNone &&
        sink.WantsStep(line, step->iteration)) {
      ParseIterationLine(line, step->unread_at, sink);
    } else {
      sink.Take(line, seen);
    }
  }

  // Whether all texts of OBSERVATION are parts of the block; those of the
  // others may be of the parser's own, and gone by now.
  static bool Lasts(const Observation& observation) {
    return std::visit(
        [](const auto& seen) {
          using T = std::decay_t<decltype(seen)>;
          return !std::is_same_v<T, PythonError> &&
                 !std::is_same_v<T, WorkerFailure> &&
                 !std::is_same_v<T, CheckpointLine> &&
                 !std::is_same_v<T, ParallelConfig> &&
                 !std::is_same_v<T, BandwidthRow> &&
                 !std::is_same_v<T, NcclTestsDevice> &&
                 !std::is_same_v<T, NcclTestsHeader> &&
                 !std::is_same_v<T, LaunchCommand> &&
                 !std::is_same_v<T, TcpConnection>;
        },
        observation);
  }

  std::vector<LogLine> lines_;
  std::vector<Observation> observations_;
  bool lasting_ = true;
  LogScanner scanner_;
  ScanHelper helper_;
};

LogScanner::LogScanner(int source, ObservationSink& sink)
    : words_(WordTable::Get()),
      sink_(sink),
      counter_(std::make_unique<Counter>(sink)),
      lines_([this](std::string_view block) { TakeBlock(block); }),
      repeats_(words_.matcher()),
      source_(source),
      hit_counts_(words_.expressions(), 0) {}

LogScanner::~LogScanner() = default;

void LogScanner::Finish() {
  lines_.Finish();
  repeats_.Clear();
  ahead_.reset();
}

ScanCounts LogScanner::counts() const {
  return {lines_.bytes(), line_number_, recognised_, lines_.cut_lines()};
}

void LogScanner::UseTwoThreads() {
  ahead_ = std::make_unique<Ahead>();
}

// The second half of a large block is read ahead while the first is read.
void LogScanner::TakeBlock(std::string_view block) {
  const size_t middle =
      ahead_ == nullptr || block.size() < kWorthAThread || block.back() != '\n'
          ? kNone
          : block.find('\n', block.size() / 2) + 1;
  if (middle == kNone || middle == block.size()) {
    ScanBlock(block);
    return;
  }
  ahead_->Begin(block.substr(middle));
  ScanBlock(block.substr(0, middle));
  ahead_->End();
  if (wants_lines() || report_.seen() || !ahead_->Deliver(*this)) {
    ScanBlock(block.substr(middle));
  }
}

void LogScanner::ScanBlock(std::string_view block) {
  size_t at = 0;  // always the start of a line
  while (at < block.size()) {
    size_t end = FirstControl(block, at);
    const bool clean = end < block.size() && block[end] == '\n';
    size_t hit = kNone;
    if (!wants_lines()) {
      if (clean && repeats_.Count(block.substr(at, end - at))) {
        ++line_number_;
        ++recognised_;
        at = end + 1;
        continue;
      }
      hit = words_.matcher().Next(block, at).position;
      const size_t start = SkipTo(block, at, hit);
      if (start != at) {
        at = start;
        continue;
      }
      hit -= at;
    }
    end = clean ? end : std::min(block.find('\n', end), block.size());
    ++line_number_;
    ScanRawLine(block.substr(at, end - at), hit);
    at = end + 1;
  }
  repeats_.Deliver(source_, line_number_, sink_);
}

// The start of the line of BLOCK in which HIT stands, or its end where that is
// npos; the lines between AT and there are counted.
size_t LogScanner::SkipTo(std::string_view block, size_t at, size_t hit) {
  if (hit == kNone) {
    line_number_ += LinesIn(block.substr(at)) + (block.back() == '\n' ? 0 : 1);
    return block.size();
  }
  const size_t before = block.rfind('\n', hit);
  const size_t start = before == kNone || before < at ? at : before + 1;
  line_number_ += LinesIn(block.substr(at, start - at));
  return start;
}

void LogScanner::ScanRawLine(std::string_view raw, size_t hit) {
  if (!raw.empty() && raw.back() == '\r') {
    raw.remove_suffix(1);
  }
  if (FirstControl(raw) == raw.size()) {
    ScanText(raw, hit == kNone ? 0 : hit);
  } else {
    cleaned_ = true;
    // A progress bar overwrites its line: each state is a line of its own.
    for (size_t at = 0; at <= raw.size();) {
      const size_t end = std::min(raw.find('\r', at), raw.size());
      ScanText(WithoutControls(raw.substr(at, end - at), clean_), 0);
      at = end + 1;
    }
  }
  if (counter_->TakeAny()) {
    ++recognised_;
  }
}

void LogScanner::ScanText(std::string_view text, size_t from) {
  const LogLine line{source_, line_number_, text};
  if (traceback_.wants_lines()) {
    traceback_.TakeLine(line, *counter_);
  }
  if (report_.wants_lines()) {
    report_.TakeLine(line);
  }
  const LiteralMatcher& matcher = words_.matcher();
  const size_t cost = std::min(text.size(), kWindowBefore + kWindowBehind);
  size_t work = 0;
  for (size_t at = from; at < text.size() && work < kMaxWorkPerLine;) {
    LiteralMatcher::Hit hit = matcher.Next(text, at);
    if (hit.literal < 0) {
      return;
    }
    size_t next = hit.position + 1;
    while (hit.literal >= 0) {
      next = std::max(next, DispatchWithin(line, hit.position, hit.literal));
      hit.literal = matcher.Also(text, hit);
    }
    at = next;
    work += cost;
  }
}

size_t LogScanner::DispatchWithin(const LogLine& line, size_t at, int word) {
  if (line.text.size() <= kWindowBehind) {
    return Dispatch(line, at, word);
  }
  const size_t start = at > kWindowBefore ? at - kWindowBefore : 0;
  const LogLine window{line.source, line.number,
                       line.text.substr(start, at - start + kWindowBehind)};
  return start + Dispatch(window, at - start, word);
}

size_t LogScanner::Dispatch(const LogLine& line, size_t at, int word) {
  const WordEntry& entry = words_.entry(word);
  if (!entry.expressions.empty()) {
    MatchSignatures(line, at, word);
  }
  switch (entry.use) {
    case WordUse::kParser:
      return entry.parser(line, at, *counter_);
    case WordUse::kTraceback:
      traceback_.Open(line);
      break;
    case WordUse::kReport:
      return report_.Parse(line, at, *counter_);
    case WordUse::kCatalogue:
      break;
  }
  return at;
}

size_t LogScanner::MatchSignatures(const LogLine& line, size_t at, int word) {
  const size_t start = at > kBefore ? at - kBefore : 0;
  const std::string_view around = line.text.substr(start, at - start + kBehind);
  const re2::StringPiece text(around.data(), around.size());
  int matched = -1;  // signature: its first expression that fits speaks
  for (const int expression : words_.entry(word).expressions) {
    const int signature = words_.signature(expression);
    if (signature == matched || hit_counts_[expression] >= kMaxHits) {
      continue;
    }
    const re2::RE2& regex = words_.regex(expression);
    std::array<re2::StringPiece, 5> groups;
    const int count = 1 + std::min(4, regex.NumberOfCapturingGroups());
    if (!regex.Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                     count)) {
      continue;
    }
    ++hit_counts_[expression];
    matched = signature;
    SignatureHit hit;
    hit.signature = signature;
    for (int i = 1; i < count; ++i) {
      hit.captures[i - 1] = {groups[i].data(), groups[i].size()};
    }
    counter_->Take(line, hit);
  }
  return at;
}

}  // namespace zs
