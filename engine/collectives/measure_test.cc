#include "engine/collectives/measure.h"

#include <mutex>
#include <vector>

#include "base/status_matchers.h"
#include "engine/comm/testing_world.h"
#include "engine/ops/cpu_ops.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Operations whose every result is off by one in its last element.
class WrongPattern final : public PatternMemory {
 public:
  Status Fill(float* data, int64_t count, int64_t first,
              const PatternTable& table) override {
    return HostPattern().Fill(data, count, first, table);
  }
  Result<int64_t> CountWrong(const float* data, int64_t count, int64_t first,
                             const PatternTable& table) override {
    std::vector<float> changed(data, data + count);
    changed.back() += 1;
    return HostPattern().CountWrong(changed.data(), count, first, table);
  }
};

class MeasureTest : public ::testing::Test {
 protected:
  // What rank 0 reports; every rank's status is LAST's.
  std::vector<CollectiveEvent> Measure(int ranks,
                                       PatternMemory& pattern = HostPattern()) {
    std::vector<CollectiveEvent> events;
    testing::RunRanks(ranks, [&](Communicator& comm) {
      const auto ops = MakeCpuOps(1);
      const Result<int64_t> done = MeasureCollectives(
          config_, {.comm = comm,
                    .ops = *ops,
                    .pattern = pattern,
                    .stop = [this] { return stop_; },
                    .report =
                        [&](const CollectiveEvent& event) {
                          events.push_back(event);  // rank 0 alone
                          return OkStatus();
                        }});
      const std::lock_guard<std::mutex> lock(mutex_);
      statuses_.push_back(done.status());
    });
    return events;
  }

  CollectivesConfig config_ = {
      .ops = {"all_reduce", "reduce_scatter", "all_gather", "broadcast",
              "send_receive"},
      .min_bytes = 4,
      .max_bytes = 8192,
      .iterations = 2,
      .warmup = 1};
  Status stop_;
  std::mutex mutex_;
  std::vector<Status> statuses_;
};

TEST_F(MeasureTest, EveryElementIsRightOnAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3}) {
    const std::vector<CollectiveEvent> events = Measure(ranks);
    // 12 sizes, less those without an element for each rank; 9 forms.
    const int64_t left_out = ranks == 1 ? 0 : ranks == 2 ? 1 : 2;
    EXPECT_EQ(std::ssize(events), 9 * (12 - left_out)) << ranks;
    for (const CollectiveEvent& event : events) {
      EXPECT_EQ(event.wrong, 0) << event.op << " " << event.size_bytes;
      EXPECT_EQ(event.size_bytes % (4 * ranks), 0);
      EXPECT_GT(event.time_us, 0);
      EXPECT_DOUBLE_EQ(event.algbw_gb_s, static_cast<double>(event.size_bytes) /
                                             event.time_us * 1e-3);
      EXPECT_DOUBLE_EQ(event.busbw_gb_s,
                       event.algbw_gb_s * BusFactor(event.op, ranks));
    }
  }
  for (const Status& status : statuses_) {
    EXPECT_OK(status);
  }
}

TEST_F(MeasureTest, WrongElementsAreCountedAndEndInAnError) {
  config_.ops = {"all_reduce"};
  config_.min_bytes = 64;
  config_.max_bytes = 64;
  WrongPattern pattern;
  const std::vector<CollectiveEvent> events = Measure(2, pattern);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].wrong, 2);  // one on each rank
  for (const Status& status : statuses_) {
    EXPECT_STATUS(status, StatusCode::kFailedPrecondition,
                  "4 elements of collective operations were wrong");
  }
}

TEST_F(MeasureTest, SaysWhereNobodyLooked) {
  config_.ops = {"broadcast"};
  config_.check = false;
  for (const CollectiveEvent& event : Measure(2)) {
    EXPECT_EQ(event.wrong, -1);
  }
}

TEST_F(MeasureTest, EndsWhenAsked) {
  stop_ = CancelledError("stopped by SIGTERM");
  EXPECT_TRUE(Measure(1).empty());
  EXPECT_STATUS(statuses_.at(0), StatusCode::kCancelled, "SIGTERM");
}

}  // namespace
}  // namespace zs
