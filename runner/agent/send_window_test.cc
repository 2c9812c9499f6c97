#include "runner/agent/send_window.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

// Writes all that waits, WHOLE frames at a time, and returns it.
std::string WriteAll(SendWindow& window) {
  std::string bytes;
  while (!window.pending().empty()) {
    const std::string_view pending = window.pending();
    bytes += pending;
    window.Written(pending.size());
  }
  return bytes;
}

TEST(SendWindowTest, WithoutKeepingForgetsWhatIsWritten) {
  SendWindow window(/*keep=*/false);
  window.Queue("a", true);
  window.Queue("b", true);
  EXPECT_EQ(window.bytes(), 2U);
  EXPECT_EQ(WriteAll(window), "ab");
  EXPECT_EQ(window.bytes(), 0U);
}

TEST(SendWindowTest, SeveralFramesAreOnePieceOfWriting) {
  SendWindow window(/*keep=*/true);
  for (const char* frame : {"one", "two", "three"}) {
    window.Queue(frame, true);
  }
  window.Written(1);
  EXPECT_EQ(window.Pieces(),
            (std::vector<std::string_view>{"ne", "two", "three"}));
  window.Written(7);  // to the middle of the third
  EXPECT_EQ(window.Pieces(), std::vector<std::string_view>{"ree"});
  window.Acknowledge(2);
  EXPECT_EQ(window.bytes(), 5U);
  window.Written(3);
  EXPECT_TRUE(window.Pieces().empty());
  ASSERT_TRUE(window.Resume(2));
  EXPECT_EQ(WriteAll(window), "three");
}

TEST(SendWindowTest, KeepsUntilThePeerHasIt) {
  SendWindow window(/*keep=*/true);
  for (const char* frame : {"1", "2", "3"}) {
    window.Queue(frame, true);
  }
  WriteAll(window);
  EXPECT_EQ(window.bytes(), 3U);
  window.Acknowledge(2);
  EXPECT_EQ(window.bytes(), 1U);
  EXPECT_TRUE(window.Resume(2));
  EXPECT_EQ(WriteAll(window), "3");
}

TEST(SendWindowTest, BeginsAgainWithAFrameThatWasCut) {
  SendWindow window(/*keep=*/true);
  window.Queue("hello", true);
  window.Queue("ping", false);
  window.Queue("world", true);
  window.Written(3);
  EXPECT_EQ(window.pending(), "lo");
  EXPECT_TRUE(window.Resume(0));
  EXPECT_EQ(WriteAll(window), "helloworld");
}

TEST(SendWindowTest, PutsWhatIsUrgentBetweenFrames) {
  SendWindow window(/*keep=*/true);
  window.Queue("hello", true);
  window.Queue("world", true);
  window.QueueFirst("1");
  window.Written(1);
  window.Written(2);
  window.QueueFirst("2");
  EXPECT_EQ(WriteAll(window), "llo2world");
}

TEST(SendWindowTest, RefusesNumbersThatCannotBe) {
  SendWindow window(/*keep=*/true);
  window.Queue("1", true);
  window.Queue("2", true);
  WriteAll(window);
  window.Acknowledge(1);
  EXPECT_FALSE(window.Resume(0));
  EXPECT_FALSE(window.Resume(3));
  EXPECT_TRUE(window.Resume(1));
  EXPECT_EQ(WriteAll(window), "2");
}

// Whatever breaks when, the peer gets each frame once and in order.
TEST(SendWindowTest, LosesNothingAndDoublesNothing) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SendWindow window(/*keep=*/true);
    std::string sent;
    std::string arrived;
    int64_t received = 0;
    size_t in_frame = 0;  // bytes of the frame in hand that have arrived
    for (int i = 0; i < 100; ++i) {
      const char letter = static_cast<char>('a' + i % 26);
      window.Queue(std::string(5, letter), true);
      sent += letter;
      const size_t n = std::min<size_t>(random() % 8, window.pending().size());
      for (const char c : window.pending().substr(0, n)) {
        if (++in_frame == 5) {
          arrived += c;
          ++received;
          in_frame = 0;
        }
      }
      window.Written(n);
      if (random() % 5 == 0) {
        window.Acknowledge(received);
      }
      if (random() % 7 == 0) {
        in_frame = 0;
        ASSERT_TRUE(window.Resume(received));
      }
    }
    ASSERT_TRUE(window.Resume(received));
    const std::string rest = WriteAll(window);
    for (size_t at = 0; at < rest.size(); at += 5) {
      arrived += rest[at];
    }
    ASSERT_EQ(arrived, sent);
  }
}

}  // namespace
}  // namespace zs
