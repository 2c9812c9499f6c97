#include "results/report/term_off.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

const std::map<std::string, double> kPredicted = {
    {"step", 100}, {"forward", 33}, {"backward", 60}};

TEST(TermOffTest, IsTheTermThatIsFurthestOff) {
  const auto off =
      FurthestTerm(120, kPredicted, {{"forward", 30}, {"backward", 90}});
  ASSERT_TRUE(off.has_value());
  EXPECT_EQ(off->name, "backward");
  EXPECT_EQ(off->predicted_ms, 60);
  EXPECT_EQ(off->measured_ms, 90);
}

TEST(TermOffTest, AGoodPredictionHasNone) {
  EXPECT_FALSE(
      FurthestTerm(104, kPredicted, {{"forward", 30}, {"backward", 90}}));
  EXPECT_FALSE(FurthestTerm(104, {}, {{"forward", 30}}));
  EXPECT_FALSE(FurthestTerm(200, kPredicted, {}));
}

TEST(TermOffTest, IsReadFromTheRecord) {
  SampleRecord record;
  SampleRun sample = ThreeStages()[0];
  sample.predictions = {{"step", 50, "made-up"}, {"forward", 10, "made-up"}};
  sample.forward_ms = 70;
  const int64_t run = record.AddRun(sample);
  ComparedExperiment side;
  side.window_first = 6;
  side.window_last = 30;
  side.step_ms_median = 100;
  ASSERT_OK(ReadPrediction(record.reader(), run, side));
  EXPECT_EQ(side.step_ms_predicted, 50);
  EXPECT_EQ(side.profile, "made-up");
  ASSERT_TRUE(side.term_off.has_value());
  EXPECT_EQ(side.term_off->name, "forward");
  EXPECT_EQ(side.term_off->measured_ms, 70);
}

}  // namespace
}  // namespace zs::results
