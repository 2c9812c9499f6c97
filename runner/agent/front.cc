#include "runner/agent/front.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "runner/agent/facts.h"
#include "runner/agent/link.h"
#include "runner/agent/message.h"
#include "runner/agent/session.h"

namespace zs {
namespace {

// The keeper may need so long to kill what an agent that died has left.
constexpr int kLastWordsMs = 15'000;
constexpr int kCrashed = 137;

// Copies what waits in FROM to stderr; false: it has ended.
bool PassOn(int from) {
  char bytes[4096];
  const ssize_t n = ::read(from, bytes, sizeof bytes);
  if (n < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  (void)!::write(2, bytes, static_cast<size_t>(n));
  return n > 0;
}

// What the agent says of this connection's end; 0: it died without a word.
char AwaitEnd(int agent, int words) {
  for (;;) {
    pollfd polled[2] = {{agent, POLLIN, 0}, {words, POLLIN, 0}};
    if (::poll(polled, 2, -1) < 0) {
      continue;
    }
    if (polled[1].revents != 0 && !PassOn(words)) {
      words = -1;
    }
    if (polled[0].revents != 0) {
      char end = 0;
      return ::read(agent, &end, 1) == 1 ? end : '\0';
    }
  }
}

// Waits for the agent behind SOCKET; WORDS is its stderr, or -1.
int BeFront(int socket, int words) {
  if (const Status sent = SendLink(socket, 0, 1); !sent.ok()) {
    std::fprintf(stderr, "agent: %s\n", sent.message().c_str());
    return 1;
  }
  const char end = AwaitEnd(socket, words);
  if (end == kFrontDetached || end == kFrontEnded) {
    return 0;
  }
  pollfd polled{words, POLLIN, 0};
  while (words >= 0 && ::poll(&polled, 1, kLastWordsMs) > 0 && PassOn(words)) {
  }
  return kCrashed;
}

// In the process that is to be the agent: nothing of the front's is kept.
void LetGo(const Descriptor& words) {
  ::setsid();
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(null.get(), 0);
  ::dup2(null.get(), 1);
  ::dup2(words.get(), 2);
}

}  // namespace

int ServeFront(const std::string& session, Descriptor& listener,
               const std::function<int()>& own) {
  Result<Pipe> words = MakePipe();
  Result<Descriptor> agent = ConnectToSession(session);
  if (!words.ok() || !agent.ok()) {
    std::fprintf(stderr, "agent: cannot set up its session\n");
    return 1;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    agent->Reset();
    words->read.Reset();
    LetGo(words->write);
    words->write.Reset();
    ::_exit(own());
  }
  if (pid < 0) {
    std::fprintf(stderr, "fork: errno %d\n", errno);
    return 1;
  }
  listener.Reset();
  words->write.Reset();
  return BeFront(agent->get(), words->read.get());
}

int AttachFront(const std::string& session) {
  const Result<Descriptor> agent = ConnectToSession(session);
  if (agent.ok()) {
    return BeFront(agent->get(), -1);
  }
  std::string frame;
  (void)AppendMessage(NoteMsg{"the agent is not there any more on " +
                              HostName() + ": " + agent.status().message()},
                      frame);
  (void)!::write(1, frame.data(), frame.size());
  return 1;
}

}  // namespace zs
