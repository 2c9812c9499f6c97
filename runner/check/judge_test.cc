#include "runner/check/judge.h"

#include <optional>
#include <string>
#include <vector>

#include "base/shell.h"
#include "gtest/gtest.h"
#include "runner/check/reach_fault.h"

namespace zs {
namespace {

TEST(JudgeTest, ReadsFieldsAndAddresses) {
  constexpr char kHost[] =
      "hostname a b\ncores 8\naddress lo 127.0.0.1 255.0.0.0\n"
      "address eth0 10.0.0.1\n";
  EXPECT_EQ(FieldOf(kHost, "hostname"), "a b");
  EXPECT_EQ(FieldOf(kHost, "cores"), "8");
  EXPECT_FALSE(FieldOf(kHost, "core").has_value());
  EXPECT_EQ(AddressesOf(kHost),
            (std::vector<std::string>{"127.0.0.1", "10.0.0.1"}));
}

TEST(JudgeTest, ReadsWhatGetentPrints) {
  EXPECT_EQ(FirstAddress("exit 0\n10.77.0.1       STREAM g0033\n"
                         "10.77.0.1       DGRAM  \n"),
            "10.77.0.1");
  EXPECT_FALSE(FirstAddress("exit 2\n").has_value());
  EXPECT_FALSE(FirstAddress("").has_value());
}

TEST(JudgeTest, KnowsAddresses) {
  EXPECT_TRUE(IsLoopback("127.0.1.1"));
  EXPECT_TRUE(IsLoopback("::1"));
  EXPECT_FALSE(IsLoopback("10.127.0.1"));
  EXPECT_TRUE(IsNumericAddress("fd00::1"));
  EXPECT_FALSE(IsNumericAddress("g0033"));
  EXPECT_FALSE(IsNumericAddress("10.0.0"));
}

TEST(JudgeTest, TellsWhetherAPathWillDo) {
  using Kind = WantedPath::Kind;
  struct Case {
    Kind kind;
    const char* lines;
    CheckState state;
  };
  const Case cases[] = {
      {Kind::kFile, "kind file\nsize_bytes 5\nwritable no\n", CheckState::kOk},
      {Kind::kFile, "kind folder\nwritable yes\n", CheckState::kFailed},
      {Kind::kFile, "kind missing\n", CheckState::kFailed},
      {Kind::kFolder, "kind folder\nwritable no\n", CheckState::kOk},
      {Kind::kWritableFolder, "kind folder\nwritable no\n",
       CheckState::kFailed},
      {Kind::kWritableFolder, "kind folder\nwritable yes\n", CheckState::kOk},
      {Kind::kFolder, "", CheckState::kUnknown},
  };
  for (const Case& one : cases) {
    CheckResult result;
    JudgePath({"/p", one.kind, false}, one.lines, result);
    EXPECT_EQ(result.state, one.state) << one.lines;
    EXPECT_TRUE(result.found.starts_with("/p: ")) << result.found;
  }
}

TEST(JudgeTest, UnlimitedIsEnoughForEverything) {
  struct Case {
    int64_t found;
    int64_t wanted;
    CheckState state;
  };
  for (const Case& one : {Case{-1, 100, CheckState::kOk},
                          {-1, -1, CheckState::kOk},
                          {65536, -1, CheckState::kFailed},
                          {100, 100, CheckState::kOk},
                          {99, 100, CheckState::kFailed}}) {
    CheckResult result;
    JudgeAtLeast("memlock", one.found, one.wanted, result);
    EXPECT_EQ(result.state, one.state) << one.found << ' ' << one.wanted;
  }
}

TEST(JudgeTest, AnAnswerThatIsNoNumberIsUnknown) {
  EXPECT_EQ(NumberOf("-12"), -12);
  for (const char* text : {"", "12x", "x", "99999999999999999999", " 1"}) {
    EXPECT_FALSE(NumberOf(text).has_value()) << text;
  }
  CheckResult result;
  JudgeAtLeast("memlock", std::nullopt, 1, result);
  EXPECT_EQ(result.state, CheckState::kUnknown);
}

TEST(JudgeTest, BlamesAClockOnlyAsFarAsItIsSure) {
  CheckResult result;
  JudgeClock(600, 0.1, 1, result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  EXPECT_EQ(result.found,
            "600.000 s ahead of this host (known to within 0.100 s)");
  JudgeClock(-1.05, 0.1, 1, result);
  EXPECT_EQ(result.state, CheckState::kOk);
  // Nothing is known of a clock that is read over so slow a way.
  JudgeClock(1.5, 2, 1, result);
  EXPECT_EQ(result.state, CheckState::kUnknown);
  JudgeClock(3.5, 2, 1, result);
  EXPECT_EQ(result.state, CheckState::kFailed);
}

TEST(JudgeTest, RefusesALoopbackMasterForSeveralNodes) {
  const std::vector<std::string> own = {"127.0.0.1", "127.0.1.1", "10.0.0.1"};
  CheckResult result;
  JudgeMasterAddress("127.0.1.1", own, 2, result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  EXPECT_NE(result.limit.find("/etc/hosts"), std::string::npos);
  JudgeMasterAddress("127.0.0.1", own, 1, result);
  EXPECT_EQ(result.state, CheckState::kOk);
  JudgeMasterAddress("10.0.0.1", own, 2, result);
  EXPECT_EQ(result.state, CheckState::kOk);
  JudgeMasterAddress("10.0.0.2", own, 2, result);
  EXPECT_EQ(result.state, CheckState::kFailed);
}

TEST(JudgeTest, QuotesForAShell) {
  EXPECT_EQ(ShellLine({"ls", "-ld", "/a b", "it's", ""}),
            "ls -ld '/a b' 'it'\\''s' ''");
  EXPECT_EQ(RepeatOn({}, {"ls", "/x"}), "ls /x");
  EXPECT_EQ(RepeatOn({"ssh", "h"}, {"ls", "/x y"}),
            "echo 'ls '\\''/x y'\\''' | ssh h sh");
}

struct SshCase {
  const char* message;
  const char* code;
};

// launch-cases 013 and 093: each is exit 255 of ssh.
TEST(JudgeTest, TellsSshsTroublesApart) {
  for (const SshCase& c :
       {SshCase{"No ED25519 host key is known for g0034 and you have requested "
                "strict checking. Host key verification failed.",
                "host_key_unknown"},
        SshCase{"WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! ... Host key "
                "verification failed.",
                "host_key_changed"},
        SshCase{"root@g0034: Permission denied (publickey).", "login_refused"},
        SshCase{"ssh: connect to host g0034 port 22: Connection refused",
                "connection_refused"},
        SshCase{"ssh: connect to host g0034 port 22: Connection timed out",
                "timeout"},
        SshCase{"ssh: connect to host g0034 port 22: No route to host",
                "no_route"},
        SshCase{"ssh: Could not resolve hostname g9: Name or service not known",
                "unknown_name"},
        SshCase{"Error response from daemon: No such container: x",
                "no_container"},
        SshCase{"Error response from daemon: container ab is not running",
                "container_stopped"},
        SshCase{"kex_exchange_identification: Connection closed by remote host",
                "connection_closed"},
        SshCase{"This account is currently not available.", "login_refused"},
        SshCase{
            "head: error writing 'standard output': No space left on device",
            "disk_full"},
        SshCase{"mkdir: cannot create directory '/home/u/.cache': Permission "
                "denied cannot use the folder /home/u/.cache/zerosweep for the "
                "agent",
                "no_cache_folder"},
        SshCase{"mkdir: cannot create directory '/home/u/.cache': No space "
                "left on device cannot use the folder /home/u/.cache/zerosweep "
                "for the agent",
                "disk_full"},
        SshCase{"no program can be started in /home/u/.cache/zerosweep: it is "
                "mounted noexec",
                "noexec"},
        SshCase{"something else", "unreachable"}}) {
    EXPECT_EQ(ReachFaultOf(c.message).code, c.code) << c.message;
  }
}

TEST(JudgeTest, LimitOfLockedMemoryDoesNotBindThePrivileged) {
  CheckResult result;
  JudgeLimit("memlock_bytes", "memlock_bytes 8192\nipc_lock no\n", -1, result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  JudgeLimit("memlock_bytes", "memlock_bytes 8192\nipc_lock yes\n", -1, result);
  EXPECT_EQ(result.state, CheckState::kOk);
}

TEST(JudgeTest, HardLimitBindsAllButThePrivileged) {
  const std::string bound = "open_files 1024\nhard_open_files 4096\n";
  CheckResult result;
  JudgeUlimit("open_files", 4096, bound + "sys_resource no\n", result);
  EXPECT_EQ(result.state, CheckState::kOk);
  JudgeUlimit("open_files", 4097, bound + "sys_resource no\n", result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  EXPECT_EQ(result.found, "hard limit of open_files: 4096");
  EXPECT_NE(result.limit.find("at least 4097"), std::string::npos);
  JudgeUlimit("open_files", -1, bound + "sys_resource no\n", result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  JudgeUlimit("open_files", -1, bound + "sys_resource yes\n", result);
  EXPECT_EQ(result.state, CheckState::kOk);
  JudgeUlimit("open_files", 1, "", result);
  EXPECT_EQ(result.state, CheckState::kUnknown);
}

}  // namespace
}  // namespace zs
