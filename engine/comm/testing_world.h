// Ranks as threads of a test.
#ifndef ENGINE_COMM_TESTING_WORLD_H_
#define ENGINE_COMM_TESTING_WORLD_H_

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_matchers.h"
#include "engine/comm/communicator.h"
#include "engine/comm/gloo_communicator.h"
#include "engine/comm/rendezvous.h"
#include "engine/comm/socket.h"
#include "gtest/gtest.h"

namespace zs::testing {

// A port that was free a moment ago.
inline int FreePort() {
  auto listener = ListenTcp(0);
  return listener.ok() ? PortOf(listener->get()).value() : 0;
}

inline RankEnvironment TestEnvironment(int rank, int world_size, int port) {
  RankEnvironment env;
  env.rank = rank;
  env.world_size = world_size;
  env.local_rank = rank;
  env.local_world_size = world_size;
  env.master_port = port;
  return env;
}

// Runs BODY as each of WORLD_SIZE ranks, each with a communicator over Gloo
// (or a single rank's), and waits for all.
inline void RunRanks(int world_size,
                     const std::function<void(Communicator&)>& body) {
  if (world_size == 1) {
    body(*SingleRank());
    return;
  }
  const int port = FreePort();
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.emplace_back([rank, world_size, port, &body] {
      auto met =
          Rendezvous::Join(TestEnvironment(rank, world_size, port), "test", 20);
      ASSERT_OK(met);
      auto comm = ConnectGloo(**met, 20);
      ASSERT_OK(comm);
      body(**comm);
      EXPECT_OK((*comm)->Barrier().Wait());
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
}

}  // namespace zs::testing

#endif  // ENGINE_COMM_TESTING_WORLD_H_
