#include "engine/train/event_writer.h"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "base/descriptor.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(EventWriterTest, WritesOneLineAnEvent) {
  auto pipe = MakePipe();
  ASSERT_OK(pipe);
  EventWriter writer(pipe->write.get());
  ASSERT_OK(writer.Write(EndEvent{.rank = 3, .steps = 7}));
  pipe->write.Reset();
  std::array<char, 4096> text = {};
  const ssize_t n = ::read(pipe->read.get(), text.data(), text.size());
  ASSERT_GT(n, 0);
  const std::string line(text.data(), static_cast<size_t>(n));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_OK(ParseEventLine(line.substr(0, line.size() - 1)));
}

TEST(EventWriterTest, SaysThatNobodyReads) {
  ::signal(SIGPIPE, SIG_IGN);
  auto pipe = MakePipe();
  ASSERT_OK(pipe);
  pipe->read.Reset();
  EXPECT_STATUS(EventWriter(pipe->write.get()).Write(EndEvent()),
                StatusCode::kCancelled, "stdout is closed");
}

}  // namespace
}  // namespace zs
