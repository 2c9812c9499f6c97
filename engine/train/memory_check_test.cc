#include "engine/train/memory_check.h"

#include "base/status_matchers.h"
#include "engine/api/gpu_footprint.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(MemoryCheckTest, CountsTheRanksOfThisHost) {
  MemoryBytes need;
  need.optimizer = 60;
  need.total = 100;
  EXPECT_OK(CheckFits(need, 2, 200));
  EXPECT_STATUS(CheckFits(need, 2, 199), StatusCode::kResourceExhausted,
                "for 2 ranks");
}

TEST(MemoryCheckTest, AGpuInUseByOthersIsSaidToBe) {
  constexpr int64_t kGib = int64_t{1} << 30;
  const int64_t context = kGpuConstants[0].bytes;
  MemoryBytes need;
  need.total = 10 * kGib + context;
  EXPECT_OK(CheckGpuFits(need, context, 10 * kGib + context));
  EXPECT_OK(CheckGpuFits(need, context, 10 * kGib + context - (1 << 20)));
  EXPECT_STATUS(CheckGpuFits(need, context + kGib, 10 * kGib + context),
                StatusCode::kResourceExhausted,
                "1024 MiB are in use by other processes");
}

TEST(MemoryCheckTest, NamesComponents) {
  MemoryBytes need;
  need.optimizer = int64_t{3} << 30;
  need.total = int64_t{4} << 30;
  EXPECT_STATUS(CheckFits(need, 1, 1 << 20), StatusCode::kResourceExhausted,
                "needs 4096 MiB (parameters 0 MiB, gradients 0 MiB, optimizer "
                "3072 MiB");
}

}  // namespace
}  // namespace zs
