#include "runner/supervise/rank_record.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

RankRecord Ended(int rank, double at_s, int code, int signal = 0) {
  RankRecord record;
  record.exit.rank = rank;
  record.exit.node = "n" + std::to_string(rank);
  record.exit.started = true;
  record.exit.ended = true;
  record.exit.ended_s = at_s;
  record.exit.exit_code = code;
  record.exit.signal = signal;
  return record;
}

std::vector<RankRecord> Records(RankRecord a, RankRecord b) {
  std::vector<RankRecord> records;
  records.push_back(std::move(a));
  records.push_back(std::move(b));
  return records;
}

TEST(RankRecordTest, TheFirstToEndBadlyIsTheReason) {
  const auto records = Records(Ended(0, 2, 1), Ended(1, 1, 3));
  EXPECT_EQ(FirstFailed(records, {})->exit.rank, 1);
}

TEST(RankRecordTest, AConsequenceIsTheReasonOnlyWhereThereIsNoOther) {
  auto records = Records(Ended(0, 2, 0, 11), Ended(1, 1, 67));
  EXPECT_EQ(FirstFailed(records, {67})->exit.rank, 0);
  records = Records(Ended(0, 2, 0), Ended(1, 1, 67));
  EXPECT_EQ(FirstFailed(records, {67})->exit.rank, 1);
}

TEST(RankRecordTest, WhatWasStoppedOrNeverStartedOrEndedWellIsNone) {
  auto records = Records(Ended(0, 1, 0), Ended(1, 1, 0, 15));
  records[1].exit.stopped_by_us = true;
  EXPECT_EQ(FirstFailed(records, {}), nullptr);
  records[1].exit.stopped_by_us = false;
  records[1].exit.started = false;
  EXPECT_EQ(FirstFailed(records, {}), nullptr);
}

TEST(RankRecordTest, NamesRankNodeSignalAndLastLine) {
  RankRecord record = Ended(3, 1, 0, 9);
  record.out.Append("step 1\n");
  record.err.Append("first\nlast \x1b[31mline\n\n  \n");
  EXPECT_EQ(FailureReason(record),
            "rank 3 on n3: signal 9 (SIGKILL); 'last  [31mline'");
  record.exit.oom_kills = 1;
  EXPECT_NE(FailureReason(record).find(
                "signal 9 (SIGKILL), oom_killed: memory ran out and the kernel "
                "killed it; "),
            std::string::npos);
  record.error = "device lost";
  EXPECT_TRUE(FailureReason(record).ends_with("; 'device lost'"));
}

TEST(RankRecordTest, TakesStdoutWhereStderrIsEmpty) {
  RankRecord record = Ended(0, 1, 3);
  EXPECT_EQ(FailureReason(record), "rank 0 on n0: exit 3; it printed nothing");
  record.out.Append("a\nb");
  EXPECT_EQ(FailureReason(record), "rank 0 on n0: exit 3; 'b'");
  EXPECT_EQ(record.LastLines(), "a\nb");
}

TEST(RankRecordTest, KeepsOnlyTheEndOfAFlood) {
  OutputTail tail;
  for (int i = 0; i < 10'000; ++i) {
    tail.Append("line " + std::to_string(i) + "\n");
  }
  EXPECT_EQ(tail.LastLines(2), "line 9998\nline 9999");
  tail.Append(std::string(100'000, 'x'));
  EXPECT_EQ(tail.LastLines(1), std::string(500, 'x') + "...");
}

}  // namespace
}  // namespace zs
