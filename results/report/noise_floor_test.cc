#include "results/report/noise_floor.h"

#include <cmath>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

class NoiseFloorTest : public ::testing::Test {
 protected:
  // Runs of z0 at these step times, each without noise of its own.
  std::vector<int64_t> AddRuns(const std::vector<double>& step_ms) {
    SampleRun sample = ThreeStages()[0];
    sample.noise = 0;
    const int64_t experiment = record_.AddExperiment(sample);
    std::vector<int64_t> runs;
    for (const double ms : step_ms) {
      sample.step_ms = ms;
      runs.push_back(record_.AddRunOf(experiment, sample));
      ++sample.repeat;
    }
    return runs;
  }

  SampleRecord record_;
};

TEST_F(NoiseFloorTest, IsTheDeviationOfLogMedians) {
  const auto runs = AddRuns({100, 100 * std::exp(0.02), 100 * std::exp(0.04)});
  const auto floor = MeasureFloor(record_.reader(), runs);
  ASSERT_OK(floor);
  EXPECT_EQ(floor->runs, 3);
  EXPECT_NEAR(floor->run_deviation, 0.02, 1e-12);
  EXPECT_EQ(floor->experiment, "z0");
  EXPECT_EQ(floor->device, "cpu");
}

TEST_F(NoiseFloorTest, TwoRunsAreTooFew) {
  EXPECT_STATUS(MeasureFloor(record_.reader(), AddRuns({100, 101})),
                StatusCode::kFailedPrecondition, "at least three");
}

TEST_F(NoiseFloorTest, RefusesGatesThatTheClusterCannotShow) {
  const auto runs = AddRuns({99, 100, 101});
  auto floor = MeasureFloor(record_.reader(), runs);
  ASSERT_OK(floor);
  EXPECT_OK(record_.store().AddNoiseFloor(*floor));
  record_.BeginSweep("later");
  for (const SampleRun& sample : ThreeStages()) {
    record_.AddRun(sample);
  }
  const auto comparison = Compare(record_.reader(), {"z0", "z1"}, {});
  ASSERT_OK(comparison);
  // 1% between runs; Student's t at two degrees of freedom is 4.30. z0 has the
  // three runs, z1 one: sqrt(1 + 1/3) is 1.155, all in all 4.97%.
  const auto refused = WhyBelowFloor(record_.reader(), *comparison, 0.03);
  ASSERT_OK(refused);
  EXPECT_NE(refused->find("1 run against 3 can show no less than 4.97%"),
            std::string::npos)
      << *refused;
  EXPECT_NE(refused->find("repeats: 5 would show it"), std::string::npos)
      << *refused;
  const auto allowed = WhyBelowFloor(record_.reader(), *comparison, 0.07);
  ASSERT_OK(allowed);
  EXPECT_EQ(*allowed, "");
}

}  // namespace
}  // namespace zs::results
