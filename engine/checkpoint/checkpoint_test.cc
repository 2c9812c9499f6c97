#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/status_matchers.h"
#include "engine/checkpoint/load.h"
#include "engine/checkpoint/save.h"
#include "engine/comm/testing_world.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;
using ::zs::testing::RunRanks;

// Element I of PART of UNIT; different everywhere.
float Value(int unit, ShardPart part, int64_t i) {
  return static_cast<float>(i + 100000 * unit +
                            1000000 * static_cast<int>(part));
}

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name =
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    dir_ = ::testing::TempDir() + "/" + name;
    fs::remove_all(dir_);
    config_.model.layers = 2;
    config_.model.hidden = 12;
    config_.model.heads = 2;
    config_.model.kv_heads = 1;
    config_.model.head_size = 6;
    config_.model.ffn = 20;
    config_.model.vocab = 61;
    config_.model.norm = "rmsnorm";
    config_.model.position = "rope";
    config_.model.activation = "swiglu";
    config_.data.kind = "random";
    config_.train.global_batch = 12;
    config_.train.seq_len = 8;
    config_.checkpoint.save_dir = dir_;
    config_.checkpoint.load_dir = dir_;
  }

  // Saves units that hold Value() everywhere.
  void Save(int stage, int world_size, int64_t step) {
    RunConfig config = config_;
    config.train.zero_stage = stage;
    RunRanks(world_size, [&](Communicator& comm) {
      EXPECT_OK(SaveAs(config, comm, step));
    });
  }

  static Status SaveAs(const RunConfig& config, Communicator& comm,
                       int64_t step) {
    auto ops = MakeCpuOps(1);
    ASSIGN_OR_RETURN(auto units, ShardedUnits::Create(config, comm, *ops));
    for (size_t u = 0; u < units->units().size(); ++u) {
      const int unit = static_cast<int>(u);
      Fill(*units, unit, ShardPart::kParameters, {0, units->units()[u].size},
           units->parameters(unit));
      const Range moments = units->OptimizerRange(unit);
      Fill(*units, unit, ShardPart::kFirstMoments, moments,
           units->first_moments(unit));
      Fill(*units, unit, ShardPart::kSecondMoments, moments,
           units->second_moments(unit));
    }
    return SaveUnits(config, comm, step, *units, *ops);
  }

  static Status SaveUnits(const RunConfig& config, Communicator& comm,
                          int64_t step, ShardedUnits& units, Ops& ops) {
    return SaveCheckpoint(config, {step, 12 * step, 0.25}, units, ops, comm)
        .status();
  }

  static void Fill(const ShardedUnits& units, int unit, ShardPart part,
                   const Range& range, float* to) {
    const Range real = Intersection(range, {0, units.units()[unit].size});
    for (int64_t i = real.begin; i < real.end; ++i) {
      to[i - range.begin] = Value(unit, part, i);
    }
  }

  static void Expect(const ShardedUnits& units, int unit, ShardPart part,
                     const Range& range, const float* found) {
    const Range real = Intersection(range, {0, units.units()[unit].size});
    for (int64_t i = real.begin; i < real.end; ++i) {
      ASSERT_EQ(found[i - range.begin], Value(unit, part, i))
          << unit << " at " << i;
    }
  }

  // Loads and expects Value() everywhere.
  void ExpectLoads(int stage, int world_size, int64_t step) {
    RunConfig config = config_;
    config.train.zero_stage = stage;
    RunRanks(world_size, [&](Communicator& comm) {
      auto ops = MakeCpuOps(1);
      auto units = ShardedUnits::Create(config, comm, *ops);
      ASSERT_OK(units);
      auto loaded = LoadCheckpoint(config, **units, *ops, comm);
      ASSERT_OK(loaded);
      EXPECT_EQ(loaded->position.step, step);
      EXPECT_EQ(loaded->position.next_sample, 12 * step);
      EXPECT_EQ(loaded->position.loss, 0.25);
      for (size_t u = 0; u < (*units)->units().size(); ++u) {
        const int unit = static_cast<int>(u);
        const Range moments = (*units)->OptimizerRange(unit);
        Expect(**units, unit, ShardPart::kParameters,
               {0, (*units)->units()[u].size}, (*units)->parameters(unit));
        Expect(**units, unit, ShardPart::kFirstMoments, moments,
               (*units)->first_moments(unit));
        Expect(**units, unit, ShardPart::kSecondMoments, moments,
               (*units)->second_moments(unit));
      }
    });
  }

  // The status of loading on one rank.
  Status LoadStatus() {
    auto ops = MakeCpuOps(1);
    auto comm = SingleRank();
    auto units = ShardedUnits::Create(config_, *comm, *ops);
    return LoadCheckpoint(config_, **units, *ops, *comm).status();
  }

  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string dir_;
  RunConfig config_;
};

