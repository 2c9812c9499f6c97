#include "runner/sweep/spend.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/sample_record.h"

namespace zs {
namespace {

using Indices = std::vector<size_t>;

results::SpeedRatio RatioOf(double lo, double hi, const std::string& word) {
  results::SpeedRatio ratio;
  ratio.value = 1;
  ratio.lo = lo;
  ratio.hi = hi;
  ratio.word = word;
  return ratio;
}

TEST(SpendTest, RepeatsGoToWhatIsUndecidedAndWide) {
  EXPECT_TRUE(IsOpen(RatioOf(0.97, 1.03, "UNDECIDED"), 0.01));
  EXPECT_FALSE(IsOpen(RatioOf(0.995, 1.012, "UNDECIDED"), 0.01));
  EXPECT_TRUE(IsOpen(RatioOf(0.995, 1.012, "UNDECIDED"), 0));
  EXPECT_FALSE(IsOpen(RatioOf(1.01, 1.20, "FASTER"), 0.01));
  EXPECT_FALSE(IsOpen(results::SpeedRatio(), 0.01));  // no interval at all
}

// Two stages on two ranks and on four; noise hides which is faster on four.
class OpenMembersTest : public ::testing::Test {
 protected:
  OpenMembersTest() {
    sweep_.name = "s";
    sweep_id_ = record_.BeginSweep("s");
    Add("z0_r2", 0, 2, 100, 0.01);
    Add("z0_r4", 0, 4, 100, 0.5);
    Add("z1_r2", 1, 2, 150, 0.01);
    Add("z1_r4", 1, 4, 101, 0.5);
  }

  void Add(const std::string& name, int zero, int ranks, double step_ms,
           double noise) {
    results::SampleRun run;
    run.name = name;
    run.zero = run.zero_effective = zero;
    run.world_size = ranks;
    run.step_ms = step_ms;
    run.noise = noise;
    record_.AddRun(run);
    Experiment experiment;
    experiment.name = name;
    experiment.until = {.rel_ci = 0.001, .max = 5};
    sweep_.experiments.push_back(experiment);
  }

  std::vector<std::string> Keys() {
    const auto rows = record_.store().reader().Experiments(sweep_id_);
    EXPECT_OK(rows);
    std::vector<std::string> keys;
    for (const results::ExperimentRow& row : *rows) {
      keys.push_back(row.experiment.key);
    }
    return keys;
  }

  Indices OnRecord(const std::vector<std::string>& keys,
                   const std::vector<bool>& selected) {
    const auto open =
        OpenOnRecord(record_.store().reader(), sweep_, keys, selected);
    EXPECT_OK(open);
    return open.ok() ? *open : Indices();
  }

  results::SampleRecord record_;
  Sweep sweep_;
  int64_t sweep_id_ = 0;
};

TEST_F(OpenMembersTest, PairsAreThoseOfTheReportWhateverComesFirst) {
  const auto open = OpenMembers(record_.store().reader(), sweep_, sweep_id_);
  ASSERT_OK(open);
  EXPECT_EQ(*open, (Indices{1, 3}));
}

TEST_F(OpenMembersTest, WithoutUntilNothingIsOpen) {
  for (Experiment& experiment : sweep_.experiments) {
    experiment.until = {};
  }
  const auto open = OpenMembers(record_.store().reader(), sweep_, sweep_id_);
  ASSERT_OK(open);
  EXPECT_TRUE(open->empty());
}

TEST_F(OpenMembersTest, OnRecordKeysAndSelectionMustBeTheSame) {
  std::vector<std::string> keys = Keys();
  const std::vector<bool> all(4, true);
  EXPECT_EQ(OnRecord(keys, all), (Indices{1, 3}));
  EXPECT_EQ(OnRecord(keys, {true, true, true, false}), Indices());
  keys[1] = "another";  // the baseline is to be run anyway
  EXPECT_EQ(OnRecord(keys, all), Indices());
}

TEST_F(OpenMembersTest, ASweepWithoutAllOfThemIsPassedOver) {
  const std::vector<std::string> keys = Keys();
  record_.BeginSweep("s");  // a check, or a sweep of one alone
  EXPECT_EQ(OnRecord(keys, std::vector<bool>(4, true)), (Indices{1, 3}));
}

}  // namespace
}  // namespace zs
