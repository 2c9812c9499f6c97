// A runner that is killed with -9 leaves nothing behind within 10 s.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

// A runner in a process of its own.
class RunnerKilledTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& args) {
    Result<Pipe> pipe = MakePipe();
    ASSERT_OK(pipe);
    SpawnSpec spec;
    spec.argv = {"tests/fault/run_fake_train", "2", "--steps", "100000"};
    spec.argv.insert(spec.argv.end(), args.begin(), args.end());
    spec.env = OwnEnvironment();
    spec.stdout_fd = pipe->write.get();
    const Result<pid_t> pid = Spawn(spec);
    ASSERT_OK(pid);
    pid_ = *pid;
    out_ = std::move(pipe->read);
    const std::string line = ReadLine();
    ASSERT_TRUE(line.starts_with("token "));
    token_ = line.substr(6);
  }

  std::string ReadLine() {
    std::string line;
    char byte;
    while (::read(out_.get(), &byte, 1) == 1 && byte != '\n') {
      line += byte;
    }
    return line;
  }

  void KillRunner() {
    ASSERT_EQ(::kill(pid_, SIGKILL), 0);
    ::waitpid(pid_, nullptr, 0);
  }

  // Seconds until no process of the run is left; more than 10: it never was.
  // Whether COUNT processes of the run are there within ten seconds.
  bool HasProcesses(size_t count) {
    for (int tries = 0; tries < 500; ++tries) {
      if (ProcessesOf(token_).size() == count) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  double SecondsUntilNothingIsLeft() {
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> waited{0};
    while (waited.count() < 11 && !ProcessesOf(token_).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      waited = std::chrono::steady_clock::now() - begin;
    }
    return waited.count();
  }

  pid_t pid_ = 0;
  Descriptor out_;
  std::string token_;
};

TEST_F(RunnerKilledTest, WhileItsRanksTrain) {
  Start({});
  ASSERT_EQ(ReadLine(), "first step");
  ASSERT_EQ(ProcessesOf(token_).size(), 2U);
  KillRunner();
  EXPECT_LT(SecondsUntilNothingIsLeft(), 10);
}

TEST_F(RunnerKilledTest, WhileRanksIgnoreTermAndHaveDaemons) {
  Start({"--ignore_term", "--daemon"});
  ASSERT_EQ(ReadLine(), "first step");
  // The other rank's daemon may need a moment more.
  for (int i = 0; i < 500 && ProcessesOf(token_).size() < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // Two ranks and their daemons, which may still be on their way.
  EXPECT_TRUE(HasProcesses(4));
  KillRunner();
  EXPECT_LT(SecondsUntilNothingIsLeft(), 10);
}

TEST_F(RunnerKilledTest, WhileItsRanksFlood) {
  Start({"--flood_lines", "100000000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  KillRunner();
  EXPECT_LT(SecondsUntilNothingIsLeft(), 10);
}

TEST_F(RunnerKilledTest, AtAnyMomentOfTheStart) {
  for (int ms = 0; ms < 40; ms += 4) {
    Start({});
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    KillRunner();
    EXPECT_LT(SecondsUntilNothingIsLeft(), 10) << ms;
    // A rank that was being started shows no token until exec: it goes too, and
    // as soon.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LT(SecondsUntilNothingIsLeft(), 10) << ms;
  }
}

}  // namespace
}  // namespace zs::testing
