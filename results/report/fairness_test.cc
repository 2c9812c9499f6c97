#include "results/report/fairness.h"

#include "gtest/gtest.h"

namespace zs::results {
namespace {

TEST(FairnessTest, TheLongestEntryCounts) {
  const struct {
    const char* path;
    Fairness fairness;
  } cases[] = {
      {"asked.train.global_batch", Fairness::kUnfair},
      {"asked.train.seq_len", Fairness::kUnfair},
      {"asked.train.dtype", Fairness::kUnfair},
      {"asked.train.recompute", Fairness::kUnfair},
      {"asked.train.overlap", Fairness::kUnfair},
      {"asked.train.deterministic", Fairness::kUnfair},
      {"asked.train.zero_stage", Fairness::kIgnored},
      {"asked.train.micro_batch", Fairness::kNoted},
      {"asked.model.layers", Fairness::kUnfair},
      {"asked.model.name", Fairness::kNoted},
      {"asked.name", Fairness::kIgnored},
      {"asked.data_kind", Fairness::kUnfair},
      {"asked.env.NCCL_IB_HCA", Fairness::kNoted},
      {"in_effect.versions.nccl", Fairness::kNoted},
      {"in_effect.device", Fairness::kUnfair},
      {"software.gpu_driver", Fairness::kNoted},
      {"engine.sha256", Fairness::kNoted},
      {"hardware.gpus", Fairness::kUnfair},
      {"hosts", Fairness::kNoted},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(FairnessOf(c.path), c.fairness) << c.path;
  }
}

TEST(FairnessTest, DifferencesAreThoseOfTheConditions) {
  MeasuredSide a;
  a.summary.run_id = 1;
  a.conditions_json =
      R"({"asked":{"name":"z0","train":{"zero_stage":0,"seq_len":128}},)"
      R"("hosts":["n1"]})";
  MeasuredSide b;
  b.summary.name = "z1";
  b.summary.run_id = 2;
  b.conditions_json =
      R"({"asked":{"name":"z1","train":{"zero_stage":1,"seq_len":256}},)"
      R"("hosts":["n2"]})";
  const auto differences = ConditionDifferences(a, b);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].path, "asked.train.seq_len");
  EXPECT_EQ(differences[0].baseline, "128");
  EXPECT_EQ(differences[0].value, "256");
  EXPECT_TRUE(differences[0].unfair);
  EXPECT_EQ(differences[1].path, "hosts");
  EXPECT_FALSE(differences[1].unfair);
  b.summary.run_id = 0;
  EXPECT_TRUE(ConditionDifferences(a, b).empty());
}

}  // namespace
}  // namespace zs::results
