#include "runner/agent/outbox.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Takes all that waits and returns its output messages.
std::vector<OutputMsg> Take(Outbox& outbox) {
  FrameDecoder decoder;
  while (!outbox.pending().empty()) {
    const std::string bytes(outbox.pending());
    decoder.Feed(bytes);
    outbox.Written(bytes.size());
  }
  std::vector<OutputMsg> messages;
  for (;;) {
    const Result<std::optional<Frame>> frame = decoder.Next();
    if (!frame.ok() || !frame->has_value()) {
      return messages;
    }
    const Result<Message> message = ParseMessage(**frame);
    EXPECT_OK(message);
    if (const auto* output = std::get_if<OutputMsg>(&*message)) {
      messages.push_back(*output);
    }
  }
}

TEST(OutboxTest, PassesOutputOnAsItComes) {
  Outbox outbox;
  outbox.Output(3, 1, 77, "a");
  outbox.Output(3, 2, 78, "b");
  const std::vector<OutputMsg> got = Take(outbox);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].bytes, "a");
  EXPECT_EQ(got[0].unix_us, 77);
  EXPECT_EQ(got[1].stream, 2);
}

TEST(OutboxTest, CutsTheMiddleOutOfAFloodAndCountsIt) {
  Outbox outbox(/*keep=*/false, /*limit_bytes=*/1000, /*tail_bytes=*/100);
  size_t written = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    written += line.size();
    outbox.Output(0, 1, i, line);
  }
  EXPECT_LT(outbox.waiting_bytes(), 1200U);
  const std::vector<OutputMsg> got = Take(outbox);
  size_t arrived = 0;
  int64_t dropped = 0;
  for (const OutputMsg& message : got) {
    arrived += message.bytes.size();
    dropped += message.dropped_bytes;
  }
  EXPECT_EQ(arrived + static_cast<size_t>(dropped), written);
  EXPECT_EQ(got.front().bytes, "line 0\n");
  EXPECT_GT(got.back().dropped_bytes, 0);
  EXPECT_EQ(got.back().bytes.substr(0, 5), "line ");
  EXPECT_TRUE(got.back().bytes.ends_with("line 9999\n"));
}

TEST(OutboxTest, GoesOnAfterAFloodWithoutLoss) {
  Outbox outbox(false, 1000, 100);
  outbox.Output(0, 1, 0, std::string(5000, 'x'));
  outbox.Output(0, 1, 0, std::string(5000, 'x') + "\n");
  Take(outbox);
  outbox.Output(0, 1, 0, "after\n");
  const std::vector<OutputMsg> got = Take(outbox);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].bytes, "after\n");
  EXPECT_EQ(got[0].dropped_bytes, 0);
}

TEST(OutboxTest, KeepsTheOrderOfAStreamThatWasHeldBack) {
  Outbox outbox(false, 100, 50);
  outbox.Output(0, 1, 0, std::string(200, 'a'));
  outbox.Output(0, 1, 0, "b");  // held back, fits the tail
  outbox.Flush(0);
  outbox.Output(0, 1, 0, "c");
  std::string all;
  for (const OutputMsg& message : Take(outbox)) {
    EXPECT_EQ(message.dropped_bytes, 0);
    all += message.bytes;
  }
  EXPECT_EQ(all, std::string(200, 'a') + "bc");
}

TEST(OutboxTest, OneStreamsFloodDoesNotCutAnother) {
  Outbox outbox(false, 1000, 100);
  for (int i = 0; i < 1000; ++i) {
    outbox.Output(0, 1, 0, "flood flood flood\n");
  }
  outbox.Output(1, 1, 0, "quiet\n");
  std::string quiet;
  for (const OutputMsg& message : Take(outbox)) {
    quiet += message.id == 1 ? message.bytes : "";
  }
  EXPECT_EQ(quiet, "quiet\n");
}

TEST(OutboxTest, WhatIsNotAcknowledgedCountsAndComesAgain) {
  Outbox outbox(/*keep=*/true, 1000, 100);
  outbox.Output(0, 1, 0, std::string(2000, 'a') + "\n");
  ASSERT_EQ(Take(outbox).size(), 1U);
  // Written, but who knows whether it has arrived: what comes is held back.
  outbox.Output(0, 1, 0, "b\n");
  EXPECT_TRUE(Take(outbox).empty());
  ASSERT_TRUE(outbox.Resume(0));
  EXPECT_EQ(Take(outbox).at(0).bytes.size(), 2001U);
  outbox.Acknowledge(1);
  EXPECT_EQ(Take(outbox).at(0).bytes, "b\n");
}

}  // namespace
}  // namespace zs
