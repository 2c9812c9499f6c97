#include "engine/train/memory_check.h"

#include "base/status_matchers.h"
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
