#include "engine/api/collectives_config.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(CollectivesConfigTest, SurvivesJson) {
  CollectivesRun run;
  run.device = "cuda";
  run.collectives = {.ops = {"all_reduce", "send_receive"},
                     .min_bytes = 16,
                     .max_bytes = int64_t{1} << 32,
                     .iterations = 3,
                     .warmup = 0,
                     .check = false};
  const Json json = ToJson(run);
  EXPECT_TRUE(IsCollectivesRun(json));
  const Result<CollectivesRun> read = CollectivesRunFromJson(json);
  ASSERT_OK(read);
  EXPECT_EQ(ToJson(*read), json);
}

TEST(CollectivesConfigTest, NamesWhatIsWrong) {
  EXPECT_FALSE(IsCollectivesRun(Json{{"model", 1}}));
  const Json json = {
      {"schema", 1},
      {"device", "cpu"},
      {"collectives",
       {{"ops", {"all_redcue"}}, {"min_bytes", 64}, {"max_bytes", 32}}}};
  const auto read = CollectivesRunFromJson(json);
  EXPECT_STATUS(read.status(), StatusCode::kInvalidArgument, "\"all_redcue\"");
  EXPECT_STATUS(read.status(), StatusCode::kInvalidArgument,
                "64 is more than max_bytes 32");
}

// nccl-tests, doc/PERFORMANCE.md.
TEST(CollectivesConfigTest, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor("all_reduce", 2), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(BusFactor("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor("all_gather", 2), 0.5);
  EXPECT_DOUBLE_EQ(BusFactor("broadcast", 8), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor("send_receive", 8), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor("all_reduce", 1), 0.0);
}

}  // namespace
}  // namespace zs
