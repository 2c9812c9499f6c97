#include "runner/observe/diagnose/diagnosis.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runner/observe/diagnose/diagnosis_json.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

std::string Iteration(int i, int total, double ms, int batch) {
  return " [2026-09-01 10:00:00.1] iteration " + std::to_string(i) + "/ " +
         std::to_string(total) + " | consumed samples: 1 | elapsed time per " +
         "iteration (ms): " + std::to_string(ms) +
         " | global batch size: " + std::to_string(batch) +
         " | lm loss: " + std::to_string(10.0 - i) + " |\n";
}

RunSummary OnlyRun(const std::string& text) {
  const Diagnosis diagnosis = DiagnoseText(text);
  EXPECT_EQ(diagnosis.groups.front().runs.size(), 1u);
  return diagnosis.groups.front().runs.empty()
             ? RunSummary{}
             : diagnosis.groups.front().runs.front();
}

// 2048 sequences of 4096 tokens in 4 s are 2,097,152 tokens/s.
TEST(RunSummaryTest, LeavesOutWarmUpAndTakesRatesThroughTime) {
  std::string text =
      "  seq_length ...................................... 4096\n"
      "using world size: 32, data-parallel size: 32, "
      "tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n";
  text += Iteration(1, 6, 9000, 2048);
  text += Iteration(2, 6, 7000, 2048);  // still averages over the first
  text += Iteration(3, 6, 3000, 2048);
  text += Iteration(4, 6, 5000, 2048);
  text += Iteration(5, 6, 4000, 2048);
  text += Iteration(6, 6, 4000, 2048);
  const RunSummary run = OnlyRun(text);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.world_size, 32);
  ASSERT_EQ(run.phases.size(), 1u);
  const PhaseSummary& phase = run.phases.front();
  EXPECT_EQ(phase.steps, 6);
  EXPECT_EQ(phase.counted, 4);
  EXPECT_DOUBLE_EQ(phase.median_ms, 4000);
  EXPECT_DOUBLE_EQ(phase.min_ms, 3000);
  EXPECT_DOUBLE_EQ(phase.max_ms, 5000);
  EXPECT_DOUBLE_EQ(phase.tokens_per_s, 2048 * 4096 / 4.0);
  EXPECT_DOUBLE_EQ(phase.tokens_per_s_per_gpu, 2048 * 4096 / 4.0 / 32);
  EXPECT_DOUBLE_EQ(phase.first_loss, 9);
  EXPECT_DOUBLE_EQ(phase.last_loss, 4);
}

TEST(RunSummaryTest, MarksStepsAfterASaveOrAnEvaluation) {
  std::string text = Iteration(11, 20, 100, 8) + Iteration(12, 20, 100, 8);
  text += "saving checkpoint at iteration      12 to /c in torch_dist format\n";
  text += Iteration(13, 20, 900, 8) + Iteration(14, 20, 100, 8);
  text += " validation loss at iteration 14 | lm loss value: 1.0E+00 |\n";
  text += Iteration(15, 20, 900, 8) + Iteration(16, 20, 100, 8);
  const RunSummary run = OnlyRun(text);
  EXPECT_EQ(run.phases.front().counted, 4);
  EXPECT_DOUBLE_EQ(run.phases.front().max_ms, 100);
}

TEST(RunSummaryTest, SaysByWhichFormulaTflopsWereCounted) {
  const std::string line =
      "iteration 3/ 9 | elapsed time per iteration (ms): 100.0 | throughput "
      "per GPU (TFLOP/s/GPU): 378.6 | lm loss: 1.0E+00 |\n";
  const std::string arguments =
      "  seq_length ...................................... 4096\n";
  const std::string strategy =
      "  data_parallel_sharding_strategy ................. no_shard\n";
  EXPECT_EQ(OnlyRun(line).tflops_formula, "Megatron-LM, version unknown");
  EXPECT_EQ(OnlyRun(arguments + line).tflops_formula,
            "Megatron-LM to 0.11, attention counted in full");
  const std::string halved =
      "Megatron-LM from 0.12, causal attention counted by half";
  EXPECT_EQ(OnlyRun(arguments + strategy + line).tflops_formula, halved);
  EXPECT_EQ(OnlyRun(" [2026-09-01 10:00:00.123456] " + line).tflops_formula,
            halved);
  EXPECT_EQ(OnlyRun(Iteration(3, 9, 100, 8)).tflops_formula, "");
}

