#include "runner/backend/collectives_driver.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(CollectivesDriverTest, CountsWhatTheEngineMeasures) {
  const CollectivesConfig config = {
      .ops = {"all_reduce", "send_receive"}, .min_bytes = 8, .max_bytes = 64};
  EXPECT_EQ(MeasurementsOf(config, 1), 3 * 4);
  EXPECT_EQ(MeasurementsOf(config, 2), 3 * 4);
  EXPECT_EQ(MeasurementsOf(config, 3), 3 * 3);  // 8 bytes: not one for each
  EXPECT_EQ(MeasurementsOf(config, 32), 0);
}

TEST(CollectivesDriverTest, AsksTheEngineForWhatTheFileSays) {
  Experiment experiment;
  experiment.name = "links";
  experiment.device = "cuda";
  experiment.collectives = CollectivesSpec{.ops = {"broadcast"},
                                           .min_bytes = 4,
                                           .max_bytes = 1024,
                                           .iterations = 3,
                                           .warmup = 1,
                                           .check = false};
  const CollectivesRun run = CollectivesRunOf(experiment);
  EXPECT_EQ(run.experiment, "links");
  EXPECT_EQ(run.device, "cuda");
  EXPECT_EQ(run.collectives.ops, std::vector<std::string>{"broadcast"});
  EXPECT_EQ(run.collectives.iterations, 3);
  EXPECT_FALSE(run.collectives.check);
}

}  // namespace
}  // namespace zs
