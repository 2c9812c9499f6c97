#include "runner/sweep/past_passes.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/store.h"

namespace zs {
namespace {

using results::Verdict;

class PastPassesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path =
        ::testing::TempDir() + "/" + std::to_string(::getpid()) + "-" +
        ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".db";
    auto store = results::Store::Open({.path = path});
    ASSERT_OK(store);
    store_ = *std::move(store);
    experiment_.topology.nodes = {"here"};
    experiment_.topology.ranks_per_node = 2;
  }

  // A run of two steps of 100 ms and 50 tokens each, asked for with EXPECT (a
  // JSON object); of its two ranks those in MEMORY told their peak.
  int64_t Run(const std::string& expect, Verdict verdict = Verdict::kPass,
              std::vector<results::MemoryRow> memory = {}) {
    const auto sweep = store_->BeginSweep({.name = "s", .file = "f"});
    EXPECT_OK(sweep);
    const auto ids = store_->AddExperiments(
        *sweep, {{.name = "z0",
                  .key = "k",
                  .spec_json = R"({"name":"z0","expect":)" + expect + "}"}});
    EXPECT_OK(ids);
    const auto run = store_->BeginRun({.experiment_id = (*ids)[0]});
    EXPECT_OK(run);
    EXPECT_OK(store_->AddMemory(*run, memory));
    EXPECT_OK(store_->SetEffective(*run, {.world_size = 2}));
    results::CommRow fast;
    fast.op = "all_reduce";
    fast.size_bytes = 4096;
    fast.busbw_gb_s = 2;
    EXPECT_OK(store_->FinishRun(
        *run,
        {{.step = 1, .loss = 3, .tokens = 50, .step_ms = 100, .comm = {fast}},
         {.step = 2, .loss = 2, .tokens = 50, .step_ms = 100}},
        {.measurement = results::MeasurementState::kValid,
         .verdict = verdict}));
    return *run;
  }

  PastPasses Found() {
    const auto runs =
        store_->reader().Runs({.key = "k",
                               .measurement = results::MeasurementState::kValid,
                               .verdict = results::Verdict::kPass});
    EXPECT_OK(runs);
    auto found = FindPastPasses(store_->reader(), *runs, experiment_);
    EXPECT_OK(found);
    return found.ok() ? *std::move(found) : PastPasses();
  }

  std::unique_ptr<results::Store> store_;
  Experiment experiment_;
};

TEST_F(PastPassesTest, RunsThatPassedCountTheNewestFirst) {
  EXPECT_EQ(Found().count, 0);
  Run("{}");
  const int64_t newest = Run("{}");
  Run("{}", Verdict::kFail);
  EXPECT_EQ(Found().count, 2);
  EXPECT_EQ(Found().run_id, newest);
  EXPECT_EQ(Found().newest.find("run " + std::to_string(newest) + ", "), 0U);
  EXPECT_EQ(Found().outdated, "");
}

TEST_F(PastPassesTest, AChangedExpectationIsHeldAgainstTheFiguresOnRecord) {
  const int64_t run = Run("{}");
  experiment_.expect.min_tokens_per_s = 500;  // 100 tokens in 0.2 s
  experiment_.expect.max_final_loss = 2;
  experiment_.expect.min_busbw_gb_s = 2;
  experiment_.expect.world_size = 2;
  EXPECT_EQ(Found().count, 1);
  experiment_.expect.min_busbw_gb_s = 300;
  EXPECT_EQ(Found().count, 0);
  EXPECT_EQ(Found().run_id, 0);
  EXPECT_EQ(Found().outdated,
            "expect.min_busbw_gb_s changed: 2, at least 300 (run " +
                std::to_string(run) + ")");
}

TEST_F(PastPassesTest, AFigureThatTheRecordLacksSatisfiesNothing) {
  Run("{}");
  experiment_.expect.max_mem_peak_bytes = 1000;
  EXPECT_EQ(Found().count, 0);
  EXPECT_EQ(Found().outdated.find(
                "expect.max_mem_peak_bytes changed: not measured (run "),
            0U)
      << Found().outdated;
  Run("{}", Verdict::kPass, {{.rank = 0, .total = 9}, {.rank = 1, .total = 8}});
  EXPECT_EQ(Found().count, 1);
}

TEST_F(PastPassesTest, WhatARunWasJudgedByHolds) {
  // The record alone could not say it: nothing on record is a peak.
  Run(R"({"max_mem_peak_bytes":1000,"max_step_cv":1})");
  experiment_.expect.max_mem_peak_bytes = 1000;
  EXPECT_EQ(Found().count, 1);
}

}  // namespace
}  // namespace zs