TEST(RunSummaryTest, AnotherGlobalBatchIsAnotherPhase) {
  std::string text;
  for (int i = 11; i <= 14; ++i) {
    text += Iteration(i, 20, i < 13 ? 100 : 400, i < 13 ? 4 : 16);
  }
  const RunSummary run = OnlyRun(text);
  ASSERT_EQ(run.phases.size(), 2u);
  EXPECT_DOUBLE_EQ(run.phases[0].median_ms, 100);
  EXPECT_EQ(run.phases[0].global_batch, 4);
  EXPECT_DOUBLE_EQ(run.phases[1].median_ms, 400);
}

TEST(RunSummaryTest, TakesStepTimesFromTimeStampsWhereNothingElseTellsThem) {
  const RunSummary run = OnlyRun(
      "[2022-03-11 02:06:58,985] [INFO] [logging.py:69:log_dist] [Rank 0] "
      "step=40, skipped=2, lr=[5e-05]\n"
      "[2022-03-11 02:07:14,130] [INFO] [logging.py:69:log_dist] [Rank 0] "
      "step=50, skipped=2, lr=[5e-05]\n");
  EXPECT_EQ(run.trainer, "deepspeed");
  EXPECT_NEAR(run.phases.front().median_ms, 1514.5, 0.01);
}

TEST(RunSummaryTest, ARestartIsARunOfItsOwn) {
  const Diagnosis diagnosis =
      DiagnoseText(Iteration(8, 9, 100, 4) + Iteration(9, 9, 100, 4) +
                   Iteration(8, 9, 200, 4) + Iteration(9, 9, 200, 4));
  ASSERT_EQ(diagnosis.groups.front().runs.size(), 2u);
  EXPECT_DOUBLE_EQ(diagnosis.groups.front().runs[1].phases[0].median_ms, 200);
}

TEST(RunSummaryTest, KeepsEveryFewOfVeryManySteps) {
  std::string text;
  for (int i = 1; i <= 100'000; ++i) {
    text += " iteration " + std::to_string(i) +
            "/ 100000 | elapsed time per iteration (ms): 10.0 | global batch "
            "size: 4 |\n";
  }
  const RunSummary run = OnlyRun(text);
  EXPECT_EQ(run.last_iteration, 100'000);
  EXPECT_TRUE(run.completed);
  EXPECT_GT(run.stride, 1);
  EXPECT_DOUBLE_EQ(run.phases.front().median_ms, 10);
}

TEST(RunSummaryTest, ReadsTheStageInEffectFromWrapperAndStrategy) {
  const std::string head = "INFO:megatron.core.distributed.";
  const std::string tail =
      ":Setting up DistributedDataParallel with config "
      "DistributedDataParallelConfig(use_distributed_optimizer=True, "
      "data_parallel_sharding_strategy='optim_grads')\n";
  const std::string steps = Iteration(8, 9, 1, 1) + Iteration(9, 9, 1, 1);
  EXPECT_EQ(
      OnlyRun(head + "distributed_data_parallel" + tail + steps).zero_effective,
      1);
  EXPECT_EQ(
      OnlyRun(head + "fsdp.mcore_fsdp_adapter" + tail + steps).zero_effective,
      2);
  EXPECT_EQ(
      OnlyRun(head + "custom_fsdp.fully_sharded_data_parallel" + tail + steps)
          .zero_effective,
      2);
}

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void Write(const std::string& name, const std::string& text) {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string folder_;
};

TEST_F(FolderTest, ComparesTheNodesOfOneRun) {
  Write("logs/z1_node0.log", "NCCL INFO Using network IB\n");
  Write("logs/z1_node1.log", "NCCL INFO Using network IB\n");
  Write("logs/z1_node2.log", "NCCL INFO Using network Socket\n");
  const auto diagnosis = DiagnoseLogs({folder_});
  ASSERT_TRUE(diagnosis.ok()) << diagnosis.status();
  ASSERT_EQ(diagnosis->groups.size(), 1u);
  const Finding* root = diagnosis->root_cause();
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->code, "net-plugin-mismatch");
  EXPECT_EQ(root->node, "node2");
}

