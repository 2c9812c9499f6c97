#include "engine/train/trainer.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/status_matchers.h"
#include "engine/api/footprint.h"
#include "engine/api/layout.h"
#include "engine/comm/testing_world.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using ::zs::testing::RunRanks;

// How a training ended, and what the rank said.
struct Training {
  Failure failure;
  std::vector<Event> events;

  template <typename T>
  std::vector<T> Of() const {
    std::vector<T> found;
    for (const Event& event : events) {
      if (const T* one = std::get_if<T>(&event)) {
        found.push_back(*one);
      }
    }
    return found;
  }
  std::vector<double> Losses() const {
    std::vector<double> losses;
    for (const StepEvent& step : Of<StepEvent>()) {
      losses.push_back(step.loss);
    }
    return losses;
  }
  std::string Sha256() const {
    const auto ends = Of<EndEvent>();
    return ends.empty() ? "no end" : ends[0].parameters_sha256;
  }
};

class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest() {
    const std::string name =
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    dir_ = ::testing::TempDir() + "/trainer_" + name;
    std::filesystem::remove_all(dir_);
    config_.device = "cpu";
    config_.model.layers = 2;
    config_.model.hidden = 16;
    config_.model.heads = 2;
    config_.model.kv_heads = 1;
    config_.model.head_size = 8;
    config_.model.ffn = 24;
    config_.model.vocab = 50;
    config_.model.max_seq_len = 8;
    config_.model.norm = "rmsnorm";
    config_.model.position = "rope";
    config_.model.activation = "swiglu";
    config_.data.kind = "random";
    config_.train.seq_len = 8;
    config_.train.global_batch = 12;
    config_.train.micro_batch = 1;
    config_.train.steps = 4;
    config_.train.lr = 1e-2;
    config_.train.lr_schedule = "constant";
  }

  // Trains on WORLD_SIZE ranks, each CONFIGS entry in turn; rank 0's runs. All
  // ranks must end alike.
  std::vector<Training> Train(const std::vector<RunConfig>& configs,
                              int world_size) {
    std::mutex mutex;
    std::vector<std::vector<Training>> ranks(world_size);
    RunRanks(world_size, [&](Communicator& comm) {
      std::vector<Training> runs;
      for (const RunConfig& config : configs) {
        runs.push_back(TrainRank(config, comm));
      }
      const std::lock_guard<std::mutex> lock(mutex);
      ranks[comm.rank()] = std::move(runs);
    });
    for (const std::vector<Training>& runs : ranks) {
      for (size_t i = 0; i < configs.size(); ++i) {
        EXPECT_EQ(runs[i].failure.exit, ranks[0][i].failure.exit);
        EXPECT_EQ(runs[i].Sha256(), ranks[0][i].Sha256());
      }
    }
    return ranks[0];
  }

  Training Train(const RunConfig& config, int world_size) {
    return Train(std::vector<RunConfig>{config}, world_size)[0];
  }

  Training TrainRank(const RunConfig& config, Communicator& comm) {
    std::FILE* file = std::tmpfile();
    EventWriter events(::fileno(file));
    auto ops = MakeCpuOps(1);
    Training run;
    {
      Trainer trainer({.config = config,
                       .comm = comm,
                       .ops = *ops,
                       .events = events,
                       .stop = [this] { return stop_; },
                       .steps_ahead = steps_ahead_});
      run.failure = trainer.Prepare();
      if (run.failure.ok()) {
        run.failure = trainer.Run();
      }
    }
    std::rewind(file);
    std::vector<char> line(1 << 16);
    while (std::fgets(line.data(), static_cast<int>(line.size()), file)) {
      std::string text(line.data());
      text.pop_back();
      auto event = ParseEventLine(text);
      EXPECT_OK(event);
      run.events.push_back(*event);
    }
    std::fclose(file);
    return run;
  }

  std::string dir_;
  RunConfig config_;
  Status stop_;
  int steps_ahead_ = 0;
};