TEST_F(CheckpointTest, LoadsUnderAnyStageAndWorldSize) {
  for (const int saved_stage : {0, 2}) {
    for (const int saved_world : {1, 3}) {
      Save(saved_stage, saved_world, 7);
      for (const int world_size : {1, 2, 4}) {
        ExpectLoads(world_size % 3, world_size, 7);
      }
    }
  }
}

TEST_F(CheckpointTest, TakesTheLatestStep) {
  Save(0, 1, 9);
  Save(0, 1, 10);
  EXPECT_EQ(Entries(),
            (std::vector<std::string>{"step_00000009", "step_00000010"}));
  ExpectLoads(0, 1, 10);
  config_.checkpoint.load_dir = dir_ + "/step_00000009";
  ExpectLoads(0, 1, 9);
}

TEST_F(CheckpointTest, ReplacesTheSameStep) {
  Save(0, 1, 3);
  Save(1, 2, 3);
  EXPECT_EQ(Entries(), (std::vector<std::string>{"step_00000003"}));
  ExpectLoads(2, 2, 3);
}

TEST_F(CheckpointTest, RefusesEveryDamageByName) {
  Save(1, 2, 5);
  const std::string path = dir_ + "/step_00000005/rank_00001.bin";
  const std::string good = *ReadFile(path);
  for (const size_t at : {size_t{0}, size_t{20}, size_t{70}, good.size() - 1}) {
    std::string bad = good;
    bad[at] ^= 1;
    ASSERT_OK(WriteFileAtomically(path, bad));
    EXPECT_STATUS(LoadStatus(), StatusCode::kDataLoss, "rank_00001.bin");
  }
  ASSERT_OK(WriteFileAtomically(path, good.substr(0, good.size() - 4)));
  EXPECT_STATUS(LoadStatus(), StatusCode::kDataLoss, "rank_00001.bin");
  fs::remove(path);
  EXPECT_STATUS(LoadStatus(), StatusCode::kDataLoss, "rank_00001.bin");
}

TEST_F(CheckpointTest, RefusesADamagedManifest) {
  Save(0, 1, 5);
  const std::string path = dir_ + "/step_00000005/manifest.json";
  const std::string good = *ReadFile(path);
  for (size_t size = 0; size + 2 < good.size(); size += 97) {
    ASSERT_OK(WriteFileAtomically(path, good.substr(0, size)));
    EXPECT_STATUS(LoadStatus(), StatusCode::kDataLoss, "manifest.json");
  }
  fs::remove(path);
  EXPECT_STATUS(LoadStatus(), StatusCode::kDataLoss, "manifest.json");
}

TEST_F(CheckpointTest, RefusesOtherParameters) {
  Save(0, 1, 5);
  config_.model.ffn = 24;
  EXPECT_STATUS(LoadStatus(), StatusCode::kFailedPrecondition, "another model");
  EXPECT_STATUS(LoadStatus(), StatusCode::kFailedPrecondition,
                "model.ffn is 24, and the checkpoint was saved with 20");
}

// Fields that leave every shape as it is and would give other numbers.
TEST_F(CheckpointTest, RefusesWhatWouldGoOnWithOtherNumbers) {
  const RunConfig saved = config_;
  Save(0, 1, 5);
  const auto expect_refused = [&](const std::string& field, auto change) {
    config_ = saved;
    change(config_);
    EXPECT_STATUS(LoadStatus(), StatusCode::kFailedPrecondition, field);
  };
  expect_refused("model.head_size is 3", [](RunConfig& c) {
    c.model.heads = 4;
    c.model.kv_heads = 2;
    c.model.head_size = 3;
  });
  expect_refused("model.rope_theta is 1000000",
                 [](RunConfig& c) { c.model.rope_theta = 1e6; });
  expect_refused("model.norm_eps",
                 [](RunConfig& c) { c.model.norm_eps = 1e-6; });
  expect_refused("train.seed is 2", [](RunConfig& c) { c.train.seed = 2; });
  expect_refused("train.seq_len is 16, and the checkpoint was saved with 8",
                 [](RunConfig& c) { c.train.seq_len = 16; });
  expect_refused("data.kind is \"text\"",
                 [](RunConfig& c) { c.data.kind = "text"; });
  expect_refused("data.paths is [\"b\"]",
                 [](RunConfig& c) { c.data.paths = {"b"}; });
  config_ = saved;
  EXPECT_OK(LoadStatus());
}

