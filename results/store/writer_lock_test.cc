#include "results/store/writer_lock.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/fake_clock.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

class WriterLockTest : public ::testing::Test {
 protected:
  void SetUp() override { ::unlink(path_.c_str()); }

  std::string path_ = ::testing::TempDir() + "/x.db.lock";
  FakeClock clock_;
};

TEST_F(WriterLockTest, SecondHolderLearnsWhoHasIt) {
  const auto first = WriterLock::Acquire(path_, 0, clock_);
  ASSERT_OK(first);
  const auto second = WriterLock::Acquire(path_, 0, clock_);
  EXPECT_STATUS(second, StatusCode::kUnavailable,
                "held by process " + std::to_string(::getpid()) + " on ");
  // The fake clock's beginning, 1,700,000,000 s after 1970.
  EXPECT_STATUS(second, StatusCode::kUnavailable,
                "since 2023-11-14 22:13:20 UTC");
}

TEST_F(WriterLockTest, TellsWhoHoldsItAndThatNobodyDoes) {
  EXPECT_STATUS(WriterLock::HolderOf(path_), StatusCode::kNotFound, path_);
  {
    const auto held = WriterLock::Acquire(path_, 0, clock_);
    ASSERT_OK(held);
    const auto holder = WriterLock::HolderOf(path_);
    ASSERT_OK(holder);
    EXPECT_EQ(holder->pid, ::getpid());
    EXPECT_EQ(holder->boot_id.size(), 36U);
    EXPECT_GT(holder->start_ticks, 0U);
  }
  EXPECT_STATUS(WriterLock::HolderOf(path_), StatusCode::kNotFound, path_);
}

TEST_F(WriterLockTest, IsFreeAfterItsLife) {
  { ASSERT_OK(WriterLock::Acquire(path_, 0, clock_)); }
  EXPECT_OK(WriterLock::Acquire(path_, 0, clock_));
}

TEST_F(WriterLockTest, WaiterGetsItWhenTheHolderLetsGo) {
  auto first = std::make_unique<Result<WriterLock>>(
      WriterLock::Acquire(path_, 0, clock_));
  ASSERT_OK(*first);
  std::thread waiter(
      [&] { EXPECT_OK(WriterLock::Acquire(path_, 60'000, RealClock())); });
  first.reset();
  waiter.join();
}

TEST_F(WriterLockTest, MovingKeepsIt) {
  auto first = WriterLock::Acquire(path_, 0, clock_);
  ASSERT_OK(first);
  const WriterLock moved = std::move(first).value();
  EXPECT_STATUS(WriterLock::Acquire(path_, 0, clock_), StatusCode::kUnavailable,
                "held by");
}

TEST_F(WriterLockTest, ProgramsStartedMeanwhileDoNotHoldIt) {
  pid_t child = 0;
  {
    const auto lock = WriterLock::Acquire(path_, 0, clock_);
    ASSERT_OK(lock);
    char name[] = "/bin/sleep";
    char time[] = "600";
    char* const argv[] = {name, time, nullptr};
    ASSERT_EQ(::posix_spawn(&child, name, nullptr, nullptr, argv, environ), 0);
  }
  EXPECT_OK(WriterLock::Acquire(path_, 0, clock_));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(WriterLockTest, VanishesWithAKilledHolder) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = WriterLock::Acquire(path_, 0, clock_);
    (void)!::write(ready[1], lock.ok() ? "y" : "n", 1);
    ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_STATUS(WriterLock::Acquire(path_, 0, clock_), StatusCode::kUnavailable,
                "process " + std::to_string(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_OK(WriterLock::Acquire(path_, 0, clock_));
}

TEST_F(WriterLockTest, MissingFolderIsAnError) {
  EXPECT_STATUS(WriterLock::Acquire("/nowhere/x.lock", 0, clock_),
                StatusCode::kNotFound, "/nowhere/x.lock");
}

}  // namespace
}  // namespace zs::results
