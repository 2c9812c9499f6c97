#include "engine/comm/presence.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/status_matchers.h"
#include "engine/comm/testing_world.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr int kRanks = 3;

// Runs BODY as each of kRanks ranks that know of each other.
void RunPresent(const std::function<void(int, std::unique_ptr<Presence>,
                                         Rendezvous&)>& body) {
  const int port = testing::FreePort();
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([rank, port, &body] {
      auto met = Rendezvous::Join(testing::TestEnvironment(rank, kRanks, port),
                                  "test", 20);
      ASSERT_OK(met);
      auto presence = Presence::Join(**met, DeadlineIn(20));
      ASSERT_OK(presence);
      body(rank, std::move(presence).value(), **met);
      // Rank 0 serves the store until all are done with it.
      ASSERT_OK((*met)->store().Set("done/" + std::to_string(rank), "",
                                    DeadlineIn(20)));
      for (int other = 0; rank == 0 && other < kRanks; ++other) {
        ASSERT_OK((*met)->store().Get("done/" + std::to_string(other),
                                      DeadlineIn(20)));
      }
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
}

// The rank that is seen to be gone within ten seconds; -1: none.
int WaitForLoss(Presence& presence) {
  for (const Deadline end = DeadlineIn(10); MillisecondsUntil(end) > 0;) {
    if (const auto lost = presence.Lost()) {
      return *lost;
    }
    std::this_thread::yield();
  }
  return -1;
}

TEST(PresenceTest, NobodyIsGoneAtFirst) {
  RunPresent([](int, std::unique_ptr<Presence> presence, Rendezvous& met) {
    EXPECT_EQ(presence->Lost(), std::nullopt);
    ASSERT_OK(met.store().Set("seen/" + std::to_string(met.env().rank), "",
                              DeadlineIn(20)));
    for (int other = 0; other < kRanks; ++other) {
      ASSERT_OK(
          met.store().Get("seen/" + std::to_string(other), DeadlineIn(20)));
    }
  });
}

TEST(PresenceTest, TheOthersLearnWhoIsGone) {
  for (const int victim : {0, 1, 2}) {
    RunPresent(
        [victim](int rank, std::unique_ptr<Presence> presence, Rendezvous&) {
          if (rank == victim) {
            presence.reset();
            return;
          }
          EXPECT_EQ(WaitForLoss(*presence), victim) << rank;
        });
  }
}

}  // namespace
}  // namespace zs
