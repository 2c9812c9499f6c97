#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runner/observe/text/input.h"
#include "runner/observe/text/lines.h"
#include "runner/observe/text/literals.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

TEST(LiteralMatcherTest, FindsWhatStringFindFinds) {
  const std::vector<std::string> words = {"iteration", "NCCL INFO ",
                                          "NCCL WARN ", "iterations"};
  const LiteralMatcher matcher(words);
  const std::string text =
      "xx NCCL INFO iterations, NCCL WARN NCCL INFiteration NCCL INFO";
  size_t found = 0;
  for (size_t from = 0; from <= text.size(); ++from) {
    size_t best = std::string::npos;
    for (const std::string& word : words) {
      best = std::min(best, text.find(word, from));
    }
    const LiteralMatcher::Hit hit = matcher.Next(text, from);
    EXPECT_EQ(hit.position, best) << from;
    found += hit.literal >= 0 ? 1 : 0;
  }
  EXPECT_GT(found, 0u);
}

TEST(LiteralMatcherTest, TellsAllThatStartAtOnePlace) {
  const LiteralMatcher matcher({"iterations", "iteration", "nothing"});
  LiteralMatcher::Hit hit = matcher.Next("12 iterations", 0);
  EXPECT_EQ(hit.literal, 0);
  hit.literal = matcher.Also("12 iterations", hit);
  EXPECT_EQ(hit.literal, 1);
  EXPECT_EQ(matcher.Also("12 iterations", hit), -1);
}

TEST(LiteralMatcherTest, EndsAtTheEndOfTheText) {
  const LiteralMatcher matcher({"iteration"});
  EXPECT_EQ(matcher.Next("", 0).literal, -1);
  EXPECT_EQ(matcher.Next("iteratio", 0).literal, -1);
  EXPECT_EQ(matcher.Next("xiteration", 0).position, 1u);
  EXPECT_EQ(matcher.Next("iteration", 1).literal, -1);
}

std::vector<std::string> Assemble(const std::string& bytes, size_t piece) {
  std::vector<std::string> lines;
  LineAssembler assembler([&lines](std::string_view block) {
    for (size_t at = 0; at < block.size();) {
      const size_t end = std::min(block.find('\n', at), block.size());
      lines.emplace_back(block.substr(at, end - at));
      at = end + 1;
    }
  });
  for (size_t at = 0; at < bytes.size(); at += piece) {
    assembler.Feed(std::string_view(bytes).substr(at, piece));
  }
  assembler.Finish();
  return lines;
}

TEST(LineAssemblerTest, GivesTheSameLinesForAnyPieces) {
  const std::string bytes =
      std::string("one\n\ntwo\xff") + '\0' + "three\nfour";
  const std::vector<std::string> whole = Assemble(bytes, bytes.size());
  for (size_t piece = 1; piece < bytes.size(); ++piece) {
    EXPECT_EQ(Assemble(bytes, piece), whole) << piece;
  }
  EXPECT_EQ(whole.back(), "four");
}

TEST(LineAssemblerTest, KeepsHeadAndTailOfAnEndlessLine) {
  std::string bytes = "start";
  bytes += std::string(3 << 20, 'x');
  bytes += "finish\nnext\n";
  const std::vector<std::string> lines = Assemble(bytes, 4096);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LT(lines[0].size(), LineAssembler::kMaxLineBytes + 100);
  EXPECT_EQ(lines[0].substr(0, 5), "start");
  EXPECT_EQ(lines[0].substr(lines[0].size() - 6), "finish");
  EXPECT_NE(lines[0].find(" bytes]... "), std::string::npos);
  EXPECT_EQ(lines[1], "next");
}

TEST(WithoutControlsTest, DropsColoursAndTitles) {
  std::string buffer;
  EXPECT_EQ(WithoutControls("\x1b[31mstep:\x1b[0m 1\t2", buffer), "step: 1\t2");
  EXPECT_EQ(WithoutControls("a\x1b]0;title\a b", buffer), "a b");
  EXPECT_EQ(WithoutControls("end\x1b", buffer), "end");
  EXPECT_EQ(WithoutControls("end\x1b[3", buffer), "end");
}

TEST(QuotableTest, IsUtf8AndShort) {
  EXPECT_EQ(Quotable("a\xff\xc3\xa9"), "a\xef\xbf\xbd\xc3\xa9");
  EXPECT_EQ(Quotable(std::string(1000, 'a'), 10), "aaaaaaaaaa...");
}

struct PrefixCase {
  const char* line;
  const char* host;
  int rank;
  int local_rank;
  const char* rest;
};

