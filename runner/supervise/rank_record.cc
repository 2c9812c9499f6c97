#include "runner/supervise/rank_record.h"

#include <algorithm>

namespace zs {
namespace {

constexpr size_t kTailBytes = 4096;
constexpr size_t kLineBytes = 500;

std::string Printable(std::string_view line) {
  std::string text(line.substr(0, kLineBytes));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) {
      c = ' ';
    }
  }
  return text + (line.size() > kLineBytes ? "..." : "");
}

bool IsConsequence(const RankExit& exit, const std::vector<int>& codes) {
  return exit.signal == 0 &&
         std::find(codes.begin(), codes.end(), exit.exit_code) != codes.end();
}

}  // namespace

void OutputTail::Append(std::string_view bytes) {
  if (bytes.size() >= kTailBytes) {
    tail_ = bytes.substr(bytes.size() - kTailBytes);
    return;
  }
  tail_ += bytes;
  if (tail_.size() > 2 * kTailBytes) {
    tail_.erase(0, tail_.size() - kTailBytes);
  }
}

std::string OutputTail::LastLines(int max_lines) const {
  std::vector<std::string> lines;
  std::string_view rest = tail_;
  while (!rest.empty() && static_cast<int>(lines.size()) < max_lines) {
    const size_t feed = rest.rfind('\n');
    const size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    const std::string_view line = rest.substr(begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      lines.push_back(Printable(line));
    }
    rest = rest.substr(0, feed == std::string_view::npos ? 0 : feed);
  }
  std::string text;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    text += (text.empty() ? "" : "\n") + *line;
  }
  return text;
}

std::string RankRecord::LastLines() const {
  const std::string from_out = out.LastLines(5);
  const std::string from_err = err.LastLines(10);
  return from_out + (from_out.empty() || from_err.empty() ? "" : "\n") +
         from_err;
}

bool FailedByItself(const RankExit& exit) {
  return exit.started && exit.ended && !exit.stopped_by_us &&
         (exit.signal != 0 || exit.exit_code != 0);
}

const RankRecord* FirstFailed(const std::vector<RankRecord>& records,
                              const std::vector<int>& consequences) {
  const RankRecord* first = nullptr;
  const auto before = [&consequences](const RankExit& a, const RankExit& b) {
    const bool a_follows = IsConsequence(a, consequences);
    const bool b_follows = IsConsequence(b, consequences);
    return a_follows == b_follows ? a.ended_s < b.ended_s : b_follows;
  };
  for (const RankRecord& record : records) {
    if (FailedByItself(record.exit) &&
        (first == nullptr || before(record.exit, first->exit))) {
      first = &record;
    }
  }
  return first;
}

std::string FailureReason(const RankRecord& record) {
  std::string reason = "rank " + std::to_string(record.exit.rank) + " on " +
                       record.exit.node + ": " + record.exit.HowItEnded();
  if (record.exit.oom_kills > 0) {
    reason += ", oom_killed: memory ran out and the kernel killed " +
              (record.exit.oom_kills == 1
                   ? "it"
                   : std::to_string(record.exit.oom_kills) + " processes");
  }
  std::string said = record.error;
  if (said.empty()) {
    said = record.err.LastLines(1);
  }
  if (said.empty()) {
    said = record.out.LastLines(1);
  }
  return reason + (said.empty() ? "; it printed nothing" : "; '" + said + "'");
}

}  // namespace zs
