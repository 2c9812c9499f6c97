#include "runner/sweep/import_logs.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/reader.h"

namespace zs {
namespace {

// Megatron-LM's line of ITERATION of ten, 200 ms and LOSS.
std::string StepLine(int iteration, double loss) {
  char line[400];
  std::snprintf(line, sizeof(line),
                " [2026-09-01 10:00:%02d] iteration %8d/%8d | consumed "
                "samples: %12d | elapsed time per iteration (ms): 200.0 | "
                "learning rate: 1.000000E-04 | global batch size:    16 | lm "
                "loss: %.6E | loss scale: 1.0 | grad norm: 1.000 | number of "
                "skipped iterations:   0 | number of nan iterations:   0 |\n",
                iteration, iteration, 10, 16 * iteration, loss);
  return line;
}

constexpr char kSetUp[] =
    "using world size: 4, data-parallel size: 4, tensor-model-parallel size: "
    "1, pipeline-model-parallel size: 1\n"
    "  micro_batch_size ................................ 4\n"
    "  seq_length ...................................... 128\n"
    "INFO:megatron.core.distributed.distributed_data_parallel:Setting up "
    "DistributedDataParallel with config "
    "DistributedDataParallelConfig(grad_reduce_in_fp32=True, "
    "overlap_grad_reduce=True, use_distributed_optimizer=True, "
    "data_parallel_sharding_strategy='no_shard')\n";

class ImportLogsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/import";
    std::filesystem::remove_all(folder_);
    ASSERT_OK(MakeFolders(folder_ + "/logs"));
    auto store = results::Store::Open({.path = folder_ + "/results.db"});
    ASSERT_OK(store);
    store_ = std::move(*store);
  }

  void WriteLog(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/logs/" + name) << text;
  }

  // A run over two nodes: setup on the first, steps on the last, as
  // Megatron-LM prints them.
  void WriteTwoNodes(const std::string& name, int last) {
    WriteLog(name + "_node0.log", kSetUp);
    std::string steps;
    for (int i = 1; i <= last; ++i) {
      steps += StepLine(i, 3 - 0.1 * i);
    }
    WriteLog(name + "_node1.log", steps);
  }

  Result<std::vector<ImportedRun>> Import(
      std::vector<std::pair<std::string, std::string>> set = {},
      const std::string& name = "") {
    ImportRequest request;
    request.paths = {folder_ + "/logs"};
    request.name = name;
    request.set = std::move(set);
    request.start.name = "imported";
    request.start.started_unix_ms = 1;
    return ImportLogs(*store_, request);
  }

  std::string folder_;
  std::unique_ptr<results::Store> store_;
};

TEST_F(ImportLogsTest, ARunOverTwoNodesWithItsFigures) {
  WriteTwoNodes("z1", 10);
  const auto imported = Import();
  ASSERT_OK(imported);
  ASSERT_EQ(imported->size(), 1);
  EXPECT_EQ((*imported)[0].name, "z1");
  EXPECT_EQ((*imported)[0].files, 2);
  EXPECT_EQ((*imported)[0].verdict, "pass") << (*imported)[0].reason;
  const auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->effective.world_size, 4);
  EXPECT_EQ(run->effective.zero_stage, 1);
  EXPECT_EQ(run->experiment.backend, "megatron");
  EXPECT_EQ(run->experiment.seq_len, 128);
  EXPECT_EQ(run->experiment.global_batch, 16);
  EXPECT_EQ(run->experiment.steps, 10);
  ASSERT_TRUE(run->outcome.has_value());
  EXPECT_NEAR(run->outcome->final_loss.value_or(0), 2.0, 1e-9);
  const auto steps = store_->reader().Steps((*imported)[0].run_id, {});
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 10);
  EXPECT_EQ((*steps)[4].step_ms, 200);
  EXPECT_EQ((*steps)[4].tokens, 16 * 128);
}

TEST_F(ImportLogsTest, TheSameLogsAddNothing) {
  WriteTwoNodes("z1", 10);
  ASSERT_OK(Import());
  std::filesystem::rename(folder_ + "/logs/z1_node0.log",
                          folder_ + "/logs/other_node0.log");
  std::filesystem::rename(folder_ + "/logs/z1_node1.log",
                          folder_ + "/logs/other_node1.log");
  const auto again = Import();
  ASSERT_OK(again);
  EXPECT_TRUE((*again)[0].known);
  EXPECT_EQ((*again)[0].name, "z1");
  const auto runs = store_->reader().Runs({});
  ASSERT_OK(runs);
  EXPECT_EQ(runs->size(), 1);
}

TEST_F(ImportLogsTest, SaysWhichLogsHoldNoRun) {
  WriteTwoNodes("z1", 10);
  WriteLog("notes.log", "nothing of a trainer\n");
  const auto imported = Import();
  ASSERT_OK(imported);
  ASSERT_EQ(imported->size(), 2);
  EXPECT_FALSE((*imported)[0].taken);
  EXPECT_NE((*imported)[0].reason.find("no step"), std::string::npos);
  EXPECT_TRUE((*imported)[1].taken);
  const auto runs = store_->reader().Runs({});
  ASSERT_OK(runs);
  EXPECT_EQ(runs->size(), 1);
}