TEST_F(CheckpointTest, GoesOnWithAnotherNameAndOtherHyperparameters) {
  Save(0, 1, 5);
  config_.model.name = "renamed";
  config_.model.init_std = 0.5;
  config_.train.lr = 1;
  config_.train.steps = 1000;
  ExpectLoads(0, 1, 5);
}

TEST_F(CheckpointTest, SaysThatThereIsNone) {
  EXPECT_STATUS(LoadStatus(), StatusCode::kNotFound, dir_);
  ASSERT_OK(MakeFolders(dir_));
  EXPECT_STATUS(LoadStatus(), StatusCode::kNotFound, "no checkpoint");
}

// A limit on the size of files stands in for a full disk: write(2) fails.
TEST_F(CheckpointTest, FailedWriteLeavesOldCheckpointsAlone) {
  Save(0, 1, 5);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old = {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small = {4096, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Status status = SaveAs(config_, *SingleRank(), 6);
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("rank_00000.bin"), std::string::npos)
      << status;
  EXPECT_EQ(Entries(), (std::vector<std::string>{"step_00000005"}));
  ExpectLoads(0, 1, 5);
}

TEST_F(CheckpointTest, RefusesToSaveParametersThatAreNotFinite) {
  Save(0, 1, 5);
  auto ops = MakeCpuOps(1);
  auto comm = SingleRank();
  auto units = ShardedUnits::Create(config_, *comm, *ops);
  ASSERT_OK(units);
  (*units)->parameters(1)[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_STATUS(SaveUnits(config_, *comm, 6, **units, *ops),
                StatusCode::kFailedPrecondition, "element 17 of");
  EXPECT_EQ(Entries(), (std::vector<std::string>{"step_00000005"}));
}

// A process that is killed while it saves leaves what it wrote.
TEST_F(CheckpointTest, RemovesWhatAnInterruptedSaveLeft) {
  Save(0, 1, 5);
  ASSERT_OK(MakeFolders(dir_ + "/.step_00000004.tmp"));
  ASSERT_OK(
      WriteFileAtomically(dir_ + "/.step_00000004.tmp/rank_00000.bin", "half"));
  ASSERT_OK(MakeFolders(dir_ + "/.step_of_mine.tmp"));
  Save(0, 1, 6);
  EXPECT_EQ(Entries(),
            (std::vector<std::string>{".step_of_mine.tmp", "step_00000005",
                                      "step_00000006"}));
  ExpectLoads(0, 1, 6);
}

// Whatever the number of ranks that saved, few descriptors do.
TEST_F(CheckpointTest, OpensOneFileAtATime) {
  constexpr int kWorld = 6;
  Save(1, kWorld, 5);
  auto ops = MakeCpuOps(1);
  auto comm = SingleRank();
  auto units = ShardedUnits::Create(config_, *comm, *ops);
  ASSERT_OK(units);
  const int lowest_free = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(lowest_free, 0);
  ::close(lowest_free);
  rlimit old = {};
  ::getrlimit(RLIMIT_NOFILE, &old);
  const rlimit small = {static_cast<rlim_t>(lowest_free) + 3, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &small);
  const Status status = LoadCheckpoint(config_, **units, *ops, *comm).status();
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_OK(status);
}

TEST(CheckpointNameTest, IsReadBack) {
  EXPECT_EQ(CheckpointName(10), "step_00000010");
  EXPECT_EQ(StepOfCheckpoint(CheckpointName(123456789012)), 123456789012);
  for (const char* name : {"", "step_", "step_1", "step_0000001x",
                           ".step_00000001.tmp", "step_99999999999999999999"}) {
    EXPECT_EQ(StepOfCheckpoint(name), -1) << name;
  }
}

}  // namespace
}  // namespace zs
