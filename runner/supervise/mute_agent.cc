// An agent for tests that greets, stops and pings back, and answers no
// question. Each start of it appends a byte to the file in MUTE_AGENT_STARTS.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <variant>

#include "runner/agent/frame.h"
#include "runner/agent/message.h"

namespace zs {
namespace {

void Say(const Message& message) {
  std::string frame;
  (void)AppendMessage(message, frame);
  (void)!::write(1, frame.data(), frame.size());
}

void React(const Message& message) {
  if (std::holds_alternative<OpenMsg>(message)) {
    Say(GreetingMsg{::getpid(), "here", "boot", "subreaper", 0});
  } else if (const auto* ping = std::get_if<PingMsg>(&message)) {
    Say(PongMsg{ping->seq, 0, 0});
  } else if (std::holds_alternative<StopMsg>(message)) {
    Say(StoppedMsg{});
  }
}

int Main() {
  if (const char* const starts = std::getenv("MUTE_AGENT_STARTS")) {
    std::ofstream(starts, std::ios::app) << 'x';
  }
  constexpr char kMarker[] = "\nzerosweep-agent-1\n";
  (void)!::write(1, kMarker, sizeof kMarker - 1);
  FrameDecoder decoder;
  char bytes[4096];
  ssize_t n;
  while ((n = ::read(0, bytes, sizeof bytes)) > 0) {
    decoder.Feed({bytes, static_cast<size_t>(n)});
    for (auto frame = decoder.Next(); frame.ok() && frame->has_value();
         frame = decoder.Next()) {
      if (const auto message = ParseMessage(**frame); message.ok()) {
        React(*message);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace zs

int main() {
  return zs::Main();
}
