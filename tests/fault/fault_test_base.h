// What the fault tests share: runs of fake_train, and a look at what is left.
#ifndef TESTS_FAULT_FAULT_TEST_BASE_H_
#define TESTS_FAULT_FAULT_TEST_BASE_H_

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "runner/agent/process_table.h"
#include "runner/reach/agent_pool.h"
#include "runner/supervise/supervise.h"

namespace zs::testing {

inline constexpr char kAgentPath[] = "runner/agent/agent";
inline constexpr char kFakeTrainPath[] = "tests/fault/fake_train";

// Understands what fake_train prints, and keeps the lines of each rank.
class LineObserver : public RunObserver {
 public:
  void OnOutput(const OutputChunk& chunk, RunProgress& progress) override;
  void OnRankExit(const RankExit& exit, RunProgress& progress) override;

  std::vector<std::string> lines(int rank) const;
  const std::vector<RankExit>& exits() const { return exits_; }

 protected:
  virtual void OnLine(int rank, const std::string& line, RunProgress& progress);

 private:
  struct Partial {
    int rank;
    OutputStream stream;
    std::string text;
  };
  std::string& PartialOf(const OutputChunk& chunk);

  std::vector<Partial> partial_;
  std::vector<std::pair<int, std::string>> lines_;
  std::vector<RankExit> exits_;
};

// RANKS of fake_train with ARGS on one node, this host; a token of its own.
RunRequest FakeTrain(int ranks, const std::vector<std::string>& args);

// Processes, zombies aside, of the run with TOKEN on this host.
std::vector<ProcessInfo> ProcessesOf(const std::string& token);

// A run with a pool of its own, after which nothing must be left.
class FaultTest : public ::testing::Test {
 protected:
  FaultTest();

  // Carries out REQUEST and checks that all is clean afterwards.
  RunOutcome Supervise(const RunRequest& request);

  // A run that must pass: what went before has left the pool in order.
  void ExpectNextRunPasses();

  std::string folder_;
  AgentPool pool_;
  LineObserver observer_;
  StopSource stop_;
};

}  // namespace zs::testing

#endif  // TESTS_FAULT_FAULT_TEST_BASE_H_
