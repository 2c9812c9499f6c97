#include "tests/fault/fault_test_base.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/files.h"

namespace zs::testing {
namespace {

StopSource MakeStop() {
  Result<StopSource> stop = StopSource::Create();
  EXPECT_TRUE(stop.ok());
  return *std::move(stop);
}

std::string NewToken() {
  static int count = 0;
  return "test-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace

std::string& LineObserver::PartialOf(const OutputChunk& chunk) {
  for (Partial& partial : partial_) {
    if (partial.rank == chunk.rank && partial.stream == chunk.stream) {
      return partial.text;
    }
  }
  return partial_.emplace_back(Partial{chunk.rank, chunk.stream, ""}).text;
}

void LineObserver::OnOutput(const OutputChunk& chunk, RunProgress& progress) {
  std::string& text = PartialOf(chunk);
  if (chunk.dropped_bytes > 0) {
    text.clear();
  }
  text += chunk.bytes;
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    OnLine(chunk.rank, text.substr(begin, end - begin), progress);
  }
  text.erase(0, begin);
}

void LineObserver::OnLine(int rank, const std::string& line,
                          RunProgress& progress) {
  lines_.emplace_back(rank, line);
  if (line.starts_with("start ")) {
    progress.RankStarted(rank);
  } else if (rank == 0 && line.starts_with("step ")) {
    progress.StepDone(std::atoi(line.c_str() + 5));
  } else if (line.starts_with("error: ")) {
    progress.ErrorSeen(rank, std::string_view(line).substr(7));
  }
}

void LineObserver::OnRankExit(const RankExit& exit, RunProgress&) {
  exits_.push_back(exit);
}

std::vector<std::string> LineObserver::lines(int rank) const {
  std::vector<std::string> lines;
  for (const auto& [of_rank, line] : lines_) {
    if (of_rank == rank) {
      lines.push_back(line);
    }
  }
  return lines;
}

RunRequest FakeTrain(int ranks, const std::vector<std::string>& args) {
  RunRequest request;
  request.token = NewToken();
  NodeRequest node;
  node.name = "here";
  for (int rank = 0; rank < ranks; ++rank) {
    RankRequest process;
    process.rank = rank;
    process.argv = {kFakeTrainPath};
    process.argv.insert(process.argv.end(), args.begin(), args.end());
    process.env = {"RANK=" + std::to_string(rank)};
    node.ranks.push_back(process);
  }
  request.nodes.push_back(node);
  request.limits.grace_s = 1;
  request.limits.total_s = 60;
  return request;
}

std::vector<ProcessInfo> ProcessesOf(const std::string& token) {
  std::vector<ProcessInfo> found;
  for (const ProcessInfo& process : ListProcesses()) {
    for (int node = 0; node < 4; ++node) {
      if (process.alive() &&
          StartedWith(process.pid,
                      "ZS_RUN_TOKEN=" + token + "." + std::to_string(node))) {
        found.push_back(process);
      }
    }
  }
  return found;
}

FaultTest::FaultTest()
    : folder_(::testing::TempDir() + "/" + NewToken()),
      pool_({kAgentPath,
             // For a second target that runs where cgroups can be made.
             std::getenv("ZS_CONTAINMENT") == nullptr
                 ? ""
                 : std::getenv("ZS_CONTAINMENT")}),
      stop_(MakeStop()) {
  EXPECT_TRUE(MakeFolders(folder_).ok());
}

RunOutcome FaultTest::Supervise(const RunRequest& request) {
  const RunOutcome outcome = zs::Supervise(request, pool_, observer_, stop_);
  EXPECT_TRUE(outcome.clean()) << outcome.reason;
  EXPECT_TRUE(ProcessesOf(request.token).empty());
  EXPECT_FALSE(outcome.reason.empty());
  EXPECT_EQ(outcome.reason.find('\n'), std::string::npos) << outcome.reason;
  return outcome;
}

void FaultTest::ExpectNextRunPasses() {
  const RunOutcome outcome = Supervise(FakeTrain(2, {}));
  EXPECT_EQ(outcome.state, ProcessState::kExited) << outcome.reason;
}

}  // namespace zs::testing
