#include "runner/agent/frame.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::string Encoded(uint8_t type, const std::string& payload) {
  std::string bytes;
  AppendFrame(type, payload, bytes);
  return bytes;
}

// All frames that DECODER holds now.
std::vector<Frame> Drain(FrameDecoder& decoder) {
  std::vector<Frame> frames;
  for (;;) {
    Result<std::optional<Frame>> next = decoder.Next();
    if (!next.ok() || !next->has_value()) {
      return frames;
    }
    frames.push_back(**next);
  }
}

TEST(FrameTest, WritesTheHeaderByteForByte) {
  EXPECT_EQ(Encoded(7, "ab"), std::string("ZS\x01\x07\x02\0\0\0ab", 10));
}

TEST(FrameTest, SurvivesAnyCutOfTheStream) {
  const std::string payload("x\0ZS\xff", 5);
  const std::string bytes = Encoded(1, payload) + Encoded(2, "") +
                            Encoded(255, std::string(1000, 'y'));
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    FrameDecoder decoder;
    std::vector<Frame> frames;
    for (const std::string& part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      decoder.Feed(part);
      for (Frame& frame : Drain(decoder)) {
        frames.push_back(std::move(frame));
      }
    }
    ASSERT_EQ(frames.size(), 3U) << cut;
    EXPECT_EQ(frames[0].payload, payload);
    EXPECT_EQ(frames[1].type, 2);
    EXPECT_EQ(frames[2].payload.size(), 1000U);
    EXPECT_EQ(decoder.buffered_bytes(), 0U);
  }
}

TEST(FrameTest, TakesTheLargestPayload) {
  FrameDecoder decoder;
  decoder.Feed(Encoded(3, std::string(kMaxPayloadBytes, 'z')));
  ASSERT_EQ(Drain(decoder).size(), 1U);
}

struct BadCase {
  const char* name;
  std::string bytes;
  const char* says;
};

class BadFrameTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadFrameTest, IsAnErrorForEverAndKeepsNothing) {
  FrameDecoder decoder;
  decoder.Feed(GetParam().bytes);
  const Result<std::optional<Frame>> next = decoder.Next();
  ASSERT_EQ(next.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(next.status().message().find(GetParam().says), std::string::npos)
      << next.status();
  decoder.Feed(Encoded(1, "good"));
  EXPECT_EQ(decoder.Next().status(), next.status());
  EXPECT_EQ(decoder.buffered_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFrameTest,
    ::testing::Values(
        BadCase{"Garbage", "bash: no such file or directory", "no frames"},
        BadCase{"Version", std::string("ZS\x09\x01\0\0\0\0", 8), "version 9"},
        BadCase{"Giant", std::string("ZS\x01\x01\xff\xff\xff\xff", 8),
                "4294967295"},
        BadCase{"OneTooMany", std::string("ZS\x01\x01\x01\0\x40\0", 8),
                "4194305"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace zs
