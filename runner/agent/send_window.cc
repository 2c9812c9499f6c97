#include "runner/agent/send_window.h"

#include <utility>

namespace zs {

void SendWindow::Queue(std::string frame, bool numbered) {
  bytes_ += frame.size();
  unwritten_.push_back({std::move(frame), numbered});
}

void SendWindow::QueueFirst(std::string frame) {
  bytes_ += frame.size();
  // Not into a frame that is half written.
  const auto place = unwritten_.begin() + (begin_ > 0 ? 1 : 0);
  unwritten_.insert(place, {std::move(frame), /*numbered=*/false});
}

std::string_view SendWindow::pending() const {
  return unwritten_.empty()
             ? std::string_view()
             : std::string_view(unwritten_.front().frame).substr(begin_);
}

void SendWindow::Forget(std::deque<Entry>& entries) {
  acknowledged_ += entries.front().numbered ? 1 : 0;
  bytes_ -= entries.front().frame.size();
  entries.pop_front();
}

std::vector<std::string_view> SendWindow::Pieces() const {
  constexpr size_t kMostPieces = 64;  // fewer than any IOV_MAX
  std::vector<std::string_view> pieces;
  for (const Entry& entry : unwritten_) {
    if (pieces.size() == kMostPieces) {
      break;
    }
    pieces.emplace_back(entry.frame);
  }
  if (!pieces.empty()) {
    pieces.front().remove_prefix(begin_);
  }
  return pieces;
}

void SendWindow::Written(size_t n) {
  begin_ += n;
  while (!unwritten_.empty() && begin_ >= unwritten_.front().frame.size()) {
    begin_ -= unwritten_.front().frame.size();
    if (keep_ && unwritten_.front().numbered) {
      written_.push_back(std::move(unwritten_.front()));
      unwritten_.pop_front();
    } else {
      Forget(unwritten_);
    }
  }
}

void SendWindow::Acknowledge(int64_t count) {
  while (acknowledged_ < count && !written_.empty()) {
    Forget(written_);
  }
}

bool SendWindow::Resume(int64_t count) {
  // The frame in hand may have arrived whole although its last bytes were never
  // seen to be written.
  const int64_t most = acknowledged_ + static_cast<int64_t>(written_.size()) +
                       (begin_ > 0 && unwritten_.front().numbered ? 1 : 0);
  if (count < acknowledged_ || count > most) {
    return false;
  }
  while (!written_.empty()) {
    unwritten_.push_front(std::move(written_.back()));
    written_.pop_back();
  }
  begin_ = 0;
  std::deque<Entry> all;
  all.swap(unwritten_);
  while (!all.empty()) {
    if (!all.front().numbered || acknowledged_ < count) {
      Forget(all);
    } else {
      unwritten_.push_back(std::move(all.front()));
      all.pop_front();
    }
  }
  return true;
}

}  // namespace zs
