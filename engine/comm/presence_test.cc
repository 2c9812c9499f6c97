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

// A port scanner, or a load balancer that looks whether somebody is there.
TEST(PresenceTest, ASilentClientHoldsUpNobody) {
  const int port = testing::FreePort();
  const auto join = [port](int rank) {
    auto met =
        Rendezvous::Join(testing::TestEnvironment(rank, 2, port), "test", 20);
    EXPECT_OK(met);
    return std::move(met).value();
  };
  std::thread first([&] {
    const auto met = join(0);
    EXPECT_OK(Presence::Join(*met, DeadlineIn(20)));
    EXPECT_OK(met->store().Get("done", DeadlineIn(20)));
  });
  std::thread second([&] {
    const auto met = join(1);
    const auto place = met->store().Get("presence", DeadlineIn(20));
    ASSERT_OK(place);
    const auto silent =
        ConnectTcp("127.0.0.1", std::stoi(*place), DeadlineIn(20));
    ASSERT_OK(silent);
    EXPECT_OK(Presence::Join(*met, DeadlineIn(20)));
    // Rank 0 reads the silent client first, and gives it up.
    char byte = 0;
    EXPECT_STATUS(ReceiveAll(silent->get(), &byte, 1, DeadlineIn(20)),
                  StatusCode::kUnavailable, "closed");
    EXPECT_OK(met->store().Set("done", "", DeadlineIn(20)));
  });
  first.join();
  second.join();
}

TEST(PresenceTest, ASilentClientDoesNotPutOffTheDeadline) {
  const int port = testing::FreePort();
  std::thread first([&] {
    auto met =
        Rendezvous::Join(testing::TestEnvironment(0, 2, port), "test", 20);
    ASSERT_OK(met);
    EXPECT_STATUS(Presence::Join(**met, DeadlineIn(0.2)).status(),
                  StatusCode::kDeadlineExceeded, "not every rank connected");
    EXPECT_OK((*met)->store().Get("done", DeadlineIn(20)));
  });
  std::thread second([&] {
    auto met =
        Rendezvous::Join(testing::TestEnvironment(1, 2, port), "test", 20);
    ASSERT_OK(met);
    const auto place = (*met)->store().Get("presence", DeadlineIn(20));
    ASSERT_OK(place);
    const auto silent =
        ConnectTcp("127.0.0.1", std::stoi(*place), DeadlineIn(2));
    if (silent.ok()) {  // else rank 0 has given up already
      char byte = 0;
      EXPECT_STATUS(ReceiveAll(silent->get(), &byte, 1, DeadlineIn(10)),
                    StatusCode::kUnavailable, "");
    }
    EXPECT_OK((*met)->store().Set("done", "", DeadlineIn(20)));
  });
  first.join();
  second.join();
}

}  // namespace
}  // namespace zs