TEST_F(TrainerTest, StagesGiveTheSameBits) {
  for (const int world_size : {1, 2, 3}) {
    std::vector<RunConfig> configs;
    for (const int64_t accumulation : {1, 2, 4}) {
      for (const int stage : {0, 1, 2}) {
        config_.train.zero_stage = stage;
        config_.train.overlap = stage != 1;
        config_.train.global_batch = accumulation * world_size;
        configs.push_back(config_);
      }
    }
    const std::vector<Training> runs = Train(configs, world_size);
    for (size_t i = 0; i < runs.size(); ++i) {
      ASSERT_OK(runs[i].failure.status);
      EXPECT_EQ(runs[i].Losses().size(), 4U);
      EXPECT_EQ(runs[i].Losses(), runs[i / 3 * 3].Losses());
      EXPECT_EQ(runs[i].Sha256(), runs[i / 3 * 3].Sha256());
    }
  }
}

// What a device needs that works beside the host: reading a step's results
// later changes none of them, nor their order, and loses none at the end.
TEST_F(TrainerTest, StepsAheadChangeNothing) {
  config_.train.zero_stage = 1;
  config_.train.steps = 6;
  config_.checkpoint.save_dir = dir_;
  config_.checkpoint.save_every = 4;
  const Training behind = Train(config_, 2);
  ASSERT_OK(behind.failure.status);
  for (const int steps_ahead : {1, 3, 10}) {
    std::filesystem::remove_all(dir_);
    steps_ahead_ = steps_ahead;
    const Training ahead = Train(config_, 2);
    EXPECT_EQ(ahead.Losses(), behind.Losses());
    EXPECT_EQ(ahead.Sha256(), behind.Sha256());
    ASSERT_EQ(ahead.events.size(), behind.events.size());
    const auto steps = ahead.Of<StepEvent>();
    const auto steps_behind = behind.Of<StepEvent>();
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(ahead.events[i].index(), behind.events[i].index()) << i;
      EXPECT_EQ(steps[i].step, static_cast<int64_t>(i) + 1);
      EXPECT_EQ(steps[i].grad_norm, steps_behind[i].grad_norm);
      ASSERT_EQ(steps[i].comm.size(), steps_behind[i].comm.size());
      for (size_t op = 0; op < steps[i].comm.size(); ++op) {
        EXPECT_EQ(steps[i].comm[op].calls, steps_behind[i].comm[op].calls);
        EXPECT_EQ(steps[i].comm[op].bytes, steps_behind[i].comm[op].bytes);
      }
    }
    const auto saved = ahead.Of<CheckpointEvent>();
    ASSERT_EQ(saved.size(), 1U);
    EXPECT_EQ(saved[0].step, 4);
  }
}

TEST_F(TrainerTest, WorldSizeChangesRoundingAlone) {
  const Training one = Train(config_, 1);
  for (const int world_size : {2, 3, 4}) {
    const Training run = Train(config_, world_size);
    ASSERT_EQ(run.Losses().size(), one.Losses().size());
    for (size_t i = 0; i < one.Losses().size(); ++i) {
      EXPECT_NEAR(run.Losses()[i], one.Losses()[i], 1e-5);
    }
  }
}

TEST_F(TrainerTest, LearnsASmallText) {
  ASSERT_OK(MakeFolders(dir_));
  config_.data.kind = "text";
  config_.data.paths = {dir_ + "/text"};
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "\1\2\3\4\5\6\7\x08\x09";
  }
  ASSERT_OK(WriteFileAtomically(config_.data.paths[0], text));
  config_.train.steps = 40;
  const Training run = Train(config_, 1);
  ASSERT_OK(run.failure.status);
  EXPECT_NEAR(run.Losses().front(), std::log(50.0), 0.1);  // knows nothing
  EXPECT_LT(run.Losses().back(), 1.0);
}

TEST_F(TrainerTest, StepTimesAddUp) {
  for (const StepEvent& step : Train(config_, 2).Of<StepEvent>()) {
    const double parts = step.data_ms + step.forward_ms + step.backward_ms +
                         step.optimizer_ms + step.comm_exposed_ms;
    EXPECT_LE(parts, step.step_ms * 1.001);
    EXPECT_GE(parts, step.step_ms * 0.8);
    EXPECT_EQ(step.tokens, 96);
    EXPECT_GT(step.grad_norm, 0);
  }
}

