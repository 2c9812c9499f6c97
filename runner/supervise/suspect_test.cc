#include "runner/supervise/suspect.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

SeenRank Waiting(int64_t seq) {
  SeenRank rank;
  rank.processes = {{.pid = 100 + seq, .state = 'S'}};
  rank.collective = CollectiveState{.op = "all_reduce",
                                    .seq = seq,
                                    .issued = seq,
                                    .bytes = 8,
                                    .waiting = true,
                                    .elapsed_ms = 12'000};
  return rank;
}

TEST(SuspectTest, ParsesTheFirstLinesAndStopsThere) {
  const auto seen = ParseEvidence(
      "process 12 3 T 5 do_signal_stop my program\n"
      "process 13 -1 S 1 - sh\n--- 12\nprocess 99 0 T 1 - fake\n");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].pid, 12);
  EXPECT_EQ(seen[0].rank, 3);
  EXPECT_EQ(seen[0].state, 'T');
  EXPECT_EQ(seen[0].wchan, "do_signal_stop");
  EXPECT_EQ(seen[0].name, "my program");
  EXPECT_EQ(seen[1].rank, -1);
  EXPECT_TRUE(ParseEvidence("rubbish\nprocess 1 1 S 1 - x\n").empty());
  EXPECT_TRUE(ParseEvidence("process x y\n").empty());
}

TEST(SuspectTest, StoppedRankComesFirst) {
  std::map<int, SeenRank> ranks = {{0, Waiting(5)}, {1, Waiting(7)}};
  ranks[1].processes[0].state = 'T';
  const auto suspect = FindSuspect(ranks, true);
  ASSERT_TRUE(suspect.has_value());
  EXPECT_EQ(suspect->rank, 1);
  EXPECT_EQ(suspect->why, "is stopped (state T, process 107)");
}

TEST(SuspectTest, RankThatIsBehindIsNamed) {
  const auto suspect =
      FindSuspect({{0, Waiting(57)}, {1, Waiting(56)}, {2, Waiting(57)}}, true);
  ASSERT_TRUE(suspect.has_value());
  EXPECT_EQ(suspect->rank, 1);
  EXPECT_NE(suspect->why.find("56"), std::string::npos);
}

TEST(SuspectTest, RankOutsideTheOperationOrSilentIsNamed) {
  std::map<int, SeenRank> ranks = {{0, Waiting(5)}, {1, Waiting(5)}};
  ranks[0].collective->waiting = false;
  EXPECT_EQ(FindSuspect(ranks, true)->rank, 0);
  ranks[0].collective.reset();
  EXPECT_EQ(FindSuspect(ranks, true)->rank, 0);
  EXPECT_FALSE(FindSuspect(ranks, false).has_value());
}

TEST(SuspectTest, AnswersAreDueOfRanksThatRunAndAreSilent) {
  SeenRank stopped;
  stopped.processes.push_back({.pid = 7, .rank = 1, .state = 'T'});
  SeenRank silent;
  silent.processes.push_back({.pid = 8, .rank = 2, .state = 'S'});
  EXPECT_FALSE(AnswersAreDue({{0, Waiting(5)}, {1, stopped}}));
  EXPECT_TRUE(AnswersAreDue({{0, Waiting(5)}, {1, stopped}, {2, silent}}));
  EXPECT_TRUE(AnswersAreDue({{0, SeenRank()}}));
  EXPECT_FALSE(AnswersAreDue({}));
}

TEST(SuspectTest, WhereAllWaitForTheSameNobodyStandsOut) {
  EXPECT_FALSE(
      FindSuspect({{0, Waiting(5)}, {1, Waiting(5)}}, true).has_value());
  EXPECT_FALSE(FindSuspect({}, true).has_value());
}

TEST(SuspectTest, DescribesWhereARankIs) {
  EXPECT_EQ(Describe(Waiting(57).collective),
            "waits in all_reduce 57 (8 bytes) for 12 s");
  EXPECT_EQ(Describe(std::nullopt), "");
  EXPECT_EQ(Describe(CollectiveState{}), "has issued no collective operation");
}

}  // namespace
}  // namespace zs
