#include "engine/comm/work_queue.h"

#include <future>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(WorkQueueTest, KeepsTheOrder) {
  std::vector<int> order;
  WorkQueue queue;
  Work last;
  for (int i = 0; i < 100; ++i) {
    last = queue.Add([&order, i] {
      order.push_back(i);
      return OkStatus();
    });
  }
  ASSERT_OK(last.Wait());
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(order[i], i);
  }
}

TEST(WorkQueueTest, NothingStartsAfterAnError) {
  WorkQueue queue;
  bool started = false;
  const Work bad = queue.Add([] { return UnavailableError("rank 2"); });
  const Work next = queue.Add([&started] {
    started = true;
    return OkStatus();
  });
  EXPECT_STATUS(next.Wait(), StatusCode::kUnavailable, "rank 2");
  EXPECT_STATUS(bad.Wait(), StatusCode::kUnavailable, "rank 2");
  EXPECT_FALSE(started);
}

TEST(WorkQueueTest, DestructionAnswersWhatWasNotStarted) {
  std::promise<void> running;
  std::promise<void> go;
  Work waiting;
  {
    WorkQueue queue;
    queue.Add([&] {
      running.set_value();
      go.get_future().wait();
      return OkStatus();
    });
    running.get_future().wait();
    waiting = queue.Add([] { return OkStatus(); });
    go.set_value();
  }
  // Whether it was still carried out or dropped, there is an answer.
  const Status status = waiting.Wait();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCancelled);
}

}  // namespace
}  // namespace zs
