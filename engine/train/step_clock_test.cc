#include "engine/train/step_clock.h"

#include "gtest/gtest.h"

namespace zs {
namespace {

// Marks are milliseconds of a time that the test sets.
class ManualClock final : public DeviceClock {
 public:
  int64_t Mark() override { return now_ms; }
  double MsBetween(int64_t begin, int64_t end) override {
    return static_cast<double>(end - begin);
  }

  int64_t now_ms = 100;
};

TEST(StepClockTest, EveryMomentCountsOnce) {
  ManualClock clock;
  StepClock step(clock);
  clock.now_ms = 103;
  step.EndPhase(&StepEvent::data_ms, {});
  clock.now_ms = 143;  // 5 ms of waiting, 12 of the head's backward pass
  step.EndPhase(&StepEvent::forward_ms, {{104, 106}, {110, 113}},
                {{120, 126}, {130, 136}});
  clock.now_ms = 213;
  step.EndPhase(&StepEvent::backward_ms, {{200, 201}});
  clock.now_ms = 220;
  step.EndPhase(&StepEvent::optimizer_ms, {});
  StepEvent event;
  step.Fill(event);
  EXPECT_EQ(event.data_ms, 3);
  EXPECT_EQ(event.forward_ms, 40 - 5 - 12);
  EXPECT_EQ(event.backward_ms, 69 + 12);
  EXPECT_EQ(event.optimizer_ms, 7);
  EXPECT_EQ(event.comm_exposed_ms, 6);
  EXPECT_EQ(event.step_ms, 120);
  EXPECT_EQ(step.end(), 220);
}

TEST(StepClockTest, MicroBatchesAddUp) {
  ManualClock clock;
  StepClock step(clock);
  for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
    clock.now_ms += 2;
    step.EndPhase(&StepEvent::forward_ms, {});
    clock.now_ms += 5;
    step.EndPhase(&StepEvent::backward_ms, {});
  }
  StepEvent event;
  step.Fill(event);
  EXPECT_EQ(event.forward_ms, 6);
  EXPECT_EQ(event.backward_ms, 15);
  EXPECT_EQ(event.step_ms, 21);
}

}  // namespace
}  // namespace zs
