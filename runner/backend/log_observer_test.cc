#include "runner/backend/log_observer.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

class FakeProgress final : public RunProgress {
 public:
  void RankStarted(int) override {}
  void StepDone(int64_t step) override { steps.push_back(step); }
  void Alive() override { ++alive; }
  void ErrorSeen(int, std::string_view) override {}

  std::vector<int64_t> steps;
  int alive = 0;
};

RunRequest TwoProcesses() {
  RunRequest request;
  for (int i = 0; i < 2; ++i) {
    NodeRequest node;
    node.name = i == 0 ? "g0033" : "g0034";
    node.ranks.push_back({.rank = i, .argv = {"train"}});
    request.nodes.push_back(node);
  }
  return request;
}

class LogObserverTest : public ::testing::Test {
 protected:
  LogObserver& Observer(LogReading reading) {
    observer_ = std::make_unique<LogObserver>(
        std::move(reading), [this](const results::StepRow&) { ++told_; });
    observer_->Begin(TwoProcesses());
    return *observer_;
  }

  void Say(int process, std::string_view bytes,
           OutputStream stream = OutputStream::kStdout) {
    observer_->OnOutput({.rank = process, .stream = stream, .bytes = bytes},
                        progress_);
  }

  std::unique_ptr<LogObserver> observer_;
  FakeProgress progress_;
  int told_ = 0;
};

std::string MegatronLine(int iteration, const std::string& loss) {
  return " [2026-09-01 10:00:0" + std::to_string(iteration) +
         ".100000] iteration        " + std::to_string(iteration) +
         "/       4 | consumed samples:           16 | elapsed time per "
         "iteration (ms): 250.0 | learning rate: 1.000000E-04 | global batch "
         "size:    16 |" +
         loss +
         " loss scale: 1.0 | grad norm: 1.500 | number of skipped "
         "iterations:   0 | number of nan iterations:   " +
         (loss.empty() ? "1" : "0") + " |\n";
}

constexpr char kSequence[] =
    "  seq_length ...................................... 32\n";
constexpr char kLoss[] = " lm loss: 2.500000E+00 |";

