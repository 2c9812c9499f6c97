#include "runner/backend/engine_observer.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

// Remembers what the supervisor is told.
class FakeProgress final : public RunProgress {
 public:
  void RankStarted(int rank) override {
    log.push_back("started " + std::to_string(rank));
  }
  void StepDone(int64_t step) override {
    log.push_back("step " + std::to_string(step));
  }
  void Alive() override { log.push_back("alive"); }
  void ErrorSeen(int rank, std::string_view what) override {
    log.push_back("error " + std::to_string(rank) + " " + std::string(what));
  }

  std::vector<std::string> log;
};

class EngineObserverTest : public ::testing::Test {
 protected:
  void Say(int rank, std::string_view bytes, int64_t dropped_bytes = 0) {
    observer_.OnOutput({.rank = rank,
                        .stream = OutputStream::kStdout,
                        .dropped_bytes = dropped_bytes,
                        .bytes = bytes},
                       progress_);
  }

  int steps_ = 0;
  FakeProgress progress_;
  EngineObserver observer_{[this](const results::StepRow&) { ++steps_; }};
};

using Log = std::vector<std::string>;

std::string StepLine(int64_t step) {
  return EventLine(StepEvent{.step = step, .loss = 2, .step_ms = 5}) + "\n";
}

TEST_F(EngineObserverTest, TellsTheSupervisorWhatTheRanksReached) {
  Say(1, EventLine(StartEvent{.rank = 1, .world_size = 2}) + "\n");
  Say(0, StepLine(1));
  Say(0, "library chatter\n" + StepLine(2));
  EXPECT_EQ(progress_.log, (Log{"started 1", "step 1", "step 2"}));
  const RunRecord record = observer_.Take({});
  EXPECT_EQ(record.effective.world_size, 2);
  EXPECT_EQ(record.steps.size(), 2);
  EXPECT_EQ(record.steps[0].loss, 2);
  EXPECT_EQ(steps_, 2);
}

TEST_F(EngineObserverTest, WhatTheRanksDisagreeOnIsUnknown) {
  Say(0, EventLine(StartEvent{.rank = 0, .world_size = 2, .zero_stage = 1}) +
             "\n");
  Say(1, EventLine(StartEvent{.rank = 1, .world_size = 2, .zero_stage = 0}) +
             "\n");
  const RunRecord record = observer_.Take({});
  EXPECT_EQ(record.effective.world_size, 2);
  EXPECT_FALSE(record.effective.zero_stage.has_value());
}

TEST_F(EngineObserverTest, TheStageOfARankThatHasNotSpokenIsUnknown) {
  Say(0, EventLine(StartEvent{.rank = 0, .world_size = 2, .zero_stage = 1}) +
             "\n");
  const RunRecord record = observer_.Take({});
  EXPECT_EQ(record.effective.world_size, 2);
  EXPECT_FALSE(record.effective.zero_stage.has_value());
}

TEST_F(EngineObserverTest, LinesCutAnywhereAreWhole) {
  const std::string line = StepLine(3);
  for (const char byte : line) {
    Say(0, std::string_view(&byte, 1));
  }
  EXPECT_EQ(progress_.log, (Log{"step 3"}));
}

TEST_F(EngineObserverTest, ALastLineWithoutLineFeedCounts) {
  std::string line = StepLine(4);
  line.pop_back();
  Say(0, line);
  EXPECT_TRUE(progress_.log.empty());
  observer_.OnRankExit({.rank = 0}, progress_);
  EXPECT_EQ(progress_.log, (Log{"step 4"}));
}

TEST_F(EngineObserverTest, TheFirstErrorOfAllRanksIsRemembered) {
  Say(2,
      EventLine(ErrorEvent{.rank = 2, .code = "data", .message = "x"}) + "\n");
  Say(0, EventLine(ErrorEvent{.rank = 0, .code = "peer_lost"}) + "\n");
  EXPECT_EQ(observer_.Take({}).first_error_rank, 2);
  EXPECT_EQ(progress_.log[0], "error 2 data: x");
}

TEST_F(EngineObserverTest, DamagedAndForgedEventsAreCountedAndNotBelieved) {
  Say(0, "{\"event\":\"step\",\"rank\":0}\n");
  Say(1, StepLine(1));  // rank 1 speaks as rank 0
  const RunRecord record = observer_.Take({});
  EXPECT_EQ(record.damaged_lines, 2);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].code, "damaged_events");
  EXPECT_EQ(record.findings[0].count, 2);
  EXPECT_TRUE(record.steps.empty());
  EXPECT_TRUE(progress_.log.empty());
}

TEST_F(EngineObserverTest, ALineThatWasBrokenOffIsNotRead) {
  Say(0, "{\"event\":\"st");
  Say(0, "ep\"}\n" + StepLine(5), 1000);
  EXPECT_EQ(progress_.log, (Log{"step 5"}));
  EXPECT_EQ(observer_.Take({}).damaged_lines, 0);
}

}  // namespace
}  // namespace zs
