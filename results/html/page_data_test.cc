#include "gtest/gtest.h"
#include "results/html/gpu_series.h"
#include "results/html/prediction_gap.h"
#include "results/report/downsample.h"

namespace zs::results {
namespace {

TEST(DownsampleTest, KeepsEndsAndExtremes) {
  std::vector<StepPoint> points;
  for (int64_t step = 1; step <= 1000; ++step) {
    points.push_back({step, 1.0});
  }
  points[123].ms = 5;
  points[700].ms = 0.1;
  const auto kept = Downsampled(points, 50);
  EXPECT_LE(kept.size(), 50u);
  EXPECT_EQ(kept.front().step, 1);
  EXPECT_EQ(kept.back().step, 1000);
  bool high = false;
  bool low = false;
  for (size_t i = 0; i < kept.size(); ++i) {
    high |= kept[i].ms == 5;
    low |= kept[i].ms == 0.1;
    EXPECT_TRUE(i == 0 || kept[i - 1].step < kept[i].step);
  }
  EXPECT_TRUE(high && low);
  EXPECT_EQ(Downsampled(points, 1000).size(), 1000u);
}

std::vector<GpuSample> Samples(int gpus, int seconds) {
  std::vector<GpuSample> samples;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int s = 0; s < seconds; ++s) {
      samples.push_back({.gpu = gpu,
                         .at_unix_ms = 1000 * (s + 1),
                         .power_w = 100.0 * gpu + s});
    }
  }
  return samples;
}

TEST(GpuSeriesTest, FewGpusHaveALineEach) {
  const auto metrics = GpuSeries(Samples(2, 3), 1000, 100);
  ASSERT_EQ(metrics.size(), 1u);  // nothing else was sampled
  EXPECT_EQ(metrics[0].name, "power_w");
  ASSERT_EQ(metrics[0].lines.size(), 2u);
  EXPECT_EQ(metrics[0].lines[1].points[2], std::make_pair(2.0, 102.0));
}

TEST(GpuSeriesTest, ManyGpusAreLowestMeanAndHighest) {
  const auto metrics = GpuSeries(Samples(9, 2), 1000, 100);
  ASSERT_EQ(metrics[0].lines.size(), 3u);
  EXPECT_EQ(metrics[0].lines[0].points[0].second, 0);
  EXPECT_EQ(metrics[0].lines[1].points[0].second, 400);
  EXPECT_EQ(metrics[0].lines[2].points[0].second, 800);
}

ComparedExperiment Measured(double step_ms) {
  ComparedExperiment e;
  e.step_ms_median = step_ms;
  e.mem_predicted = MemoryRow{.parameters = 100, .total = 100};
  e.mem_peak = MemoryRow{.parameters = 110, .total = 200};
  return e;
}

TEST(PredictionGapTest, HoldsTheWholeAndItsParts) {
  RunEvidence run;
  run.parts = {{"forward", 30}, {"backward", 90}};
  run.predicted = {{"step", 100}, {"forward", 33}, {"backward", 60}};
  const auto gaps = GapsOf(Measured(120), run);
  ASSERT_EQ(gaps.size(), 6u);
  EXPECT_EQ(gaps[4].term, "components");
  EXPECT_DOUBLE_EQ(gaps[4].ratio(), 1.1);
  EXPECT_EQ(gaps[0].term, "whole step");
  EXPECT_DOUBLE_EQ(gaps[0].ratio(), 1.2);
  EXPECT_TRUE(gaps[3].is_memory);
}

TEST(PredictionGapTest, NothingKnownHasNoGaps) {
  EXPECT_TRUE(GapsOf(ComparedExperiment(), RunEvidence()).empty());
}

}  // namespace
}  // namespace zs::results