TEST_F(TrainerTest, ResumesToTheBitUnderEveryStage) {
  config_.checkpoint.save_dir = dir_;
  config_.checkpoint.save_every = 2;
  const Training whole = Train(config_, 2);
  ASSERT_OK(whole.failure.status);
  EXPECT_EQ(whole.Of<CheckpointEvent>().size(), 2U);
  std::vector<double> second_half = whole.Losses();
  second_half.erase(second_half.begin(), second_half.begin() + 2);
  config_.checkpoint = {};
  config_.checkpoint.load_dir = dir_ + "/step_00000002";
  for (const int stage : {0, 1, 2}) {
    config_.train.zero_stage = stage;
    const Training resumed = Train(config_, 2);
    ASSERT_OK(resumed.failure.status);
    EXPECT_EQ(resumed.Losses(), second_half);
    EXPECT_EQ(resumed.Sha256(), whole.Sha256());
  }
  const Training other_world = Train(config_, 3);
  ASSERT_OK(other_world.failure.status);
  EXPECT_NEAR(other_world.Losses().back(), whole.Losses().back(), 1e-5);
}

TEST_F(TrainerTest, NothingLeftToTrainEndsWithTheSameParameters) {
  config_.checkpoint.save_dir = dir_;
  config_.checkpoint.save_at_end = true;
  const Training whole = Train(config_, 1);
  config_.checkpoint = {};
  config_.checkpoint.load_dir = dir_;
  const Training again = Train(config_, 1);
  ASSERT_OK(again.failure.status);
  EXPECT_TRUE(again.Losses().empty());
  EXPECT_EQ(again.Sha256(), whole.Sha256());
  EXPECT_EQ(again.Of<EndEvent>()[0].final_loss, whole.Losses().back());
}

TEST_F(TrainerTest, InvalidLossNamesTheStep) {
  config_.train.lr = 1e30;
  config_.train.steps = 20;
  const Training run = Train(config_, 2);
  EXPECT_EQ(run.failure.exit, EngineExit::kInvalidLoss);
  EXPECT_NE(run.failure.status.message().find("step "), std::string::npos)
      << run.failure.status;
  EXPECT_TRUE(run.Of<EndEvent>().empty());
}

TEST_F(TrainerTest, StopsWhenAsked) {
  stop_ = CancelledError("stopped by SIGTERM");
  EXPECT_EQ(Train(config_, 1).failure.exit, EngineExit::kCancelled);
}

TEST_F(TrainerTest, MissingDataIsADataError) {
  config_.data.kind = "text";
  config_.data.paths = {"/nonexistent"};
  const Training run = Train(config_, 1);
  EXPECT_EQ(run.failure.exit, EngineExit::kData);
  EXPECT_NE(run.failure.status.message().find("data.paths[0]"),
            std::string::npos);
}

TEST_F(TrainerTest, HoldsTheMemoryThatWasPredicted) {
  config_.threads_per_rank = 1;
  std::vector<RunConfig> configs;
  for (const int stage : {0, 1, 2}) {
    config_.train.zero_stage = stage;
    configs.push_back(config_);
  }
  const std::vector<Training> runs = Train(configs, 3);
  for (size_t i = 0; i < runs.size(); ++i) {
    const MemoryBytes need = PredictMemory(configs[i], 3);
    const MemoryBytes held = runs[i].Of<MemoryEvent>().at(0).mem_peak_bytes;
    EXPECT_EQ(held.parameters, need.parameters);
    EXPECT_EQ(held.gradients, need.gradients);
    EXPECT_EQ(held.optimizer, need.optimizer);
    EXPECT_EQ(held.communication, need.communication);
    EXPECT_EQ(held.activations, need.activations);
    EXPECT_EQ(held.logits, need.logits);
  }
}

TEST_F(TrainerTest, SendsWhatTheorySays) {
  for (const int stage : {0, 1, 2}) {
    config_.train.zero_stage = stage;
    std::map<std::string, int64_t> theory;
    for (const CommUse& use : CommTheory(config_, 2)) {
      theory[use.op] = use.bytes;
    }
    for (const StepEvent& step : Train(config_, 2).Of<StepEvent>()) {
      std::map<std::string, int64_t> sent;
      for (const CommUse& use : step.comm) {
        if (use.op != "all_gather_scalars") {
          sent[use.op] = use.bytes;
        }
      }
      EXPECT_EQ(sent, theory) << stage;
    }
  }
}

}  // namespace
}  // namespace zs