TEST(ParsePrefixTest, KnowsTheLaunchers) {
  const PrefixCase cases[] = {
      {"[default3]:hello", "", -1, 3, "hello"},
      {"[default3]: [rank11]: hello", "", 11, 3, "hello"},
      {"12: hello", "", 12, -1, "hello"},
      {"[7] hello", "", 7, -1, "hello"},
      {"[1,5]<stdout>:hello", "", 5, -1, "hello"},
      {"g0033: hello", "g0033", -1, -1, "hello"},
      {"10.1.0.3: hello", "10.1.0.3", -1, -1, "hello"},
      {"[pod/train-2/main] hello", "train-2", -1, -1, "hello"},
      {"2026-11-30T05:40:26.123456789Z 3: hello", "", 3, -1, "hello"},
      {"(Worker pid=5280, ip=10.1.0.4) hello", "10.1.0.4", -1, -1, "hello"},
      {"ValueError: hello", "", -1, -1, "ValueError: hello"},
      {"[2026-11-30 05:40:26] hello", "", -1, -1,
       "[2026-11-30 05:40:26] hello"},
      {"", "", -1, -1, ""},
      {"[", "", -1, -1, "["},
  };
  for (const PrefixCase& test : cases) {
    const Prefix prefix = ParsePrefix(test.line);
    EXPECT_EQ(prefix.host, test.host) << test.line;
    EXPECT_EQ(prefix.rank, test.rank) << test.line;
    EXPECT_EQ(prefix.local_rank, test.local_rank) << test.line;
    EXPECT_EQ(std::string_view(test.line).substr(prefix.length), test.rest)
        << test.line;
  }
}

TEST(RankInTest, ReadsTheRankALineNames) {
  EXPECT_EQ(RankIn("[rank3]:[E1130 x] [Rank 3] Watchdog"), 3);
  EXPECT_EQ(RankIn("[PG ID 0 PG GUID 0(default_pg) Rank 12]  failure"), 12);
  EXPECT_EQ(RankIn("Rank up"), -1);
}

TEST(TimeInTest, ComparesTimesOfDifferentFormats) {
  const auto iso = TimeIn("[2026-11-30 05:51:44] x");
  const auto glog = TimeIn("[rank0]:[E1130 05:51:44.500000000 P.cpp:1] x");
  const auto report = TimeIn("  time      : 2026-11-30_05:51:46");
  ASSERT_TRUE(iso && glog && report);
  EXPECT_DOUBLE_EQ(*glog - *iso, 0.5);
  EXPECT_DOUBLE_EQ(*report - *iso, 2.0);
  EXPECT_FALSE(TimeIn("no time, 12:00 only").has_value());
}

class ReadLogTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = testing::TempDir() + "/" + name;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    return path;
  }

  static std::string Gzip(const std::string& text) {
    z_stream stream = {};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(text.size() + 1024, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  static std::string Zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(
        ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }

  static std::string Text() {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
      text += "line " + std::to_string(i * 7919) + "\n";
    }
    return text;
  }

  static std::string Read(const std::string& path, InputReport& report) {
    std::string all;
    const auto result =
        ReadLog(path, [&all](std::string_view bytes) { all += bytes; });
    EXPECT_TRUE(result.ok()) << result.status();
    report = result.ok() ? *result : InputReport{};
    return all;
  }
};

TEST_F(ReadLogTest, ReadsPlainGzipAndZstd) {
  const std::string text = Text();
  InputReport report;
  EXPECT_EQ(Read(Write("a.log", text), report), text);
  EXPECT_EQ(report.format, "plain");
  EXPECT_EQ(Read(Write("a.gz", Gzip(text) + Gzip("more\n")), report),
            text + "more\n");
  EXPECT_EQ(report.format, "gzip");
  EXPECT_FALSE(report.truncated);
  EXPECT_EQ(Read(Write("a.zst", Zstd(text) + Zstd("more\n")), report),
            text + "more\n");
  EXPECT_EQ(report.format, "zstd");
  EXPECT_FALSE(report.truncated);
}

TEST_F(ReadLogTest, ReadsALargeFileAhead) {
  std::string text;
  while (text.size() < (size_t{20} << 20)) {
    text += Text();
  }
  InputReport report;
  EXPECT_EQ(Read(Write("large.log", text), report), text);
}

TEST_F(ReadLogTest, DeliversWhatComesBeforeDamage) {
  const std::string text = Text();
  for (const std::string& whole : {Gzip(text), Zstd(text)}) {
    InputReport report;
    const std::string half = whole.substr(0, whole.size() / 2);
    const std::string got = Read(Write("half", half), report);
    EXPECT_TRUE(report.truncated);
    EXPECT_EQ(got, text.substr(0, got.size()));
  }
}

TEST_F(ReadLogTest, RefusesFoldersAndMissingFiles) {
  const auto ignore = [](std::string_view) {};
  EXPECT_EQ(ReadLog(testing::TempDir(), ignore).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadLog("/no/such/log", ignore).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace zs
