#include "engine/ops/cpu/thread_pool.h"

#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolTest, RunsEachTaskOnceWhateverTheCounts) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (int64_t tasks = 0; tasks < 200; ++tasks) {
    std::vector<int> times(tasks, 0);
    pool.Run(tasks, [&](int64_t task, int thread) {
      ASSERT_GE(thread, 0);
      ASSERT_LT(thread, GetParam());
      ++times[task];
    });
    EXPECT_EQ(times, std::vector<int>(tasks, 1)) << tasks;
  }
}

TEST_P(ThreadPoolTest, CutsRangesIntoGrains) {
  ThreadPool pool(GetParam());
  for (int64_t n : {0, 1, 7, 8, 9, 100}) {
    std::vector<int> times(n, 0);
    pool.For(n, 8, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(begin % 8, 0);
      EXPECT_LE(end - begin, 8);
      for (int64_t i = begin; i < end; ++i) {
        ++times[i];
      }
    });
    EXPECT_EQ(times, std::vector<int>(n, 1)) << n;
  }
}

// Jobs that follow each other closely reuse the state; what a job wrote must be
// seen by the next.
TEST_P(ThreadPoolTest, OrdersConsecutiveJobs) {
  ThreadPool pool(GetParam());
  std::vector<int64_t> values(64, 0);
  for (int64_t job = 0; job < 3000; ++job) {
    pool.Run(64, [&](int64_t task, int) {
      ASSERT_EQ(values[63 - task] >= job, true);
      ASSERT_EQ(values[task], job);
    });
    pool.Run(64, [&](int64_t task, int) { ++values[task]; });
  }
  EXPECT_EQ(values, std::vector<int64_t>(64, 3000));
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest,
                         ::testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace zs
