#include "runner/observe/diagnose/diagnosis_text.h"

#include <gtest/gtest.h>

#include <string>

namespace zs {
namespace {

TEST(DiagnosisTextTest, TheRootStandsFirstWithItsConsequencesBelow) {
  // As torchrun tells of a rank that raised.
  const std::string text = DiagnosisToText(DiagnoseText(
      "[rank1]: Traceback (most recent call last):\n"
      "[rank1]:   File \"train.py\", line 12, in <module>\n"
      "[rank1]: ValueError: data shard 17 is truncated\n"
      "W1130 05:51:18.500000 1700 torch/distributed/elastic/multiprocessing/"
      "api.py:900] Sending process 1808 closing signal SIGTERM\n"
      "E1130 05:51:18.598000 1700 torch/distributed/elastic/multiprocessing/"
      "api.py:986] failed (exitcode: 1) local_rank: 1 (pid: 1809) of binary: "
      "/usr/bin/python3\n",
      "train.log"));
  const size_t root = text.find(
      "  root cause: python-exception rank 1: "
      "ValueError: data shard 17 is truncated\n"
      "    train.log:3: ");
  const size_t follows = text.find("    follows: worker-exit-code rank 1: ");
  EXPECT_EQ(text.find("train.log: failed\n"), 0U) << text;
  EXPECT_NE(root, std::string::npos) << text;
  EXPECT_NE(follows, std::string::npos) << text;
  EXPECT_LT(root, follows) << text;
  EXPECT_EQ(text.find("  error "), std::string::npos) << text;
}

TEST(DiagnosisTextTest, WhatNobodyRecognisedIsSaidToBeUnknown) {
  EXPECT_EQ(DiagnosisToText(DiagnoseText("hello\nworld\n", "x.log")),
            "x.log: unknown\n  0 of 2 lines understood\n");
}

}  // namespace
}  // namespace zs
