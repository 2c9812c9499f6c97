// What a comparison says of records that hold too little: words that name what
// is missing and what to run, in every format, and never a number that is none.
#include <limits>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare.h"
#include "results/report/comparison_writer.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

class BadInputTest : public ::testing::Test {
 protected:
  // z0 as it should be beside Z1; what is said of the pair in every format.
  void Expect(const SampleRun& z1, const std::string& words) {
    SampleRecord record;
    record.AddRun(ThreeStages()[0]);
    record.AddRun(z1);
    const auto comparison = Compare(record.reader(), {"z0", "z1"}, {});
    ASSERT_OK(comparison);
    EXPECT_FALSE(comparison->measured) << words;
    EXPECT_NE(comparison->verdict.find(words), std::string::npos)
        << comparison->verdict;
    for (const Format format :
         {Format::kTable, Format::kMarkdown, Format::kCsv, Format::kJson}) {
      const std::string text = WriteComparison(*comparison, format, {});
      for (const char* none : {" nan", ",nan", ":nan", " inf", "-nan"}) {
        EXPECT_EQ(text.find(none), std::string::npos) << none << " in " << text;
      }
    }
  }

  SampleRun z1_ = ThreeStages()[1];
};

TEST_F(BadInputTest, TooFewSteps) {
  z1_.steps = 9;  // 5 of them warm-up
  Expect(z1_,
         "fewer than 6 steps with time and tokens in the window of one "
         "side: run more steps");
}

TEST_F(BadInputTest, NoStepAfterTheWarmUp) {
  z1_.steps = 5;
  Expect(z1_,
         "has no step with a time in the window from step 6 on; run it "
         "with more steps, a shorter warm-up or another window");
}

TEST_F(BadInputTest, StepsWithoutATime) {
  z1_.step_ms = std::numeric_limits<double>::quiet_NaN();
  Expect(z1_, "has no step with a time");
}

TEST_F(BadInputTest, LossesThatAreNoNumbers) {
  z1_.loss_offset = std::numeric_limits<double>::quiet_NaN();
  Expect(z1_, "losses DIFFER");
}

TEST_F(BadInputTest, ARunThatIsNotWhole) {
  z1_.measurement = MeasurementState::kIncomplete;
  Expect(z1_, "z1 has no valid run: run 2 was exited, incomplete");
  z1_.measurement = MeasurementState::kInvalidLoss;
  Expect(z1_, "run it again with --only z1");
}

TEST_F(BadInputTest, AnotherNumberOfRanks) {
  z1_.world_size = 4;
  Expect(z1_,
         "world sizes differ (4 ranks, not 2): compare it with a baseline "
         "of 4 ranks");
}

TEST_F(BadInputTest, NothingOnRecord) {
  const SampleRecord record;
  EXPECT_STATUS(Compare(record.reader(), {"z0", "z1"}, {}),
                StatusCode::kNotFound, "z0");
}

}  // namespace
}  // namespace zs::results