TEST_F(FolderTest, MergesTorchrunsReportsByTime) {
  const auto report = [](int rank, int code, const std::string& time) {
    return "Root Cause (first observed failure):\n[0]:\n  time      : "
           "2026-09-01_" +
           time + "\n  host      : h" + std::to_string(rank) +
           "\n  rank      : " + std::to_string(rank) +
           " (local_rank: 0)\n  exitcode  : " + std::to_string(code) +
           " (pid: 4)\n";
  };
  Write("a_node0.log", report(0, 5, "10:00:09"));
  Write("a_node1.log", report(8, 6, "10:00:01"));
  const auto diagnosis = DiagnoseLogs({folder_});
  ASSERT_TRUE(diagnosis.ok());
  EXPECT_EQ(diagnosis->root_cause()->rank, 8);
}

TEST_F(FolderTest, KeepsRunsApartAndLeavesOutWhatIsNoLog) {
  Write("a.log", Iteration(8, 9, 1, 1));
  Write("b.log", "CUDA out of memory\n");
  Write("c.pickle", "CUDA out of memory\n");
  const auto diagnosis = DiagnoseLogs({folder_});
  ASSERT_TRUE(diagnosis.ok());
  ASSERT_EQ(diagnosis->groups.size(), 2u);
  EXPECT_EQ(diagnosis->groups[0].verdict, Health::kHealthy);
  EXPECT_EQ(diagnosis->groups[1].verdict, Health::kFailed);
  EXPECT_EQ(diagnosis->verdict, Health::kFailed);
}

TEST_F(FolderTest, JoinsLogsOfOneCommunicator) {
  const auto start = [](const std::string& host, int rank, const char* id) {
    return host + ":1:2 [0] NCCL INFO Bootstrap: Using eth0:10.0." +
           std::to_string(rank) + ".1<0>\n" + host +
           ":1:2 [0] NCCL INFO ncclCommInitRank comm 0x1 rank " +
           std::to_string(rank) +
           " nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 commId 0x" + id +
           " - Init START\n";
  };
  Write("alpha.log", start("alpha", 0, "8a1f0c77d9e01b32"));
  Write("beta.log", start("beta", 1, "8a1f0c77d9e01b32"));
  Write("other.log", start("other", 0, "1111222233334445"));
  const auto diagnosis = DiagnoseLogs({folder_});
  ASSERT_TRUE(diagnosis.ok());
  ASSERT_EQ(diagnosis->groups.size(), 2u);
  EXPECT_EQ(diagnosis->groups[0].counts.lines, 4);
  EXPECT_EQ(diagnosis->groups[0].nccl.ranks, 2);
  EXPECT_EQ(diagnosis->groups[1].counts.lines, 2);
}

TEST_F(FolderTest, ExpandsWhatNoShellHas) {
  Write("a.log", Iteration(8, 9, 1, 1));
  Write("b.log", Iteration(8, 9, 1, 1));
  Write("c.txt", Iteration(8, 9, 1, 1));
  const auto diagnosis = DiagnoseLogs({folder_ + "/*.log"});
  ASSERT_TRUE(diagnosis.ok());
  EXPECT_EQ(diagnosis->groups.size(), 2u);
  EXPECT_EQ(DiagnoseLogs({folder_ + "/*.err"}).status().code(),
            StatusCode::kNotFound);
}

