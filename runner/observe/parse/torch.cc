#include "runner/observe/parse/torch.h"

#include <string_view>

#include "base/strings.h"
#include "runner/observe/text/cursor.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

template <typename T>
bool Behind(std::string_view text, std::string_view word, T& target) {
  Cursor cursor(text);
  return cursor.TakeThrough(word) && cursor.TakeNumber(target);
}

// The value of an option written "--a-b V", "--a_b=V" and the like.
std::string_view Option(std::string_view command, std::string_view dashed,
                        std::string_view underlined) {
  for (const std::string_view name : {dashed, underlined}) {
    Cursor cursor(command);
    if (cursor.TakeThrough(name) && !cursor.empty() &&
        (cursor.rest()[0] == ' ' || cursor.rest()[0] == '=')) {
      cursor.Skip(1);
      return cursor.TakeWord();
    }
  }
  return {};
}

int IntOption(std::string_view command, std::string_view dashed,
              std::string_view underlined) {
  int value = -1;
  Cursor(Option(command, dashed, underlined)).TakeInt(value);
  return value;
}

// The group's name in "[PG ID 0 PG GUID 0(default_pg) Rank 3]", "[PG 1 Rank
// 0]".
std::string_view GroupIn(std::string_view text) {
  Cursor cursor(text);
  if (!cursor.TakeThrough("[PG ")) {
    return {};
  }
  return cursor.Until(" Rank ");
}

int SpeakerRank(std::string_view text) {
  const int rank = RankIn(text);
  return rank >= 0 ? rank : ParsePrefix(text).rank;
}

}  // namespace

size_t ParseWorkerFailed(const LogLine& line, size_t at,
                         ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  WorkerFailure failure;
  if (!Behind(text, "(exitcode:", failure.exit_code)) {
    return at;
  }
  Behind(text, "local_rank:", failure.local_rank);
  Behind(text, "(pid:", failure.pid);
  failure.time_s = TimeIn(line.text).value_or(kNoNumber);
  failure.host = ParsePrefix(line.text).host;
  sink.Take(line, failure);
  return line.text.size();
}

size_t ParseWatchdogTimeout(const LogLine& line, size_t at,
                            ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  WatchdogTimeout timeout;
  timeout.rank = SpeakerRank(line.text.substr(0, at));
  Behind(text, "SeqNum=", timeout.sequence);
  Behind(text, "NumelIn=", timeout.elements);
  Behind(text, "Timeout(ms)=", timeout.timeout_ms);
  Behind(text, "ran for ", timeout.ran_ms);
  Cursor operation(text);
  if (operation.TakeThrough("OpType=")) {
    timeout.operation = operation.Until(",");
  }
  sink.Take(line, timeout);
  return at + 8;  // the catalogue knows this line too
}

size_t ParseWatchdogProgress(const LogLine& line, size_t at,
                             ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  WatchdogProgress progress;
  progress.rank = SpeakerRank(line.text.substr(0, at));
  progress.group = GroupIn(line.text);
  Cursor cursor(text);
  if (!cursor.TakeThrough("work:") || !cursor.TakeNumber(progress.enqueued) ||
      !cursor.TakeThrough("work:") || !cursor.TakeNumber(progress.completed)) {
    return at;
  }
  sink.Take(line, progress);
  return line.text.size() - cursor.rest().size();
}

size_t ParseStoreBarrier(const LogLine& line, size_t at,
                         ObservationSink& sink) {
  const std::string_view text = line.text.substr(at);
  StoreBarrier barrier;
  Behind(text, "rank: ", barrier.rank);
  Behind(text, "world_size=", barrier.world);
  if (!Behind(text, "worker_count=", barrier.joined)) {
    Behind(text, "num_workers_joined=", barrier.joined);
  }
  if (barrier.world < 0) {
    return at;
  }
  sink.Take(line, barrier);
  return line.text.size();
}

size_t ParseLaunchCommand(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  const std::string_view command = line.text.substr(at);
  if (command.find(" --n") == kNone && command.find(" --m") == kNone &&
      command.find(" --r") == kNone) {
    return at;
  }
  LaunchCommand launch;
  launch.text = line.text;
  launch.nodes = IntOption(command, "--nnodes", "--nnodes");
  launch.node_rank = IntOption(command, "--node-rank", "--node_rank");
  launch.endpoint = Option(command, "--rdzv-endpoint", "--rdzv_endpoint");
  if (launch.endpoint.empty()) {
    launch.endpoint = Option(command, "--master-addr", "--master_addr");
  }
  launch.endpoint_is_shell = launch.endpoint.find("$(hostname") != kNone ||
                             launch.endpoint.find("`hostname") != kNone ||
                             launch.endpoint.find("$HOSTNAME") != kNone;
  sink.Take(line, launch);
  return line.text.size();
}

size_t ParseDistWorldSize(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  WorldLine world;
  if (!Behind(line.text.substr(at), "dist_world_size=", world.world)) {
    return at;
  }
  sink.Take(line, world);
  return line.text.size();
}

void FailureReport::TakeExit(const LogLine& line, std::string_view text,
                             ObservationSink& sink) {
  WorkerFailure failure;
  Cursor cursor(text);
  if (!cursor.TakeThrough("exitcode") || !cursor.TakeThrough(":") ||
      !cursor.TakeNumber(failure.exit_code)) {
    return;
  }
  Behind(text, "(pid:", failure.pid);
  failure.host = host_;
  failure.rank = rank_;
  failure.local_rank = local_rank_;
  failure.time_s = time_s_;
  failure.first_observed = first_observed_;
  sink.Take(line, failure);
  rank_ = local_rank_ = -1;
  lines_left_ = 0;
}

size_t FailureReport::Parse(const LogLine& line, size_t at,
                            ObservationSink& sink) {
  ++reports_;
  const std::string_view text = line.text.substr(at);
  Cursor cursor(text);
  if (cursor.Take("Root Cause (first")) {
    first_observed_ = true;
    lines_left_ = 10;
  } else if (cursor.Take("<NO_OTHER") || cursor.Take("Failures:")) {
    first_observed_ = false;
    host_.clear();
  } else if (cursor.Take("  time      :")) {
    time_s_ = TimeIn(line.text).value_or(kNoNumber);
  } else if (cursor.Take("  host      :")) {
    host_ = std::string(cursor.TakeWord());
  } else if (cursor.Take("  rank      :")) {
    cursor.TakeNumber(rank_);
    Behind(text, "local_rank:", local_rank_);
  } else if (cursor.Take("  exitcode  :")) {
    TakeExit(line, text, sink);
  } else if (text.substr(0, 11) == "(local rank") {
    const size_t word = line.text.substr(0, at).rfind("rank");
    Behind(text, "rank:", local_rank_);
    if (word != kNone) {
      Cursor(line.text.substr(word + 4)).TakeNumber(rank_);
    }
    TakeExit(line, text, sink);
  }
  return at + 7;
}

void FailureReport::TakeLine(const LogLine& line) {
  --lines_left_;
  const std::string_view word = Trimmed(line.text);
  if (after_date_ && !word.empty() && word.find_first_of(" :") == kNone) {
    host_ = std::string(word);
  }
  after_date_ = word.size() >= 19 && word.size() <= 26 && word[4] == '-' &&
                TimeIn(word).has_value();
  if (after_date_) {
    time_s_ = *TimeIn(word);
  }
}

}  // namespace zs
