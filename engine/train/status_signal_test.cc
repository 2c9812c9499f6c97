#include "engine/train/status_signal.h"

#include <string>
#include <variant>

#include "base/clock.h"
#include "base/status_matchers.h"
#include "engine/api/event.h"
#include "engine/comm/collective_trace.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

std::string Line(int rank) {
  char text[512];
  return {text, WriteStatusLine(rank, text, sizeof text)};
}

PositionEvent Parsed(std::string line) {
  EXPECT_TRUE(line.ends_with('\n')) << line;
  line.pop_back();
  const auto event = ParseEventLine(line);
  EXPECT_OK(event) << line;
  return std::get<PositionEvent>(*event);
}

TEST(StatusSignalTest, SaysWhatIsWaitedFor) {
  EXPECT_EQ(Parsed(Line(3)).op, "none");
  CollectiveTrace& trace = TheCollectiveTrace();
  trace.issued.op = "broadcast";
  trace.issued.seq = 12;
  trace.issued.since_ns = RealClock().monotonic_ns();
  PositionEvent event = Parsed(Line(3));
  EXPECT_EQ(event.rank, 3);
  EXPECT_EQ(event.op, "broadcast");
  EXPECT_FALSE(event.waiting);
  trace.awaited.op = "all_reduce";
  trace.awaited.bytes = 1234567890123;
  trace.awaited.since_ns = RealClock().monotonic_ns() - 5'000'000'000;
  trace.awaited.seq = 11;
  event = Parsed(Line(3));
  EXPECT_EQ(event.op, "all_reduce");
  EXPECT_EQ(event.seq, 11);
  EXPECT_EQ(event.issued, 12);
  EXPECT_EQ(event.bytes, 1234567890123);
  EXPECT_TRUE(event.waiting);
  EXPECT_GE(event.elapsed_ms, 5000);
  EXPECT_LT(event.elapsed_ms, 60'000);
}

TEST(StatusSignalTest, WritesNothingRatherThanHalfALine) {
  char text[20];
  EXPECT_EQ(WriteStatusLine(0, text, sizeof text), 0U);
}

}  // namespace
}  // namespace zs
