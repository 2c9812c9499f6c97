#include "results/report/observations.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

// Thirty samples of GPU on NODE, from FIRST to LAST MHz.
void Add(int node, int gpu, double first, double last,
         std::vector<GpuSample>& samples) {
  for (int i = 0; i < 30; ++i) {
    GpuSample sample;
    sample.node_rank = node;
    sample.gpu = gpu;
    sample.at_unix_ms = i;
    sample.step = i;
    sample.sm_clock_mhz = first + (last - first) * i / 29;
    samples.push_back(sample);
  }
}

TEST(ObservationsTest, ClocksThatDriftOrLagAreNamed) {
  std::vector<GpuSample> samples;
  Add(0, 0, 1980, 1980, samples);
  Add(0, 1, 1980, 1965, samples);
  Add(1, 0, 1980, 1590, samples);
  Add(1, 1, 1710, 1710, samples);
  ComparedExperiment side;
  ObserveClocks(samples, side);
  ASSERT_EQ(side.observations.size(), 2u);
  // The middles of the first and last ten of thirty.
  EXPECT_EQ(side.observations[0],
            "clock drift: node 1 GPU 0 goes from 1919 to 1651 MHz");
  EXPECT_EQ(side.observations[1],
            "slow clock: node 1 GPU 1 runs at 1710 MHz, the others at 1879");
}

TEST(ObservationsTest, FewOrUnknownClocksSayNothing) {
  std::vector<GpuSample> samples;
  Add(0, 0, 1980, 1000, samples);
  samples.resize(8);
  samples.push_back({});
  ComparedExperiment side;
  ObserveClocks(samples, side);
  EXPECT_TRUE(side.observations.empty());
}

NodeRow NodeOf(const std::string& host, std::optional<double> other_pct) {
  NodeRow node;
  node.host = host;
  node.other_cpu_pct = other_pct;
  return node;
}

TEST(ObservationsTest, AHostThatOtherProgramsUseIsNamedByItsWorstRun) {
  const std::vector<NodeRow> nodes = {NodeOf("a", 9), NodeOf("b", 12),
                                      NodeOf("b", 43.4),
                                      NodeOf("c", std::nullopt)};
  ComparedExperiment side;
  side.device = "cpu";
  ObserveOtherPrograms(nodes, side);
  ASSERT_EQ(side.observations.size(), 1u);
  EXPECT_EQ(side.observations[0],
            "other programs took 43% of the processors of b; measure on an "
            "idle machine");
  ComparedExperiment gpus;
  gpus.device = "cuda";
  ObserveOtherPrograms(nodes, gpus);
  EXPECT_TRUE(gpus.observations.empty());
}

}  // namespace
}  // namespace zs::results
