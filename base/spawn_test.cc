#include "base/spawn.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// What the program of SPEC prints, and its wait status.
struct Ended {
  std::string printed;
  int status = 0;
};

Ended RunToEnd(SpawnSpec spec) {
  Result<Pipe> pipe = MakePipe();
  EXPECT_TRUE(pipe.ok());
  spec.stdout_fd = pipe->write.get();
  const Result<pid_t> pid = Spawn(spec);
  EXPECT_TRUE(pid.ok()) << pid.status();
  pipe->write.Reset();
  Ended ended;
  char bytes[4096];
  ssize_t n;
  while ((n = ::read(pipe->read.get(), bytes, sizeof bytes)) > 0) {
    ended.printed.append(bytes, static_cast<size_t>(n));
  }
  EXPECT_EQ(::waitpid(*pid, &ended.status, 0), *pid);
  return ended;
}

SpawnSpec Shell(const std::string& script) {
  SpawnSpec spec;
  spec.argv = {"sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  return spec;
}

TEST(SpawnTest, PassesWordsUntouched) {
  const std::vector<std::string> words = {
      "a b", "it's", "$HOME", "`id`", "a\nb", "", "*", "\\", "-n", "\xff\xfe"};
  SpawnSpec spec = Shell("printf '%s|' \"$@\"");
  spec.argv.push_back("sh");
  std::string expected;
  for (const std::string& word : words) {
    spec.argv.push_back(word);
    expected += word + "|";
  }
  EXPECT_EQ(RunToEnd(spec).printed, expected);
}

TEST(SpawnTest, GivesTheEnvironmentAndTheFolderAndNothingElse) {
  SpawnSpec spec = Shell("pwd; env");
  spec.cwd = "/usr";
  spec.env.push_back("ODD=a \"b\" $c");
  const std::string printed = RunToEnd(spec).printed;
  EXPECT_EQ(printed.substr(0, 5), "/usr\n");
  EXPECT_NE(printed.find("\nODD=a \"b\" $c\n"), std::string::npos);
  EXPECT_EQ(printed.find("HOME="), std::string::npos);
}

TEST(SpawnTest, LeavesNoDescriptorOpen) {
  const Result<Pipe> kept = MakePipe();
  ASSERT_TRUE(kept.ok());
  const int inheritable = ::dup(kept->read.get());  // without O_CLOEXEC
  // 0, 1, 2 and the one with which ls reads the folder.
  EXPECT_EQ(RunToEnd(Shell("exec ls /proc/self/fd")).printed, "0\n1\n2\n3\n");
  ::close(inheritable);
}

TEST(SpawnTest, GivesDefaultSignals) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::string printed =
      RunToEnd(Shell("exec grep -E '^Sig(Blk|Ign)' /proc/self/status")).printed;
  ::signal(SIGPIPE, SIG_DFL);
  // 1 to 31; 32 and 33 belong to the C library.
  constexpr unsigned long long kStandard = 0x7fffffff;
  ASSERT_EQ(printed.size(), 2 * std::string("SigBlk:\t").size() + 2 * 17);
  EXPECT_EQ(std::stoull(printed.substr(8, 16), nullptr, 16) & kStandard, 0U);
  EXPECT_EQ(std::stoull(printed.substr(33, 16), nullptr, 16) & kStandard, 0U);
}

TEST(SpawnTest, ReadsNothingFromOurInput) {
  EXPECT_EQ(RunToEnd(Shell("wc -c")).printed, "0\n");
}

TEST(SpawnTest, NamesAMissingProgramFolderAndArgv) {
  SpawnSpec spec = Shell("true");
  spec.argv[0] = "no-such-program";
  EXPECT_EQ(Spawn(spec).status().code(), StatusCode::kNotFound);
  EXPECT_NE(Spawn(spec).status().message().find("no-such-program"),
            std::string::npos);
  spec.argv[0] = "/no/such/program";
  EXPECT_EQ(Spawn(spec).status().code(), StatusCode::kNotFound);
  spec.argv[0] = "/etc/passwd";
  EXPECT_EQ(Spawn(spec).status().code(), StatusCode::kPermissionDenied);
  spec = Shell("true");
  spec.cwd = "/no/such/folder";
  EXPECT_EQ(Spawn(spec).status().code(), StatusCode::kNotFound);
  EXPECT_NE(Spawn(spec).status().message().find("/no/such/folder"),
            std::string::npos);
  EXPECT_EQ(Spawn(SpawnSpec()).status().code(), StatusCode::kInvalidArgument);
  spec = Shell(std::string("a\0b", 3));
  EXPECT_EQ(Spawn(spec).status().code(), StatusCode::kInvalidArgument);
}

TEST(SpawnTest, RefusesAnArgumentThatTheKernelRefuses) {
  SpawnSpec spec = Shell("true");
  spec.argv.push_back(std::string(200'000, 'x'));  // above MAX_ARG_STRLEN
  EXPECT_FALSE(Spawn(spec).ok());
  spec.argv.back().resize(100'000);
  EXPECT_EQ(RunToEnd(spec).status, 0);
}

TEST(SpawnTest, SetsLimits) {
  SpawnSpec spec = Shell("ulimit -Sn; ulimit -Sc");
  spec.limits = {{RLIMIT_NOFILE, "open_files", 64},
                 {RLIMIT_CORE, "core_bytes", 0}};
  EXPECT_EQ(RunToEnd(spec).printed, "64\n0\n");
}

TEST(SpawnTest, NamesTheHardLimitThatIsInTheWay) {
  // Beyond what the kernel allows anybody (fs.nr_open).
  SpawnSpec spec = Shell("true");
  spec.limits = {{RLIMIT_CORE, "core_bytes", 0},
                 {RLIMIT_NOFILE, "open_files", int64_t{1} << 40}};
  const Result<pid_t> pid = Spawn(spec);
  ASSERT_EQ(pid.status().code(), StatusCode::kPermissionDenied);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_NE(pid.status().message().find(
                "open_files to 1099511627776 (the hard limit is " +
                std::to_string(limit.rlim_max) + ")"),
            std::string::npos)
      << pid.status();
}

TEST(SpawnTest, ReplacesVariablesByName) {
  EXPECT_EQ(MergeEnvironment({"A=1", "AB=2"}, {"A=3", "C=", "AB=x=y"}),
            (std::vector<std::string>{"A=3", "AB=x=y", "C="}));
}

TEST(SpawnTest, EndIsAwaitedForATimeAlone) {
  const Result<pid_t> pid = Spawn({.argv = {"sleep", "1000"}});
  ASSERT_OK(pid);
  EXPECT_FALSE(AwaitExit(*pid, 10).has_value());
  ::kill(*pid, SIGKILL);
  const std::optional<int> status = AwaitExit(*pid, 10'000);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WTERMSIG(*status), SIGKILL);
}

}  // namespace
}  // namespace zs