TEST_F(FolderTest, NamesWhatIsNotThere) {
  EXPECT_EQ(DiagnoseLogs({folder_ + "/none"}).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(DiagnoseLogs({folder_}).status().code(),
            StatusCode::kInvalidArgument);
  Write("empty.log", "");
  const auto diagnosis = DiagnoseLogs({folder_});
  ASSERT_TRUE(diagnosis.ok());
  EXPECT_EQ(diagnosis->verdict, Health::kUnknown);
}

// One entry of torchrun's failure report.
std::string Failure(int rank, int code, const std::string& second) {
  const std::string pid = std::to_string(100 + rank);
  return "  time      : 2026-09-01_10:00:" + second +
         "\n  host      : g0033\n" + "  rank      : " + std::to_string(rank) +
         " (local_rank: " + std::to_string(rank) + ")\n" +
         "  exitcode  : " + std::to_string(code) + " (pid: " + pid + ")\n";
}

Finding RootOfReport(const std::string& other, const std::string& root) {
  const Diagnosis diagnosis =
      DiagnoseText("Failures:\n[1]:\n" + other +
                   "Root Cause (first observed failure):\n[0]:\n" + root);
  EXPECT_NE(diagnosis.root_cause(), nullptr);
  return *diagnosis.root_cause();
}

// torchrun's times are whole seconds: of two failures in one it calls root
// whichever it looked at first.
TEST(FailureReportTest, ASignalIsNoAnswerToAPeersErrorCode) {
  const Finding root = RootOfReport(Failure(1, -9, "04"), Failure(0, 1, "04"));
  EXPECT_EQ(root.code, "worker-sigkill");
  EXPECT_EQ(root.rank, 1);
}

TEST(FailureReportTest, ALaterSignalIsTorchrunsOwn) {
  const Finding root = RootOfReport(Failure(1, -9, "34"), Failure(0, 3, "04"));
  EXPECT_EQ(root.code, "worker-exit-code");
  EXPECT_EQ(root.rank, 0);
}

TEST(FailureReportTest, TheRootThatTorchrunNamesDecidesAmongEquals) {
  EXPECT_EQ(RootOfReport(Failure(1, 1, "04"), Failure(2, 1, "04")).rank, 2);
  EXPECT_EQ(RootOfReport(Failure(1, 1, "03"), Failure(2, 1, "04")).rank, 1);
}

TEST(LaunchTest, TwoNodesOfOneRankOnOneHostAreNamedBeforeTheirAddress) {
  const std::string line =
      "+ torchrun --nnodes=2 --node_rank=0 --master_addr=localhost train.py\n";
  RunDiagnoser diagnoser("run", {{"a.log", "a", -1}, {"b.log", "b", -1}});
  diagnoser.Feed(0, line);
  diagnoser.Feed(1, line +
                        "RuntimeError: The server socket has failed to bind to "
                        "[::]:29617 (errno: 98 - Address already in use).\n");
  const RunDiagnosis diagnosis = diagnoser.Diagnose();
  ASSERT_TRUE(diagnosis.has_root);
  EXPECT_EQ(diagnosis.findings.front().code, "node-rank-duplicate");
}

TEST(SourceFromPathTest, TellsNodeAndRank) {
  std::string group;
  EXPECT_EQ(SourceFromPath("/l/z1_node12.log", group).node, "node12");
  EXPECT_EQ(group, "/l/z1");
  EXPECT_EQ(SourceFromPath("/l/g0034/rank_3.err", group).rank, 3);
  EXPECT_EQ(SourceFromPath("/l/g0034/rank_3.err", group).node, "g0034");
  EXPECT_EQ(SourceFromPath("/l/x/attempt_0/5/stderr.log", group).rank, 5);
  EXPECT_EQ(SourceFromPath("/l/node1.log.gz", group).node, "node1");
  EXPECT_EQ(SourceFromPath("/l/122-rank-0-on-both.log", group).rank, -1);
}

TEST(DiagnosisJsonTest, HasTheShapeThatScriptsRelyOn) {
  const Json json = DiagnosisToJson(DiagnoseText(
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory.\xff\n" +
      Iteration(8, 9, 1, 1)));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["root_cause"]["code"], "cuda-oom");
  EXPECT_EQ(json["root_cause"]["rank"], 1);
  EXPECT_EQ(json["root_cause"]["line"], 1);
  EXPECT_EQ(json["findings"][0]["severity"], "error");
  EXPECT_EQ(json["findings"][0]["secondary"], false);
  EXPECT_EQ(json["runs"][0]["training"][0]["trainer"], "megatron");
  EXPECT_TRUE(json["runs"][0]["training"][0]["zero_effective"].is_null());
  EXPECT_FALSE(DumpJson(json).empty());
  EXPECT_TRUE(DiagnosisToJson(DiagnoseText("x"))["root_cause"].is_null());
}

}  // namespace
}  // namespace zs
