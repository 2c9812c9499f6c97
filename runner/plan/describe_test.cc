#include "runner/plan/describe.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

int predictions = 0;

// A predictor by hand: a byte for each rank, and its calls counted.
MemoryBytes FakePredict(const RunConfig& config, int world_size) {
  ++predictions;
  MemoryBytes memory;
  memory.parameters = 1 << 20;
  memory.optimizer =
      (2 << 20) / (config.train.zero_stage == 0 ? 1 : world_size);
  memory.total = memory.parameters + memory.optimizer;
  return memory;
}

class DescribeTest : public ::testing::Test {
 protected:
  DescribeTest() {
    Experiment experiment;
    experiment.name = "z1";
    // Counted by hand: embedding 256 x 8, final gain 8; a layer: two gains of
    // 8, q and o of 8 x 8, k and v of 4 x 8, and three of 16 x 8.
    experiment.model = {.layers = 1,
                        .hidden = 8,
                        .heads = 2,
                        .kv_heads = 1,
                        .head_size = 4,
                        .ffn = 16,
                        .vocab = 256,
                        .max_seq_len = 64,
                        .norm = "rmsnorm",
                        .position = "rope",
                        .activation = "swiglu"};
    experiment.train.zero_stage = 1;
    experiment.train.micro_batch = 16;
    experiment.train.global_batch = 2048;
    experiment.train.seq_len = 4096;
    experiment.topology.nodes = {"a", "b", "c", "d"};
    experiment.topology.ranks_per_node = 8;
    sweep_.name = "s";
    sweep_.experiments = {experiment, experiment};
    sweep_.experiments[1].name = "z0";
    sweep_.experiments[1].needs = {"z1"};
    sweep_.experiments[1].train.zero_stage = 0;
  }

  Sweep sweep_;
};

constexpr int64_t kParameters =
    256 * 8 + 8 + 2 * 8 + 2 * 8 * 8 + 2 * 4 * 8 + 3 * 16 * 8;

TEST_F(DescribeTest, DerivesBatchArithmetic) {
  const auto derived = DeriveAll(sweep_, &FakePredict);
  EXPECT_EQ(derived[0].world_size, 32);
  EXPECT_EQ(derived[0].accumulation, 4);  // 2048 / (16 x 32)
  EXPECT_EQ(derived[0].tokens_per_step, 2048 * 4096);
  EXPECT_EQ(derived[0].parameters, kParameters);
  EXPECT_EQ(derived[0].memory.optimizer, (2 << 20) / 32);
  EXPECT_EQ(derived[1].memory.optimizer, 2 << 20);
}

TEST_F(DescribeTest, EqualShapesAreComputedOnce) {
  for (int i = 0; i < 50; ++i) {
    sweep_.experiments.push_back(sweep_.experiments[i % 2]);
    sweep_.experiments.back().train.seed = 100 + i;
  }
  predictions = 0;
  EXPECT_EQ(DeriveAll(sweep_, &FakePredict).size(), 52u);
  EXPECT_EQ(predictions, 2);
}

TEST_F(DescribeTest, SaysWhyItDoesNotFit) {
  const auto derived = DeriveAll(sweep_, &FakePredict);
  const Experiment& z0 = sweep_.experiments[1];  // 3 MiB a rank, 8 ranks
  EXPECT_EQ(DoesNotFit(z0, derived[1], {}), "");
  EXPECT_EQ(DoesNotFit(z0, derived[1], {.host_bytes = 24 << 20}), "");
  EXPECT_EQ(DoesNotFit(z0, derived[1], {.host_bytes = 23 << 20}),
            "8 ranks a node x 3.00 MiB is more than its 23.0 MiB");
  Experiment cuda = z0;
  cuda.device = "cuda";
  EXPECT_EQ(DoesNotFit(cuda, derived[1], {.gpu_bytes = 2 << 20}),
            "a rank needs 3.00 MiB, a GPU has 2.00 MiB");
}

TEST_F(DescribeTest, TableAndJsonShowTheSame) {
  sweep_.experiments[0].repeats = 3;
  const auto derived = DeriveAll(sweep_, &FakePredict);
  const std::vector<Decision> decisions = {
      {Action::kRun, SkipCause::kNone, "no run has passed yet"},
      {Action::kSkipped, SkipCause::kDoesNotFit, "too large"}};
  const auto rows = PlanRows(MakeGraph(sweep_), decisions, derived);
  const std::vector<TextTable> tables = PlanTables(sweep_, rows);
  ASSERT_EQ(tables.size(), 2u);  // no step was predicted
  for (const TextTable& table : tables) {
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.columns.size(), table.rows[0].size());
    EXPECT_EQ(table.columns.size(), table.is_number.size());
  }
  EXPECT_EQ(tables[0].rows[0][1], "run x3");
  EXPECT_EQ(tables[0].rows[1][1], "skipped (does_not_fit)");
  EXPECT_EQ(tables[0].rows[1].back(), "too large");
  EXPECT_EQ(tables[1].rows[1].back(), "3.00 MiB");
  const Json json = PlanJson(sweep_, rows);
  EXPECT_EQ(json["experiments"][0]["accumulation"], 4);
  EXPECT_EQ(json["experiments"][0]["mem_predicted_bytes"]["total"],
            (1 << 20) + (2 << 20) / 32);
  EXPECT_EQ(json["experiments"][1]["cause"], "does_not_fit");
}

TEST(ShortTest, ThreeDigits) {
  EXPECT_EQ(ShortCount(999), "999");
  EXPECT_EQ(ShortCount(1000), "1.00k");
  EXPECT_EQ(ShortCount(124'439'808), "124M");
  EXPECT_EQ(ShortCount(999'999), "1.00M");
  EXPECT_EQ(ShortCount(1'720'574'976), "1.72B");
  EXPECT_EQ(ShortBytes(1023), "1023 B");
  EXPECT_EQ(ShortBytes(1024), "1.00 KiB");
  EXPECT_EQ(ShortBytes(int64_t{64} << 30), "64.0 GiB");
}

}  // namespace
}  // namespace zs
