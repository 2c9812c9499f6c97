// Ranks as processes, one of which is killed or stopped in the middle.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "engine/comm/testing_world.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr int kSawRank2 = 42;  // exit status: the error names rank 2

// What a rank does: reduces until something fails.
int ReduceForEver(int rank, int world_size, int port, double timeout_s) {
  auto met = Rendezvous::Join(testing::TestEnvironment(rank, world_size, port),
                              "test", 20);
  if (!met.ok()) {
    return 1;
  }
  auto comm = ConnectGloo(**met, timeout_s);
  if (!comm.ok()) {
    return 2;
  }
  std::vector<float> values(100000, 1);
  const std::span<float> all(values);
  for (;;) {
    const Status status = (*comm)->AllReduce(all, all, Combine::kAssign).Wait();
    if (!status.ok()) {
      (*met)->LeaveWord(status.message());
      const bool named = status.message().find("rank 2") != std::string::npos;
      return named ? kSawRank2 : 3;
    }
  }
}

class PeerLossTest : public ::testing::Test {
 protected:
  void Start(int world_size, double timeout_s) {
    const int port = testing::FreePort();
    for (int rank = 0; rank < world_size; ++rank) {
      const pid_t pid = ::fork();
      ASSERT_GE(pid, 0);
      if (pid == 0) {
        ::signal(SIGPIPE, SIG_IGN);  // as the engine does
        ::_exit(ReduceForEver(rank, world_size, port, timeout_s));
      }
      ranks_.push_back(pid);
    }
    ::usleep(700'000);  // until they are at it
  }

  // Sends SIGNAL to rank 2, expects the others to name it, and returns the
  // seconds until the last of them has ended.
  double Strike(int signal) {
    const auto start = std::chrono::steady_clock::now();
    ::kill(ranks_[2], signal);
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      int status = 0;
      if (rank != 2) {
        ::waitpid(ranks_[rank], &status, 0);
        EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
        EXPECT_EQ(WEXITSTATUS(status), kSawRank2) << "rank " << rank;
      }
    }
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    ::kill(ranks_[2], SIGKILL);
    ::waitpid(ranks_[2], nullptr, 0);
    return spent.count();
  }

  std::vector<pid_t> ranks_;
};

TEST_F(PeerLossTest, KilledRankIsNamedLongBeforeTheTimeout) {
  Start(4, 20);
  EXPECT_LT(Strike(SIGKILL), 10);
}

TEST_F(PeerLossTest, StoppedRankIsNamedAfterTheTimeout) {
  Start(3, 2);
  EXPECT_LT(Strike(SIGSTOP), 10);
}

}  // namespace
}  // namespace zs
