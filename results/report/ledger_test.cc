#include "results/report/ledger.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/sample_record.h"
#include "results/report/step_window.h"

namespace zs::results {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  RunRow Add(const SampleRun& sample) {
    const auto run = record_.reader().Run(record_.AddRun(sample));
    EXPECT_OK(run);
    return *run;
  }

  Result<Table> Communication(const RunRow& run) {
    return CommunicationLedger(record_.reader(), run.id,
                               *SteadyWindow(record_.reader(), run));
  }

  Result<Table> Time(const RunRow& run) {
    return TimeLedger(record_.reader(), run.id,
                      *SteadyWindow(record_.reader(), run));
  }

  SampleRecord record_;
};

using Row = std::vector<std::string>;

Row TextsOf(const std::vector<Cell>& cells) {
  Row texts;
  for (const Cell& cell : cells) {
    texts.push_back(cell.text);
  }
  return texts;
}

TEST_F(LedgerTest, BytesStandBesideTheory) {
  const auto ledger = Communication(Add(ThreeStages()[0]));
  ASSERT_OK(ledger);
  ASSERT_EQ(ledger->rows.size(), 1u);
  EXPECT_EQ(TextsOf(ledger->rows[0]), (Row{"all_reduce", "4.0", "976.6 KiB",
                                           "976.6 KiB", "6.50", "0.154", ""}));
  // 5 ms of 6.5 are waited for.
  EXPECT_EQ(ledger->notes[0], "waited for: 5.00 ms a step; overlap 23.1 %");
}

TEST_F(LedgerTest, TrafficOfAnotherStageIsMarked) {
  SampleRun sample = ThreeStages()[1];
  sample.op = "reduce_scatter";
  const auto ledger = Communication(Add(sample));
  ASSERT_OK(ledger);
  ASSERT_EQ(ledger->rows.size(), 2u);
  EXPECT_EQ(ledger->rows[0].back().text, "DIFFERENT");
  EXPECT_EQ(ledger->rows[1].back().text, "DIFFERENT");
}

TEST_F(LedgerTest, TheStepIsDivided) {
  SampleRun sample = ThreeStages()[0];
  sample.noise = 0;
  sample.forward_ms = 30;
  const auto ledger = Time(Add(sample));
  ASSERT_OK(ledger);
  ASSERT_EQ(ledger->rows.size(), 4u);
  const auto text = [&](size_t row) {
    const Row all = TextsOf(ledger->rows[row]);
    return Row(all.begin(), all.begin() + 4);
  };
  EXPECT_EQ(text(0), (Row{"whole step", "100.00", "100.00", "100.0 %"}));
  EXPECT_EQ(text(1), (Row{"forward", "30.00", "30.00", "30.0 %"}));
  EXPECT_EQ(text(2), (Row{"exposed communication", "5.00", "5.00", "5.0 %"}));
  EXPECT_EQ(text(3), (Row{"host gaps", "65.00", "65.00", "65.0 %"}));
  EXPECT_EQ(ledger->notes[0], "steps 6-30");
}

TEST_F(LedgerTest, TheSweepIsDivided) {
  SampleRun sample = ThreeStages()[0];
  sample.noise = 0;
  record_.AddRun(sample);  // 12.5 s: 1 s, 4 and 25 steps of 0.1 s
  sample.name = "bad";
  sample.verdict = Verdict::kFail;
  record_.AddRun(sample);
  EXPECT_OK(record_.store().EndSweep(record_.sweep_id(), 50000, 1, ""));
  const auto sweep = record_.reader().Sweep(record_.sweep_id());
  ASSERT_OK(sweep);
  const auto ledger = SweepLedger(record_.reader(), *sweep);
  ASSERT_OK(ledger);
  ASSERT_EQ(ledger->rows.size(), 5u);
  EXPECT_EQ(TextsOf(ledger->rows[0]), (Row{"measured steps", "2.5", "5.0 %"}));
  EXPECT_EQ(TextsOf(ledger->rows[1]), (Row{"warm-up steps", "1.4", "2.8 %"}));
  EXPECT_EQ(TextsOf(ledger->rows[2]),
            (Row{"start and clean-up", "8.6", "17.2 %"}));
  EXPECT_EQ(TextsOf(ledger->rows[3]),
            (Row{"runs that did not pass", "12.5", "25.0 %"}));
  EXPECT_EQ(TextsOf(ledger->rows[4]),
            (Row{"checks and between runs", "25.0", "50.0 %"}));
}

}  // namespace
}  // namespace zs::results
