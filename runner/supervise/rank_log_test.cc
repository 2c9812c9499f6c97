#include "runner/supervise/rank_log.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::string TempPath(const std::string& name) {
  return ::testing::TempDir() + "/" + name + std::to_string(::getpid());
}

std::string TextOf(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  EXPECT_OK(text);
  return text.ok() ? *text : "";
}

TEST(RankLogTest, KeepsBytesAsTheyAre) {
  const std::string path = TempPath("bytes");
  RankLog log(path, 1 << 20);
  const std::string bytes("a\0b\xff\r\n", 6);
  log.Append(bytes);
  EXPECT_EQ(TextOf(path), bytes);  // while the run goes on
  log.Gap(12);
  log.Close();
  EXPECT_EQ(TextOf(path), bytes + "\n[12 bytes of output left out]\n");
  EXPECT_OK(log.status());
}

TEST(RankLogTest, CutsOutTheMiddleAndKeepsBothEnds) {
  const std::string path = TempPath("middle");
  constexpr int64_t kCap = 8192;
  RankLog log(path, kCap);
  std::string all;
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    all += line;
    log.Append(line);
  }
  log.Close();
  const std::string text = TextOf(path);
  const std::string note_begin = "\n[";
  const size_t note = text.find(note_begin);
  ASSERT_EQ(note, static_cast<size_t>(kCap / 2));
  EXPECT_EQ(text.substr(0, note), all.substr(0, note));
  const int64_t cut = std::stoll(text.substr(note + 2));
  const std::string end = text.substr(text.find("]\n") + 2);
  EXPECT_EQ(static_cast<size_t>(cut) + note + end.size(), all.size());
  EXPECT_TRUE(all.ends_with(end));
  EXPECT_GE(end.size(), static_cast<size_t>(kCap / 4));
  EXPECT_LE(text.size(), static_cast<size_t>(kCap + 100));
  EXPECT_NE(::access((path + ".tail0").c_str(), F_OK), 0);
  EXPECT_NE(::access((path + ".tail1").c_str(), F_OK), 0);
}

TEST(RankLogTest, CutsNothingUpToTheCap) {
  for (const int64_t size : {4096, 6000, 8192}) {
    const std::string path = TempPath("cap" + std::to_string(size));
    RankLog log(path, 8192);
    const std::string bytes(static_cast<size_t>(size), 'x');
    log.Append(bytes);
    log.Close();
    EXPECT_EQ(TextOf(path), bytes);
  }
}

TEST(RankLogTest, AFullDiskIsCountedAndStopsNothing) {
  RankLog log("/dev/full", 1 << 20);
  log.Append("abc");
  log.Append("defg");
  log.Close();
  EXPECT_STATUS(log.status(), StatusCode::kResourceExhausted, "/dev/full");
  EXPECT_EQ(log.lost_bytes(), 7);
}

// Joining needs room for what the tails hold: where there is none they stay.
TEST(RankLogTest, EndOfTheLogSurvivesADiskThatIsFullInTheEnd) {
  const std::string path = TempPath("full");
  constexpr int64_t kCap = 8192;
  RankLog log(path, kCap);
  for (int i = 0; i < 1000; ++i) {
    log.Append("line " + std::to_string(i) + "\n");
  }
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit low{kCap / 2 + 500, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  log.Close();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(log.status().ok());
  EXPECT_EQ(log.lost_bytes(), 0);
  ASSERT_EQ(log.kept().size(), 2U);
  const std::string end = TextOf(log.kept()[0]) + TextOf(log.kept()[1]);
  EXPECT_TRUE(end.ends_with("\nline 998\nline 999\n")) << end;
  EXPECT_GE(end.size(), static_cast<size_t>(kCap / 4));
}

TEST(RankLogTest, AMissingFolderIsAnErrorToo) {
  RankLog log("/no/such/folder/x.log", 1 << 20);
  log.Append("abc");
  log.Close();
  EXPECT_STATUS(log.status(), StatusCode::kNotFound, "/no/such/folder");
  EXPECT_EQ(log.lost_bytes(), 3);
}

}  // namespace
}  // namespace zs
