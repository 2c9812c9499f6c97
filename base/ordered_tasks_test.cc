#include "base/ordered_tasks.h"

#include <atomic>
#include <numeric>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(RunOrderedTest, KeepsTheOrderAndTheBuffersApart) {
  for (const int slots : {1, 3, 100}) {
    constexpr int64_t kCount = 50;
    std::vector<int64_t> buffers(slots, -1);
    std::vector<int64_t> squares;
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    ASSERT_OK(RunOrdered({.count = kCount,
                          .slots = slots,
                          .before =
                              [&](int64_t i) {
                                buffers[i % slots] = i;
                                return OkStatus();
                              },
                          .task =
                              [&](int64_t i) {
                                most = std::max<int>(most, ++running);
                                buffers[i % slots] *= i;
                                --running;
                              },
                          .after =
                              [&](int64_t i) {
                                squares.push_back(buffers[i % slots]);
                                return OkStatus();
                              }}));
    std::vector<int64_t> want(kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      want[i] = i * i;
    }
    EXPECT_EQ(squares, want) << slots;
    EXPECT_LE(most, slots);
  }
}

TEST(RunOrderedTest, EndsWithTheFirstError) {
  std::atomic<int> ran = 0;
  OrderedTasks tasks = {.count = 10,
                        .slots = 2,
                        .before = {},
                        .task = [&](int64_t) { ++ran; },
                        .after =
                            [](int64_t i) {
                              return i == 3 ? InternalError("three")
                                            : OkStatus();
                            }};
  EXPECT_STATUS(RunOrdered(tasks), StatusCode::kInternal, "three");
  EXPECT_GE(ran, 4);
  EXPECT_LE(ran, 6);
  tasks.before = [](int64_t i) {
    return i == 1 ? InternalError("one") : OkStatus();
  };
  EXPECT_STATUS(RunOrdered(tasks), StatusCode::kInternal, "one");
}

TEST(RunOrderedTest, NothingToDo) {
  EXPECT_OK(RunOrdered({}));
}

}  // namespace
}  // namespace zs
