#include "engine/zero/sharded_units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/status_matchers.h"
#include "engine/comm/testing_world.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using ::zs::testing::RunRanks;

// Two layers and an embedding whose sizes are no multiples of anything.
RunConfig TestConfig() {
  RunConfig config;
  config.device = "cpu";
  config.model.layers = 3;
  config.model.hidden = 36;
  config.model.heads = 2;
  config.model.kv_heads = 1;
  config.model.head_size = 6;
  config.model.ffn = 50;
  config.model.vocab = 97;
  config.model.max_seq_len = 8;
  config.model.norm = "rmsnorm";
  config.model.position = "rope";
  config.model.activation = "swiglu";
  config.train.seq_len = 8;
  config.train.steps = 2;
  config.train.clip_grad = 0.5;
  return config;
}

// Stands in for the model: gradients that depend on the parameters, the rank
// and the micro-batch, added in the order in which the decoder does.
Status Pass(ShardedUnits& units, int rank, int64_t micro_batch) {
  const int last = static_cast<int>(units.units().size()) - 1;
  for (int unit = 0; unit <= last; ++unit) {
    RETURN_IF_ERROR(units.Parameters(unit));
  }
  ASSIGN_OR_RETURN(const UnitGradients embedding, units.Gradients(0));
  for (int unit = last; unit >= 0; --unit) {
    UnitGradients gradients = embedding;
    if (unit > 0) {
      ASSIGN_OR_RETURN(gradients, units.Gradients(unit));
    }
    ASSIGN_OR_RETURN(const void* data, units.Parameters(unit));
    const auto* parameters = static_cast<const float*>(data);
    for (int64_t i = 0; i < units.units()[unit].size; ++i) {
      const float value = std::sin(static_cast<float>(i + 3 * rank) * 0.7F +
                                   static_cast<float>(micro_batch)) +
                          0.1F * parameters[i];
      gradients.data[i] = gradients.add ? gradients.data[i] + value : value;
    }
    RETURN_IF_ERROR(units.GradientsDone(unit));
  }
  return OkStatus();
}

// What a rank has after its steps.
struct Outcome {
  std::string sha256;
  std::vector<double> norms;
  std::vector<double> losses;
  std::vector<CommUse> last_step;
  MemoryBytes memory;
};

Status Train(const RunConfig& config, Communicator& comm, Outcome& outcome) {
  auto ops = MakeCpuOps(1);
  ASSIGN_OR_RETURN(auto units, ShardedUnits::Create(config, comm, *ops));
  const int64_t accumulation = Accumulation(config.train, comm.size());
  for (size_t u = 0; u < units->units().size(); ++u) {
    for (int64_t i = 0; i < units->units()[u].size; ++i) {
      units->parameters(static_cast<int>(u))[i] =
          0.01F * static_cast<float>((i * 31 + static_cast<int64_t>(u)) % 17);
    }
  }
  for (int64_t step = 1; step <= config.train.steps; ++step) {
    for (int64_t m = 0; m < accumulation; ++m) {
      units->BeginMicroBatch(m);
      RETURN_IF_ERROR(Pass(*units, comm.rank(), m));
    }
    *units->loss() += 0.1 * (comm.rank() + 1);
    RETURN_IF_ERROR(units->Reduce(0.5));
    const StepSums sums = *units->sums();
    EXPECT_EQ(sums.clip, std::min(1.0, 0.5 / (sums.grad_norm + 1e-6)));
    outcome.norms.push_back(sums.grad_norm);
    outcome.losses.push_back(sums.loss);
    AdamWStep adamw;
    adamw.step = step;
    adamw.lr = 1e-2;
    adamw.weight_decay = 0.1;
    RETURN_IF_ERROR(units->Update(adamw));
    outcome.last_step = comm.TakeUse();
  }
  ASSIGN_OR_RETURN(outcome.sha256, units->ParametersSha256());
  outcome.memory = units->memory();
  return OkStatus();
}

