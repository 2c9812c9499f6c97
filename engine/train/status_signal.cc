#include "engine/train/status_signal.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "engine/comm/collective_trace.h"

namespace zs {
namespace {

volatile sig_atomic_t status_rank = 0;

// Appends to a buffer; printf may not be called from a signal handler.
class Text {
 public:
  Text(char* text, size_t size) : text_(text), size_(size) {}

  Text& operator<<(std::string_view part) {
    for (const char c : part) {
      if (used_ < size_) {
        text_[used_++] = c;
      } else {
        whole_ = false;
      }
    }
    return *this;
  }

  Text& operator<<(int64_t value) {
    char digits[20];
    size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value > 0);
    while (count > 0) {
      *this << std::string_view(&digits[--count], 1);
    }
    return *this;
  }

  size_t size() const { return whole_ ? used_ : 0; }

 private:
  char* text_;
  size_t size_;
  size_t used_ = 0;
  bool whole_ = true;
};

int64_t NowNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void SayStatus(int) {
  const int saved_errno = errno;
  char line[512];
  const size_t size = WriteStatusLine(status_rank, line, sizeof line);
  (void)!::write(STDOUT_FILENO, line, size);
  errno = saved_errno;
}

}  // namespace

size_t WriteStatusLine(int rank, char* text, size_t size) {
  CollectiveTrace& trace = TheCollectiveTrace();
  const bool waiting = trace.awaited.seq > 0;
  const CollectiveTrace::Operation& at = waiting ? trace.awaited : trace.issued;
  const int64_t seq = at.seq;
  const int64_t since_ns = at.since_ns;
  Text line(text, size);
  line << R"({"event":"position","rank":)" << int64_t{rank} << R"(,"op":")"
       << std::string_view(at.op) << R"(","seq":)" << seq << R"(,"issued":)"
       << trace.issued.seq.load() << R"(,"bytes":)" << at.bytes.load()
       << R"(,"waiting":)" << (waiting ? "true" : "false")
       << R"(,"elapsed_ms":)"
       << (seq == 0 ? int64_t{0} : (NowNs() - since_ns) / 1'000'000) << "}\n";
  return line.size();
}

void CatchStatusSignal(int rank) {
  status_rank = rank;
  TheCollectiveTrace();  // made before a handler may ask for it
  struct sigaction action = {};
  action.sa_handler = SayStatus;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace zs
