#include "runner/supervise/node_log.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/observe/text/input.h"
#include "runner/supervise/compress.h"

namespace zs {
namespace {

// 2026-11-30 11:02:03.000005 UTC.
constexpr int64_t kNoon = 1'796'036'523'000'005;

std::string Unpacked(const std::string& path) {
  std::string text;
  const auto report =
      ReadLog(path, [&text](std::string_view bytes) { text += bytes; });
  EXPECT_OK(report);
  EXPECT_FALSE(report->truncated);
  return text;
}

std::string Path(const std::string& name) {
  return ::testing::TempDir() + "/" + std::to_string(::getpid()) + name;
}

TEST(NodeLogTest, LinesOfAllRanksWithTimeRankAndStream) {
  NodeLog log(Path("a.log"), 1 << 20);
  log.Append(3, OutputStream::kStdout, kNoon, "one\ntw");
  log.Append(0, OutputStream::kStderr, kNoon + 1, "bad\n");
  log.Append(3, OutputStream::kStdout, kNoon + 2, "o\n\nthree");
  log.Gap(0, OutputStream::kStdout, kNoon + 3, 77);
  log.Close();
  EXPECT_OK(log.status());
  EXPECT_EQ(log.path(), Path("a.log.zst"));
  EXPECT_FALSE(std::filesystem::exists(Path("a.log")));
  EXPECT_EQ(Unpacked(log.path()),
            "2026-11-30T11:02:03.000005Z 3 out one\n"
            "2026-11-30T11:02:03.000006Z 0 err bad\n"
            "2026-11-30T11:02:03.000005Z 3 out two\n"
            "2026-11-30T11:02:03.000007Z 3 out \n"
            "2026-11-30T11:02:03.000008Z 0 out [77 bytes of output left out]\n"
            "2026-11-30T11:02:03.000007Z 3 out three\n");
}

TEST(NodeLogTest, FloodKeepsItsBeginningAndItsEnd) {
  NodeLog log(Path("b.log"), 8192);
  for (int i = 0; i < 5000; ++i) {
    log.Append(0, OutputStream::kStdout, kNoon,
               "line " + std::to_string(i) + "\n");
  }
  log.Close();
  const std::string text = Unpacked(log.path());
  EXPECT_LT(text.size(), 8400U);
  EXPECT_NE(text.find("out line 0\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("out line 4999\n"));
  EXPECT_NE(text.find("bytes of output left out"), std::string::npos);
}

TEST(NodeLogTest, LineWithoutEndIsCutIntoPieces) {
  NodeLog log(Path("c.log"), 1 << 20);
  for (int i = 0; i < 20; ++i) {
    log.Append(0, OutputStream::kStdout, kNoon, std::string(10'000, 'x'));
  }
  log.Close();
  EXPECT_EQ(Unpacked(log.path()).size(), 200'000U + 3 * 35U);
}

TEST(NodeLogTest, FolderThatIsNotThereIsAnError) {
  NodeLog log("/no/such/folder/node0.log", 1 << 20);
  log.Append(0, OutputStream::kStdout, kNoon, "x\n");
  log.Close();
  EXPECT_STATUS(log.status(), StatusCode::kNotFound, "/no/such/folder");
}

TEST(NodeLogTest, NoPathKeepsNothing) {
  NodeLog log("", 1 << 20);
  log.Append(0, OutputStream::kStdout, kNoon, "x\n");
  log.Close();
  EXPECT_OK(log.status());
}

TEST(CompressTest, FailureLeavesTheFileAsItWas) {
  const std::string path = Path("d.log");
  ASSERT_OK(WriteFileAtomically(path, "text"));
  EXPECT_FALSE(CompressFile(path, "/no/such/folder/d.zst").ok());
  EXPECT_EQ(*ReadFile(path), "text");
}

}  // namespace
}  // namespace zs
