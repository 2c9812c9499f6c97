#include "runner/cli/terminal_progress.h"

#include <cstdlib>
#include <string>

#include "base/fake_clock.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

class TerminalProgressTest : public ::testing::Test {
 protected:
  ~TerminalProgressTest() override {
    std::fclose(file_);
    std::free(text_);
  }

  TerminalProgress Make(bool live, bool color) {
    return TerminalProgress({.out = file_, .live = live, .color = color},
                            clock_);
  }

  std::string Printed() {
    std::fflush(file_);
    return {text_, size_};
  }

  static Experiment Z1() {
    Experiment experiment;
    experiment.name = "z1";
    experiment.model.name = "gpt_smoke";
    experiment.train.zero_stage = 1;
    experiment.train.steps = 30;
    experiment.has_train = true;
    experiment.topology.nodes = {"here"};
    experiment.topology.ranks_per_node = 2;
    return experiment;
  }

  char* text_ = nullptr;
  size_t size_ = 0;
  std::FILE* file_ = ::open_memstream(&text_, &size_);
  FakeClock clock_;
};

TEST_F(TerminalProgressTest, OneLineForStartAndEndOfARun) {
  TerminalProgress progress = Make(false, false);
  progress.SweepStarted("sweep", 3, 1);
  progress.RunStarted(Z1(), 1, 1);
  clock_.Advance(5 * kSecondNs);
  progress.RunEnded(Z1(), {.verdict = results::Verdict::kPass},
                    {.steps = 30, .tokens_per_s = 12345.6, .final_loss = 2.5});
  EXPECT_EQ(Printed(),
            "[======] sweep: 3 experiments, 1 to run\n"
            "[ RUN  ] z1  ZeRO 1, 2 ranks, gpt_smoke\n"
            "[ PASS ] z1  30 steps, 12,346 tokens/s, loss 2.5000 (5.0 s)\n");
}

TEST_F(TerminalProgressTest, AFailureSaysWhy) {
  TerminalProgress progress = Make(false, false);
  progress.RunEnded(Z1(),
                    {.verdict = results::Verdict::kFail,
                     .verdict_reason = "rank 1 on here: \x1b[31mexit 3"},
                    {});
  EXPECT_EQ(Printed(),
            "[ FAIL ] z1  rank 1 on here: \\x1b[31mexit 3 (0.0 s)\n");
}

TEST_F(TerminalProgressTest, StepsArePlainLinesEveryTenSeconds) {
  TerminalProgress progress = Make(false, false);
  progress.RunStarted(Z1(), 1, 1);
  for (int step = 1; step <= 25; ++step) {
    clock_.Advance(kSecondNs);
    progress.Step(Z1(),
                  {.step = step, .loss = 3, .tokens = 1000, .step_ms = 1000});
  }
  const std::string text = Printed();
  EXPECT_NE(text.find("z1  step 10/30  1,000 tokens/s  loss 3.0000  ETA 20 s"),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST_F(TerminalProgressTest, ATerminalSeesALineThatIsRedrawnAndCleared) {
  TerminalProgress progress = Make(true, true);
  progress.RunStarted(Z1(), 1, 1);
  clock_.Advance(kSecondNs);
  progress.Step(Z1(), {.step = 1, .loss = 3, .step_ms = 10});
  progress.Note("x");
  const std::string text = Printed();
  EXPECT_NE(text.find("\r\x1b[K         z1  step 1/30"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\x1b[K\x1b[33m[ NOTE ]\x1b[0m x\n")) << text;
}

TEST(WithCommasTest, GroupsThousands) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999.4), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
  EXPECT_EQ(WithCommas(-1234), "-1,234");
}

}  // namespace
}  // namespace zs
