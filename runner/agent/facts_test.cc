#include "runner/agent/facts.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/spawn.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/agent/port_holder.h"
#include "runner/agent/run_facts.h"

namespace zs {
namespace {

class FactsTest : public ::testing::Test {
 protected:
  // The text of an answer that must be one.
  std::string Ok(const std::string& name, std::vector<std::string> args = {}) {
    const AnswerMsg answer = facts_.Answer({1, name, std::move(args)});
    EXPECT_EQ(answer.ok, 1) << answer.text;
    return answer.text;
  }

  // The message of an answer that must be an error.
  std::string Error(const std::string& name,
                    std::vector<std::string> args = {}) {
    const AnswerMsg answer = facts_.Answer({1, name, std::move(args)});
    EXPECT_EQ(answer.ok, 0) << answer.text;
    return answer.text;
  }

  std::string TempPath(const std::string& name) {
    return ::testing::TempDir() + "/facts_" + name;
  }

  Facts facts_;
};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(FactsTest, TellsOfTheHost) {
  const std::string host = Ok("host");
  EXPECT_TRUE(Contains(host, "\nboot_id ")) << host;
  EXPECT_TRUE(Contains(host, "\nmemory_bytes ")) << host;
  EXPECT_TRUE(Contains(host, "\nload_1m ")) << host;
}

TEST_F(FactsTest, TellsOfLimits) {
  EXPECT_TRUE(Contains(Ok("limits"), "open_files "));
}

TEST_F(FactsTest, NamesWhatItKnows) {
  EXPECT_TRUE(Contains(Error("nonsense"), "port_free"));
}

TEST_F(FactsTest, TellsFilesFromFoldersAndNothing) {
  const std::string path = TempPath("file");
  ASSERT_OK(WriteFileAtomically(path, "12345"));
  EXPECT_EQ(Ok("path", {path}), "kind file\nsize_bytes 5\nwritable yes\n");
  EXPECT_TRUE(Contains(Ok("path", {"/usr"}), "kind folder\n"));
  EXPECT_TRUE(Contains(Ok("path", {"/dev/null"}), "kind other\n"));
  EXPECT_EQ(Ok("path", {path + "/none"}), "kind missing\n");
  Error("path", {});
  Error("path", {std::string("a\0b", 3)});
}

TEST_F(FactsTest, HashesWholeFilesAndSamplesOfLargeOnes) {
  const std::string path = TempPath("hash");
  ASSERT_OK(WriteFileAtomically(path, "abc"));
  EXPECT_EQ(Ok("hash", {path}), Sha256Hex("abc"));
  // 65 MiB with a hole: zeros, but for the last byte.
  constexpr int64_t kSize = int64_t{65} << 20;
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  ASSERT_EQ(::truncate(path.c_str(), kSize), 0);
  const std::string zeros(1 << 20, '\0');
  EXPECT_EQ(Ok("hash", {path}),
            Sha256Hex(std::to_string(kSize) + zeros + zeros + zeros));
  EXPECT_TRUE(Contains(Error("hash", {"/usr"}), "no regular file"));
  const std::string fifo = TempPath("fifo");
  ::unlink(fifo.c_str());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(Contains(Error("hash", {fifo}), "no regular file"));
  Error("hash", {path + "none"});
}

TEST_F(FactsTest, TellsFreeSpace) {
  EXPECT_GT(std::stoll(Ok("space", {"/"})), 0);
  // Of what is still to be made, in the folder that it will be in.
  EXPECT_EQ(Ok("space", {"/proc/no/such"}), "0");
  Error("space", {""});
}

TEST_F(FactsTest, ListensUntilToldOtherwise) {
  const std::string port = Ok("pick_port");
  EXPECT_EQ(Ok("port_free", {port}), "free");
  Ok("listen", {port});
  EXPECT_EQ(Ok("port_free", {port}), "busy");
  EXPECT_GE(std::stoi(Ok("connect", {"127.0.0.1", port, "2000"})), 0);
  Ok("unlisten");
  EXPECT_EQ(Ok("port_free", {port}), "free");
  EXPECT_TRUE(Contains(Error("connect", {"127.0.0.1", port, "2000"}),
                       "Connection refused"));
  Error("connect", {"localhost", port, "2000"});
  Error("connect", {});
}

TEST_F(FactsTest, PicksThePortThatIsWantedWhereItIsFree) {
  const std::string port = Ok("pick_port");
  EXPECT_EQ(Ok("pick_port", {port}), port);
  Ok("listen", {port});
  EXPECT_NE(Ok("pick_port", {port}), port);
  EXPECT_GT(std::stoi(Ok("pick_port", {"0"})), 0);
  Error("pick_port", {"70000"});
}

TEST_F(FactsTest, NamesWhoHoldsAPort) {
  const std::string port = Ok("pick_port");
  Ok("listen", {port});
  Facts other;
  const AnswerMsg answer = other.Answer({7, "listen", {port}});
  EXPECT_EQ(answer.ok, 0);
  EXPECT_TRUE(Contains(answer.text, "port " + port + " is in use by pid " +
                                        std::to_string(::getpid())))
      << answer.text;
}

TEST_F(FactsTest, ListensOnAnotherPortWhereThatIsAllowed) {
  const std::string port = Ok("pick_port");
  EXPECT_EQ(Ok("listen", {port, "any"}), "port " + port + "\n");
  Facts other;
  const AnswerMsg answer = other.Answer({7, "listen", {port, "any"}});
  EXPECT_EQ(answer.ok, 1) << answer.text;
  EXPECT_TRUE(answer.text.starts_with("port ")) << answer.text;
  EXPECT_FALSE(answer.text.starts_with("port " + port + "\n")) << answer.text;
  EXPECT_TRUE(Contains(answer.text, "\ninstead port " + port + " is in use"))
      << answer.text;
  // None is asked for: none is missed.
  EXPECT_FALSE(Contains(Ok("listen", {"0", "any"}), "instead"));
}

TEST_F(FactsTest, ReadsListenersFromTheKernelsTable) {
  constexpr char kTable[] =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n"
      "   0: 0100007F:1770 00000000:0000 01 00000000:00000000 00:00000000 "
      "00000000     0        0 11 1\n"
      "   1: 00000000:1770 00000000:0000 0A 00000000:00000000 00:00000000 "
      "00000000     0        0 4242 1\n";
  EXPECT_EQ(ListenerOn(6000, kTable), 4242U);
  EXPECT_FALSE(ListenerOn(6001, kTable).has_value());
  EXPECT_FALSE(ListenerOn(6000, "garbage\n").has_value());
}

TEST_F(FactsTest, FindsProcessesOfRuns) {
  SpawnSpec spec;
  spec.argv = {"/bin/sleep", "60"};
  spec.env = {"ZS_RUN_TOKEN=facts-test"};
  const Result<pid_t> pid = Spawn(spec);
  ASSERT_OK(pid);
  const std::string wanted =
      "process " + std::to_string(*pid) + " orphan facts-test sleep\n";
  // The kernel shows a new program's name and environment a moment after exec
  // has let the parent go on.
  std::string lines;
  for (int turn = 0; turn < 500 && !Contains(lines, wanted); ++turn) {
    ::usleep(10'000);
    lines = Ok("leftovers");
  }
  ::kill(*pid, SIGKILL);
  ::waitpid(*pid, nullptr, 0);
  EXPECT_TRUE(Contains(lines, wanted)) << lines;
  EXPECT_TRUE(Contains(lines, "shm_files "));
  EXPECT_FALSE(Contains(Ok("leftovers"), "facts-test"));
  EXPECT_TRUE(IsTrainingShm("nccl-a1B2"));
  EXPECT_FALSE(IsTrainingShm("postgres"));
}

TEST_F(FactsTest, RunsAProgramWithinItsTime) {
  EXPECT_EQ(Ok("run", {"5000", "sh", "-c", "echo out; echo err >&2; exit 3"}),
            "exit 3\nout\nerr\n");
  EXPECT_EQ(Ok("run", {"5000", "sh", "-c", "kill -9 $$"}), "signal 9\n");
  EXPECT_TRUE(Contains(Error("run", {"50", "sleep", "60"}), "50 ms"));
  EXPECT_TRUE(
      Contains(Error("run", {"50", "no-such-program"}), "no-such-program"));
  EXPECT_EQ(Ok("run", {"5000", "head", "-c", "1000000", "/dev/zero"}).size(),
            7U + 65536U);
  Error("run", {});
  Error("run", {"100"});
  Error("run", {"x", "true"});
}

}  // namespace
}  // namespace zs
