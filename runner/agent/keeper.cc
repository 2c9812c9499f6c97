#include "runner/agent/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/signal_name.h"
#include "runner/agent/teardown.h"

namespace zs {
namespace {

volatile sig_atomic_t agent_pid = 0;

void PassOn(int signal) {
  if (agent_pid > 1) {
    ::kill(agent_pid, signal);
  }
}

// Reads tokens, a line each, until the agent is gone.
void ListenForTokens(int fd, OwnedProcesses& owned) {
  std::string line;
  char byte;
  for (;;) {
    const ssize_t n = ::read(fd, &byte, 1);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return;
    }
    if (byte == '\n') {
      owned.AddToken(line);
      line.clear();
    } else {
      line += byte;
    }
  }
}

// Leaves stdin and stdout to the agent, so that their end is its end.
void LetGoOfStreams() {
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(null.get(), 0);
  ::dup2(null.get(), 1);
}

StoppedMsg KillAll(OwnedProcesses& owned) {
  Teardown teardown(owned, RealClock());
  teardown.Begin(0, 0);
  while (!teardown.Step(0)) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const int64_t pause = teardown.wake_ns() - RealClock().monotonic_ns();
    std::this_thread::sleep_for(std::chrono::nanoseconds(pause));
  }
  return teardown.report();
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int Keep(pid_t agent, int tokens, OwnedProcesses& owned) {
  agent_pid = agent;
  ::signal(SIGTERM, PassOn);
  ::signal(SIGINT, PassOn);
  ::signal(SIGHUP, SIG_IGN);
  LetGoOfStreams();
  ListenForTokens(tokens, owned);
  const int status = WaitFor(agent);
  agent_pid = 0;
  if (WIFEXITED(status)) {
    return WEXITSTATUS(status);
  }
  const StoppedMsg report = KillAll(owned);
  std::fprintf(stderr,
               "the agent (process %d) was ended by %s; %lld of its processes "
               "were killed, %lld are left%s%s\n",
               static_cast<int>(agent), SignalName(WTERMSIG(status)).c_str(),
               static_cast<long long>(report.killed),
               static_cast<long long>(report.left),
               report.note.empty() ? "" : ": ", report.note.c_str());
  return 128 + WTERMSIG(status);
}

int BeAgent(pid_t keeper, Descriptor tokens, OwnedProcesses& owned,
            const std::function<int(const TellToken&)>& agent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != keeper) {
    return 1;
  }
  owned.BecomeRoot();
  const int result = agent([&tokens](const std::string& token) {
    const std::string line = token + "\n";
    (void)!::write(tokens.get(), line.data(), line.size());
  });
  if (::getppid() != keeper) {
    owned.RemoveContainer();  // the keeper, who would have done it, is gone
  }
  return result;
}

}  // namespace

int RunUnderKeeper(OwnedProcesses& owned,
                   const std::function<int(const TellToken&)>& agent) {
  Result<Pipe> pipe = MakePipe();
  if (!pipe.ok()) {
    std::fprintf(stderr, "%s\n", pipe.status().message().c_str());
    return 1;
  }
  const pid_t keeper = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    pipe->read.Reset();
    ::_exit(BeAgent(keeper, std::move(pipe->write), owned, agent));
  }
  if (pid < 0) {
    std::fprintf(stderr, "fork: errno %d\n", errno);
    return 1;
  }
  pipe->write.Reset();
  return Keep(pid, pipe->read.get(), owned);
}

}  // namespace zs
