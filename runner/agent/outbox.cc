#include "runner/agent/outbox.h"

#include <utility>

namespace zs {
namespace {

// A line that is longer than this is cut into wherever the flood begins again.
constexpr size_t kLineSearchBytes = size_t{64} << 10;

}  // namespace

void Outbox::Send(const Message& message) {
  std::string frame;
  // Nothing that an agent says comes near the limit of a frame.
  (void)AppendMessage(message, frame);
  if (IsNumbered(message)) {
    window_.Queue(std::move(frame), /*numbered=*/true);
  } else {
    window_.QueueFirst(std::move(frame));
  }
}

void Outbox::Output(int64_t id, int64_t stream, int64_t unix_us,
                    std::string_view bytes) {
  const Stream key{id, stream};
  const auto held = held_.find(key);
  if (held == held_.end() && waiting_bytes() <= limit_bytes_) {
    Send(OutputMsg{id, stream, unix_us, 0, std::string(bytes)});
    return;
  }
  Held& cut = held == held_.end() ? held_[key] : held->second;
  cut.unix_us = unix_us;
  cut.tail.append(bytes);
  // Trimmed at twice the size, so that each byte is moved once.
  if (cut.tail.size() > 2 * tail_bytes_) {
    const size_t over = cut.tail.size() - tail_bytes_;
    cut.dropped_bytes += static_cast<int64_t>(over);
    cut.tail.erase(0, over);
  }
}

void Outbox::Queue(const Stream& stream, Held held) {
  if (held.dropped_bytes > 0) {
    const size_t line_end = held.tail.substr(0, kLineSearchBytes).find('\n');
    if (line_end != std::string::npos) {
      held.dropped_bytes += static_cast<int64_t>(line_end + 1);
      held.tail.erase(0, line_end + 1);
    }
  }
  Send(OutputMsg{stream.first, stream.second, held.unix_us, held.dropped_bytes,
                 std::move(held.tail)});
}

void Outbox::Flush(int64_t id) {
  for (int64_t stream = 1; stream <= 2; ++stream) {
    auto node = held_.extract(Stream{id, stream});
    if (!node.empty()) {
      Queue(node.key(), std::move(node.mapped()));
    }
  }
}

void Outbox::Written(size_t n) {
  window_.Written(n);
  TakeHeld();
}

void Outbox::Acknowledge(int64_t count) {
  window_.Acknowledge(count);
  TakeHeld();
}

void Outbox::TakeHeld() {
  while (!held_.empty() && waiting_bytes() <= limit_bytes_ / 2) {
    auto node = held_.extract(held_.begin());
    Queue(node.key(), std::move(node.mapped()));
  }
}

void Outbox::Discard() {
  window_ = SendWindow(/*keep=*/false);
  held_.clear();
}

}  // namespace zs