// llm.c tells its batch in tokens.
TEST_F(ImportLogsTest, TakesTheBatchOfLlmC) {
  std::string log =
      "| micro batch size B    | 4                                          |\n"
      "| sequence length T     | 1024                                       |\n"
      "| total batch size      | 32768                                      |\n"
      "| num_processes         | 2                                          |\n"
      "| zero_stage            | 1                                          "
      "|\n";
  for (int i = 1; i <= 5; ++i) {
    log += "step    " + std::to_string(i) +
           "/5 | loss 10.5 (+nanz)| norm 0.43 (+nanz)| lr 1.00e-04 | 71.77 ms "
           "| -100.0% bf16 MFU | 452228 tok/s\n";
  }
  WriteLog("llmc.log", log);
  const auto imported = Import();
  ASSERT_OK(imported);
  const auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.global_batch, 32);
  EXPECT_EQ(run->experiment.micro_batch, 4);
  const auto steps = store_->reader().Steps((*imported)[0].run_id, {});
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 5);
  EXPECT_EQ((*steps)[3].tokens, 32768);
}

TEST_F(ImportLogsTest, WhatWasSetStandsAboveTheLogs) {
  WriteTwoNodes("z1", 10);
  const auto imported = Import({{"zero_stage", "2"}, {"model", "gpt"}}, "mine");
  ASSERT_OK(imported);
  EXPECT_EQ((*imported)[0].name, "mine");
  const auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.zero_requested, 2);
  EXPECT_EQ(run->experiment.model, "gpt");
  EXPECT_EQ((*imported)[0].verdict, "fail");  // stage 1 was in effect
}

TEST_F(ImportLogsTest, WhatNobodySaidIsNotRecordedAsAskedFor) {
  WriteLog("a.log", StepLine(1, 3) + StepLine(2, 2.9));
  auto imported = Import();
  ASSERT_OK(imported);
  auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.zero_requested, std::nullopt);
  EXPECT_EQ(run->experiment.warmup_steps, std::nullopt);
  EXPECT_EQ(run->experiment.seq_len, std::nullopt);
  EXPECT_EQ(run->experiment.micro_batch, std::nullopt);
  imported = Import({{"zero_stage", "0"}, {"warmup_steps", "0"}});
  ASSERT_OK(imported);
  run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.zero_requested, 0);
  EXPECT_EQ(run->experiment.warmup_steps, 0);
}

TEST_F(ImportLogsTest, ALogOfAnUnknownProgramAsksForNoSteps) {
  WriteLog("a.log",
           "RuntimeError: CUDA error: an illegal memory access was "
           "encountered\n");
  const auto imported = Import();
  ASSERT_OK(imported);
  const auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.steps, std::nullopt);
}

TEST_F(ImportLogsTest, ALogThatEndsEarlyIsIncomplete) {
  WriteTwoNodes("z1", 6);
  const auto imported = Import();
  ASSERT_OK(imported);
  const auto run = store_->reader().Run((*imported)[0].run_id);
  ASSERT_OK(run);
  EXPECT_EQ(run->outcome->measurement, results::MeasurementState::kIncomplete);
  EXPECT_EQ(run->outcome->measurement_reason, "6 of 10 steps");
  EXPECT_EQ((*imported)[0].verdict, "fail");
}

TEST_F(ImportLogsTest, AFailureKeepsItsRootCause) {
  WriteTwoNodes("z1", 3);
  WriteLog("z1_node1.log", StepLine(1, 3) +
                               "[rank3]: Traceback (most recent call last):\n"
                               "[rank3]:   File \"t.py\", line 3, in <module>\n"
                               "[rank3]:     f()\n"
                               "[rank3]: ValueError: no label\n");
  const auto imported = Import();
  ASSERT_OK(imported);
  EXPECT_EQ((*imported)[0].verdict, "fail");
  EXPECT_NE((*imported)[0].reason.find("ValueError: no label"),
            std::string::npos)
      << (*imported)[0].reason;
}

TEST_F(ImportLogsTest, WrongRequestsWriteNothing) {
  WriteLog("a.log", "hello\n");
  EXPECT_STATUS(Import(), StatusCode::kNotFound, "no step");
  WriteTwoNodes("z1", 10);
  WriteTwoNodes("z2", 10);
  EXPECT_STATUS(Import({}, "mine"), StatusCode::kInvalidArgument,
                "--name names one run");
  EXPECT_STATUS(Import({{"zero_stag", "1"}}), StatusCode::kInvalidArgument,
                "zero_stage");
  EXPECT_STATUS(Import({{"zero_stage", "9"}}), StatusCode::kInvalidArgument,
                "0 to 3");
  const auto runs = store_->reader().Runs({});
  ASSERT_OK(runs);
  EXPECT_TRUE(runs->empty());
}

}  // namespace
}  // namespace zs
