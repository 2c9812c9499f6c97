#include "engine/zero/parameter_blocks.h"

#include <cstring>

#include "base/hash.h"
#include "base/status_matchers.h"
#include "engine/comm/communicator.h"
#include "engine/model/initialize.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// The embeddings have more than one block.
RunConfig Config() {
  RunConfig config;
  config.device = "cpu";
  config.model.layers = 2;
  config.model.hidden = 32;
  config.model.heads = 2;
  config.model.kv_heads = 2;
  config.model.head_size = 16;
  config.model.ffn = 64;
  config.model.vocab = 70001;
  config.model.max_seq_len = 8;
  config.train.seq_len = 8;
  config.train.micro_batch = 1;
  config.train.global_batch = 1;
  return config;
}

class ParameterBlocksTest : public ::testing::Test {
 protected:
  ParameterBlocksTest()
      : config_(Config()), comm_(SingleRank()), ops_(MakeCpuOps(1)) {
    auto units = ShardedUnits::Create(config_, *comm_, *ops_);
    EXPECT_OK(units);
    units_ = *std::move(units);
  }

  std::string Digest(int threads) {
    const Result<std::string> digest =
        ParametersSha256(threads, *units_, *ops_);
    EXPECT_OK(digest);
    return digest.ok() ? *digest : "";
  }

  const RunConfig config_;
  const std::unique_ptr<Communicator> comm_;
  const std::unique_ptr<Ops> ops_;
  std::unique_ptr<ShardedUnits> units_;
};

TEST_F(ParameterBlocksTest, BlocksCoverEachUnit) {
  const std::vector<ParameterBlock> blocks = BlocksOf(units_->units());
  size_t at = 0;
  for (size_t u = 0; u < units_->units().size(); ++u) {
    int64_t covered = 0;
    for (; at < blocks.size() && blocks[at].unit == static_cast<int>(u); ++at) {
      EXPECT_EQ(blocks[at].begin, covered);
      EXPECT_LE(blocks[at].size, kBlockElements);
      covered += blocks[at].size;
    }
    EXPECT_EQ(covered, units_->units()[u].size);
  }
  EXPECT_EQ(at, blocks.size());
  EXPECT_GT(blocks.size(), units_->units().size());
}

TEST_F(ParameterBlocksTest, InitialParametersDoNotDependOnThreads) {
  for (const int threads : {1, 5}) {
    EXPECT_OK(InitializeParameters(config_.model, 9, threads, *units_, *ops_));
    for (int u = 0; u < static_cast<int>(units_->units().size()); ++u) {
      std::vector<float> want(units_->units()[u].size);
      InitializeUnit(config_.model, u, 9, want.data());
      EXPECT_EQ(std::memcmp(units_->parameters(u), want.data(),
                            want.size() * sizeof(float)),
                0)
          << u;
    }
  }
}

TEST_F(ParameterBlocksTest, DigestIsThatOfTheBlocksDigests) {
  EXPECT_OK(InitializeParameters(config_.model, 9, 2, *units_, *ops_));
  std::string digests;
  for (const ParameterBlock& block : BlocksOf(units_->units())) {
    digests += Sha256Hex({reinterpret_cast<const char*>(
                              units_->parameters(block.unit) + block.begin),
                          static_cast<size_t>(block.size) * sizeof(float)});
  }
  const std::string want = Sha256Hex(digests);
  EXPECT_EQ(Digest(1), want);
  EXPECT_EQ(Digest(4), want);
  units_->parameters(2)[17] += 1;
  EXPECT_NE(Digest(4), want);
}

}  // namespace
}  // namespace zs