TEST_F(LogObserverTest, StepsOfMegatronWithTokensAndMarks) {
  LogObserver& observer = Observer({.role = ProcessRole::kLauncher});
  Say(0, kSequence);
  for (int i = 1; i <= 3; ++i) {
    Say(1, MegatronLine(i, kLoss));
  }
  Say(0, "saving checkpoint at iteration       3 to /c in torch_dist format\n");
  Say(1, MegatronLine(4, kLoss));
  RunOutcome ended;
  ended.state = ProcessState::kExited;
  const RunRecord record = observer.Take(ended);
  EXPECT_EQ(progress_.steps, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(progress_.alive, 1);
  EXPECT_EQ(told_, 4);
  ASSERT_EQ(record.steps.size(), 4);
  EXPECT_EQ(record.steps[2].tokens, 16 * 32);
  EXPECT_EQ(record.steps[2].step_ms, 250);
  EXPECT_EQ(record.steps[2].loss, 2.5);
  // The second line may average over the first iteration; the save at 3 falls
  // into the fourth.
  EXPECT_EQ(record.steps[0].mark, "first");
  EXPECT_EQ(record.steps[1].mark, "first");
  EXPECT_EQ(record.steps[2].mark, "");
  EXPECT_EQ(record.steps[3].mark, "pause");
  EXPECT_FALSE(record.every_step);
}

TEST_F(LogObserverTest, TokensAreKnownThoughTheArgumentsComeLast) {
  Observer({.role = ProcessRole::kLauncher});
  Say(1, MegatronLine(1, kLoss) + MegatronLine(2, kLoss));
  Say(0, kSequence);
  const RunRecord record = observer_->Take({});
  ASSERT_EQ(record.steps.size(), 2U);
  EXPECT_EQ(record.steps[1].tokens, 16 * 32);
}

TEST_F(LogObserverTest, ALossThatMegatronLeavesOutIsNaN) {
  LogObserver& observer = Observer({.role = ProcessRole::kLauncher});
  Say(0, MegatronLine(1, ""));
  const RunRecord record = observer.Take({});
  ASSERT_EQ(record.steps.size(), 1);
  EXPECT_TRUE(std::isnan(record.steps[0].loss.value_or(0)));
}

TEST_F(LogObserverTest, StepsByExpressionsAreTheLowestRanks) {
  CommandSpec spec;
  spec.step_pattern = R"(step (\d+))";
  spec.loss_pattern = R"(loss (\S+))";
  LogObserver& observer = Observer({.figures = spec});
  Say(0, "step 1 lo");
  Say(1, "step 1 loss 9\n");
  Say(0, "ss 3\nstep 2 loss 2.5");
  observer.OnRankExit({.rank = 0}, progress_);
  const RunRecord record = observer.Take({});
  ASSERT_EQ(record.steps.size(), 2);
  EXPECT_EQ(record.steps[0].loss, 3);  // though rank 1 was the first
  EXPECT_EQ(record.steps[1].loss, 2.5);
  EXPECT_FALSE(record.steps[1].step_ms.has_value());
  EXPECT_TRUE(record.replaced);
  ASSERT_EQ(record.missing.size(), 1U);
  EXPECT_EQ(record.missing[0], "rank 1 ended with step 1, rank 0 with step 2");
}

TEST_F(LogObserverTest, RanksBelowALauncherAreToldApartByTheirPrefix) {
  CommandSpec spec;
  spec.step_pattern = R"(step (\d+))";
  spec.loss_pattern = R"(loss (\S+))";
  LogObserver& observer =
      Observer({.role = ProcessRole::kLauncher, .figures = spec});
  Say(1, "[default1]:loss 9\n[default0]:loss 3\n");
  Say(1, "[default1]:step 1\n[default0]:step 1\n[default1]:step 2 loss 8\n");
  const RunRecord record = observer.Take({});
  ASSERT_EQ(record.steps.size(), 1U);
  EXPECT_EQ(record.steps[0].loss, 3);
  ASSERT_EQ(record.missing.size(), 1U);
  EXPECT_EQ(record.missing[0],
            "rank 0 of node g0034 ended with step 1, rank 1 of node g0034 "
            "with step 2");
}

TEST_F(LogObserverTest, AFigureThatAnExpressionWasGivenForIsNeededAtTheEnd) {
  CommandSpec spec;
  spec.step_pattern = R"(step (\d+))";
  spec.tokens_pattern = R"(tokens (\d+))";
  spec.loss_pattern = R"(loss (\d+))";
  Observer({.figures = spec});
  Say(0, "step 1 loss 3 tokens 7\nstep 2 loss 2 tokens 7\n");
  EXPECT_TRUE(observer_->Take({}).missing.empty());
  Observer({.figures = spec});
  Say(0, "step 1 loss 3\nstep 2 loss ?\n");
  EXPECT_EQ(observer_->Take({}).missing,
            (std::vector<std::string>{
                "command.tokens_pattern matched no line with a number",
                "command.loss_pattern matched no number at the last step, 2"}));
}

TEST_F(LogObserverTest, ALossThatIsNoNumberCountsOnWhateverRank) {
  CommandSpec spec;
  spec.step_pattern = R"(step (\d+))";
  spec.loss_pattern = R"(loss ([0-9.]+))";
  Observer({.figures = spec});
  Say(0, "step 1 loss 3\n");
  Say(1, "step 1 loss nan\n");
  EXPECT_EQ(observer_->Take({}).invalid_loss, "step 1: loss nan (rank 1)");
}

TEST_F(LogObserverTest, TheExceptionOfARankIsTheRootCause) {
  LogObserver& observer = Observer({});
  Say(0,
      "RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed "
      "by peer [127.0.0.1]:1234\n",
      OutputStream::kStderr);
  Say(1,
      "Traceback (most recent call last):\n  File \"t.py\", line 3, in "
      "<module>\n    f()\nValueError: no label\n",
      OutputStream::kStderr);
  observer.OnRankExit({.rank = 1}, progress_);
  RunOutcome ended;
  ended.state = ProcessState::kFailed;
  ended.cause = "rank_exit";
  ended.reason = "rank 1 on g0034: exit 1";
  const RunRecord record = observer.Take(ended);
  ASSERT_FALSE(record.findings.empty());
  EXPECT_EQ(record.findings[0].code, "python-exception");
  EXPECT_EQ(record.findings[0].node, "g0034");
  EXPECT_EQ(record.findings[0].rank, 1);
  EXPECT_NE(record.root_cause.find("rank 1 on g0034: ValueError: no label"),
            std::string::npos)
      << record.root_cause;
}

TEST_F(LogObserverTest, ASignalIsTheRootOfWhatItsPeersSay) {
  LogObserver& observer = Observer({});
  Say(0,
      "RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed "
      "by peer [127.0.0.1]:1234\n",
      OutputStream::kStderr);
  RunOutcome ended;
  ended.state = ProcessState::kFailed;
  ended.cause = "rank_signal";
  ended.reason = "rank 1 on g0034: signal 9 (SIGKILL)";
  const RunRecord record = observer.Take(ended);
  EXPECT_EQ(record.findings[0].code, "process-signal");
  EXPECT_EQ(record.root_cause, "");  // the outcome's own reason says it
}

TEST_F(LogObserverTest, NcclIsUnknownWhereItShouldHaveSpoken) {
  EXPECT_EQ(Observer({}).Take({}).nccl_health, "");
  EXPECT_EQ(Observer({.uses_nccl = true}).Take({}).nccl_health, "unknown");
  LogObserver& observer = Observer({});
  Say(0,
      "g0033:10:11 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB "
      "bond0:10.0.0.1<0>\n");
  EXPECT_EQ(observer.Take({}).nccl_health, "healthy");
}

}  // namespace
}  // namespace zs
