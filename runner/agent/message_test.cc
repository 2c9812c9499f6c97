#include "runner/agent/message.h"

#include <string>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

Frame FrameOf(const Message& message) {
  std::string bytes;
  EXPECT_TRUE(AppendMessage(message, bytes).ok());
  FrameDecoder decoder;
  decoder.Feed(bytes);
  return **decoder.Next();
}

template <typename T>
T RoundTrip(const T& message) {
  const Result<Message> parsed = ParseMessage(FrameOf(message));
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return std::get<T>(*parsed);
}

TEST(MessageTest, KeepsArgumentsAndEnvironmentByteForByte) {
  StartMsg start;
  start.id = 31;
  start.token = "t";
  start.cwd = "/a b";
  start.argv = {"p", "", "a b", "\xff\xfe", "x\ny", std::string("n\0l", 3)};
  start.env = {"A=$x \"y\""};
  const StartMsg got = RoundTrip(start);
  EXPECT_EQ(got.id, 31);
  EXPECT_EQ(got.cwd, start.cwd);
  EXPECT_EQ(got.argv, start.argv);
  EXPECT_EQ(got.env, start.env);
}

TEST(MessageTest, KeepsNumbers) {
  ExitedMsg exited;
  exited.id = -1;
  exited.code = INT64_MIN;
  exited.peak_rss_bytes = INT64_MAX;
  exited.host_all_cpu_us = 7;
  const ExitedMsg got = RoundTrip(exited);
  EXPECT_EQ(got.id, -1);
  EXPECT_EQ(got.code, INT64_MIN);
  EXPECT_EQ(got.peak_rss_bytes, INT64_MAX);
  EXPECT_EQ(got.host_all_cpu_us, 7);
}

TEST(MessageTest, RefusesEveryPrefixOfAMessage) {
  StartMsg start;
  start.argv = {"a", "b"};
  start.env = {"C=D"};
  Frame frame = FrameOf(start);
  while (!frame.payload.empty()) {
    frame.payload.pop_back();
    EXPECT_EQ(ParseMessage(frame).status().code(), StatusCode::kDataLoss);
  }
}

TEST(MessageTest, RefusesTrailingBytesAndUnknownTypes) {
  Frame frame = FrameOf(PingMsg{1});
  frame.payload += 'x';
  EXPECT_EQ(ParseMessage(frame).status().code(), StatusCode::kDataLoss);
  frame.type = 0;
  EXPECT_EQ(ParseMessage(frame).status().code(), StatusCode::kDataLoss);
  frame.type = 200;
  EXPECT_EQ(ParseMessage(frame).status().code(), StatusCode::kDataLoss);
}

TEST(MessageTest, RefusesLengthsThatLie) {
  Frame frame = FrameOf(NoteMsg{"abc"});
  for (size_t byte = 0; byte < 8; ++byte) {
    Frame lying = frame;
    lying.payload[byte] = '\xff';
    EXPECT_EQ(ParseMessage(lying).status().code(), StatusCode::kDataLoss);
  }
  // A list of 2^60 elements must not be reserved.
  Frame query = FrameOf(QueryMsg{});
  query.payload[query.payload.size() - 1] = '\x10';
  EXPECT_EQ(ParseMessage(query).status().code(), StatusCode::kDataLoss);
}

TEST(MessageTest, RefusesWhatDoesNotFitIntoAFrame) {
  StartMsg start;
  start.argv = {std::string(kMaxPayloadBytes, 'x')};
  std::string out;
  EXPECT_EQ(AppendMessage(start, out).code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace zs