// Trains each configuration, one after the other on the same connections; all
// ranks must agree. Returns rank 0's outcomes.
std::vector<Outcome> TrainAll(const std::vector<RunConfig>& configs,
                              int world_size) {
  std::mutex mutex;
  std::vector<std::vector<Outcome>> by_rank(world_size);
  RunRanks(world_size, [&](Communicator& comm) {
    std::vector<Outcome> outcomes(configs.size());
    for (size_t i = 0; i < configs.size(); ++i) {
      EXPECT_OK(Train(configs[i], comm, outcomes[i]));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    by_rank[comm.rank()] = std::move(outcomes);
  });
  for (const std::vector<Outcome>& outcomes : by_rank) {
    for (size_t i = 0; i < configs.size(); ++i) {
      EXPECT_EQ(outcomes[i].sha256, by_rank[0][i].sha256);
      EXPECT_EQ(outcomes[i].norms, by_rank[0][i].norms);
      EXPECT_EQ(outcomes[i].losses, by_rank[0][i].losses);
    }
  }
  return by_rank[0];
}

// Calls and bytes by operation, the scalars of loss and norm left out.
std::map<std::string, std::pair<int64_t, int64_t>> Traffic(
    const std::vector<CommUse>& uses) {
  std::map<std::string, std::pair<int64_t, int64_t>> traffic;
  for (const CommUse& use : uses) {
    if (use.op != "all_gather_scalars") {
      traffic[use.op] = {use.calls, use.bytes};
    }
  }
  return traffic;
}

// (world size, accumulation)
class StagesTest : public ::testing::TestWithParam<std::tuple<int, int64_t>> {
 protected:
  StagesTest() { std::tie(world_size_, accumulation_) = GetParam(); }

  RunConfig Config(int stage, bool deterministic, bool overlap) const {
    RunConfig config = TestConfig();
    config.train.global_batch = accumulation_ * world_size_;
    config.train.zero_stage = stage;
    config.train.deterministic = deterministic;
    config.train.overlap = overlap;
    return config;
  }

  int world_size_ = 1;
  int64_t accumulation_ = 1;
};

TEST_P(StagesTest, StagesAndOverlapGiveTheSameBits) {
  std::vector<RunConfig> configs;
  for (const int stage : {0, 1, 2}) {
    configs.push_back(Config(stage, true, true));
    configs.push_back(Config(stage, true, false));
  }
  const std::vector<Outcome> outcomes = TrainAll(configs, world_size_);
  for (size_t i = 1; i < configs.size(); ++i) {
    EXPECT_EQ(outcomes[i].sha256, outcomes[0].sha256) << i;
    EXPECT_EQ(outcomes[i].norms, outcomes[0].norms) << i;
    EXPECT_EQ(outcomes[i].losses, outcomes[0].losses) << i;
  }
}

TEST_P(StagesTest, ReducingOnceAStepAgreesWithinRounding) {
  const std::vector<Outcome> outcomes = TrainAll(
      {Config(0, true, true), Config(0, false, true), Config(1, false, true)},
      world_size_);
  for (size_t i = 0; i < outcomes[0].norms.size(); ++i) {
    const double expected = outcomes[0].norms[i];
    EXPECT_NEAR(outcomes[1].norms[i], expected, 1e-5 * expected);
    EXPECT_EQ(outcomes[2].norms[i], outcomes[1].norms[i]);
  }
}

TEST_P(StagesTest, SendsWhatTheorySays) {
  std::vector<RunConfig> configs;
  for (const int stage : {0, 1, 2}) {
    configs.push_back(Config(stage, true, true));
    configs.push_back(Config(stage, false, true));
  }
  const std::vector<Outcome> outcomes = TrainAll(configs, world_size_);
  for (size_t i = 0; i < configs.size(); ++i) {
    EXPECT_EQ(Traffic(outcomes[i].last_step),
              Traffic(CommTheory(configs[i], world_size_)))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, StagesTest,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(1, 2, 4)));

TEST(ShardedUnitsTest, HoldsTheStagesShare) {
  std::vector<RunConfig> configs(3, TestConfig());
  for (int stage = 0; stage < 3; ++stage) {
    configs[stage].train.steps = 1;
    configs[stage].train.global_batch = 8;
    configs[stage].train.zero_stage = stage;
  }
  const std::vector<Outcome> outcomes = TrainAll(configs, 4);
  const auto whole = static_cast<double>(ParameterCount(configs[0].model) * 4);
  for (int stage = 0; stage < 3; ++stage) {
    const MemoryBytes& memory = outcomes[stage].memory;
    const double optimizer = stage >= 1 ? whole / 2 : whole * 2;
    const double gradients = stage == 2 ? whole / 4 : whole;
    EXPECT_NEAR(static_cast<double>(memory.optimizer), optimizer,
                optimizer * 0.05);
    EXPECT_NEAR(static_cast<double>(memory.gradients), gradients,
                gradients * 0.05);
  }
}

}  // namespace
}  // namespace zs
