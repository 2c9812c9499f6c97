// logs: what the ranks of a run wrote.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "results/store/reader.h"
#include "runner/backend/line_splitter.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"
#include "runner/observe/text/input.h"

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;
constexpr auto kFollowPause = std::chrono::milliseconds(200);

// A log, read as it grows; one that is compressed already is read at once.
class LogTail {
 public:
  // WANTED: the lines that are printed, of rank "12 " and so on; empty: all.
  LogTail(std::string path, std::string prefix, std::string wanted = "")
      : path_(std::move(path)),
        file_(path_, std::ios::binary),
        prefix_(std::move(prefix)),
        wanted_(std::move(wanted)),
        safe_(::isatty(STDOUT_FILENO) == 1) {}

  bool open() const { return file_.is_open(); }

  // Prints what has come since the last call.
  void PrintNew() {
    if (path_.ends_with(".zst")) {
      if (!std::exchange(read_, true)) {
        (void)ReadLog(path_, [this](std::string_view bytes) {
          splitter_.Add(bytes, Printer());
        });
      }
      return;
    }
    std::string block(1 << 16, '\0');
    while (true) {
      file_.clear();
      file_.read(block.data(), static_cast<std::streamsize>(block.size()));
      const auto n = static_cast<size_t>(file_.gcount());
      if (n == 0) {
        return;
      }
      splitter_.Add(std::string_view(block).substr(0, n), Printer());
    }
  }

  void Finish() { splitter_.Finish(Printer()); }

 private:
  LineSplitter::Callback Printer() {
    return [this](std::string_view line) {
      if (!IsWanted(line)) {
        return;
      }
      // A terminal is not to be steered by what a rank wrote.
      Print(prefix_ + (safe_ ? Printable(line) : std::string(line)) + "\n");
    };
  }

  // In a node's log the rank stands behind the time.
  bool IsWanted(std::string_view line) const {
    const size_t blank = line.find(' ');
    return wanted_.empty() || (blank != std::string_view::npos &&
                               line.substr(blank + 1).starts_with(wanted_));
  }

  std::string path_;
  std::ifstream file_;
  std::string prefix_;
  std::string wanted_;
  bool safe_;
  bool read_ = false;
  LineSplitter splitter_{kMaxLineBytes};
};

// "…/rank3.log" is rank 3.
std::string LogPath(const std::string& folder, int rank) {
  return folder + "/rank" + std::to_string(rank) + ".log";
}

bool IsOver(const Arguments& a, int64_t run_id) {
  const auto reader = results::Reader::Open(DatabasePath(a.db));
  if (!reader.ok()) {
    return true;
  }
  const auto run = (*reader)->Run(run_id);
  return !run.ok() || run->outcome.has_value();
}

// The log of one node, while the run goes on or when it is over.
std::vector<LogTail> OpenNodeLog(const Arguments& a,
                                 const std::string& folder) {
  const std::string path = folder + "/node" + std::to_string(*a.node) + ".log";
  const std::string wanted =
      a.rank.has_value() ? std::to_string(*a.rank) + " " : "";
  std::vector<LogTail> tails;
  for (const char* form : {"", ".zst"}) {
    tails.emplace_back(path + form, "", wanted);
    if (tails.back().open()) {
      return tails;
    }
    tails.pop_back();
  }
  return tails;
}

Result<std::vector<LogTail>> OpenLogs(const Arguments& a,
                                      const results::Reader& reader,
                                      int64_t run_id) {
  ASSIGN_OR_RETURN(const results::RunRow run, reader.Run(run_id));
  ASSIGN_OR_RETURN(const std::vector<results::ArtifactRow> artifacts,
                   reader.Artifacts(run_id));
  std::string folder;
  for (const results::ArtifactRow& artifact : artifacts) {
    if (artifact.kind == "folder") {
      folder = artifact.path;
    }
  }
  std::vector<LogTail> tails;
  if (a.node.has_value()) {
    tails = OpenNodeLog(a, folder);
  }
  const int ranks = run.experiment.world_size.value_or(1);
  for (int rank = 0; rank < ranks && !a.node.has_value(); ++rank) {
    if (a.rank.has_value() && *a.rank != rank) {
      continue;
    }
    const bool alone = a.rank.has_value() || ranks == 1;
    tails.emplace_back(LogPath(folder, rank),
                       alone ? "" : "rank " + std::to_string(rank) + " | ");
    if (!tails.back().open()) {
      tails.pop_back();
    }
  }
  if (tails.empty()) {
    return NotFoundError("run " + std::to_string(run_id) +
                         " has no such log in '" + folder + "'");
  }
  return tails;
}

}  // namespace

int LogsCommand(const Arguments& a) {
  const auto reader = results::Reader::Open(DatabasePath(a.db));
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  const auto run_id = FindRun(**reader, a.run);
  if (!run_id.ok()) {
    return Complain(run_id.status(), kExitRequest);
  }
  auto tails = OpenLogs(a, **reader, *run_id);
  if (!tails.ok()) {
    return Complain(tails.status(), kExitRequest);
  }
  while (true) {
    // Asked before reading, so that the last bytes are not missed.
    const bool over = !a.follow || IsOver(a, *run_id);
    for (LogTail& tail : *tails) {
      tail.PrintNew();
    }
    if (over) {
      break;
    }
    std::this_thread::sleep_for(kFollowPause);
  }
  for (LogTail& tail : *tails) {
    tail.Finish();
  }
  return kExitOk;
}

}  // namespace zs
