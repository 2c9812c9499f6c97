// The program that runs on each node and speaks frames over stdin and stdout.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/clock.h"
#include "base/descriptor.h"
#include "runner/agent/agent_loop.h"
#include "runner/agent/keeper.h"
#include "runner/agent/owned_processes.h"

namespace zs {
namespace {

// Tells the runner where the frames begin, behind whatever a login shell has
// printed before.
constexpr char kMarker[] = "\nzerosweep-agent-1\n";

int RunAgent(OwnedProcesses& owned, const TellToken& tell) {
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  const Descriptor signals(
      ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid() || !SetNonBlocking(0).ok() || !SetNonBlocking(1).ok()) {
    std::fprintf(stderr, "agent: cannot set up its descriptors\n");
    return 1;
  }
  AgentLoop loop({0, 1, signals.get()}, owned, RealClock(), tell);
  return loop.Run();
}

int Main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "cgroup") != 0 &&
                   std::strcmp(argv[1], "subreaper") != 0)) {
    std::fprintf(stderr, "usage: agent [cgroup|subreaper] (by the runner)\n");
    return 2;
  }
  if (::isatty(0) != 0) {
    std::fprintf(stderr, "agent: the runner starts this program\n");
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  // No core file: the environments that pass through here may hold secrets.
  // What is started gets its own setting back by exec.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::setsid();
  (void)!::write(1, kMarker, sizeof kMarker - 1);
  OwnedProcesses owned = OwnedProcesses::Create(argc == 2 ? argv[1] : "");
  return RunUnderKeeper(
      owned, [&owned](const TellToken& tell) { return RunAgent(owned, tell); });
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  return zs::Main(argc, argv);
}
