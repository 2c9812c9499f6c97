// The program that runs on each node and speaks frames over stdin and stdout.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/descriptor.h"
#include "runner/agent/agent_loop.h"
#include "runner/agent/front.h"
#include "runner/agent/keeper.h"
#include "runner/agent/owned_processes.h"
#include "runner/agent/session.h"

namespace zs {
namespace {

// Tells the runner where the frames begin, behind whatever a login shell has
// printed before.
constexpr char kMarker[] = "\nzerosweep-agent-1\n";

struct Options {
  std::string containment;  // "", "cgroup", "subreaper"
  std::string verb;         // "": one connection alone; "serve", "attach"
  std::string session;
};

// The words behind the program's name; false: not understood.
bool ParseOptions(std::vector<std::string> words, Options& options) {
  if (!words.empty() && (words[0] == "cgroup" || words[0] == "subreaper")) {
    options.containment = words[0];
    words.erase(words.begin());
  }
  if (words.empty()) {
    return true;
  }
  options.verb = words[0];
  options.session = words.size() == 2 ? words[1] : "";
  return (options.verb == "serve" || options.verb == "attach") &&
         IsSessionId(options.session);
}

int RunAgent(OwnedProcesses& owned, const TellToken& tell,
             AgentLoop::Ends ends) {
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  const Descriptor signals(
      ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) {
    std::fprintf(stderr, "agent: cannot set up its descriptors\n");
    return 1;
  }
  ends.signals = signals.get();
  AgentLoop loop(std::move(ends), owned, RealClock(), tell);
  return loop.Run();
}

// The agent of one connection: it ends with it.
int RunPlain(const Options& options) {
  OwnedProcesses owned = OwnedProcesses::Create(options.containment);
  return RunUnderKeeper(owned, [&owned](const TellToken& tell) {
    AgentLoop::Ends ends;
    ends.link = {Descriptor(0), Descriptor(1), Descriptor()};
    if (!SetNonBlocking(0).ok() || !SetNonBlocking(1).ok()) {
      return 1;
    }
    return RunAgent(owned, tell, std::move(ends));
  });
}

// The agent that is found again at LISTENER.
int RunSession(const Options& options, Descriptor& listener) {
  OwnedProcesses owned = OwnedProcesses::Create(options.containment);
  const auto run = [&](const TellToken& tell) {
    AgentLoop::Ends ends;
    ends.listener = std::move(listener);
    ends.record = SessionRecord(options.session);
    return RunAgent(owned, tell, std::move(ends));
  };
  const int result = RunUnderKeeper(owned, run);
  RemoveOldSessions();  // now that nobody waits
  return result;
}

int Serve(const Options& options) {
  // Used just now: other agents remove what was not for a week (bootstrap.cc).
  (void)::utimensat(AT_FDCWD, "/proc/self/exe", nullptr, 0);
  Result<Descriptor> listener = ListenAtSession(options.session);
  if (!listener.ok()) {
    // It can do all but be found again.
    std::fprintf(stderr, "agent: %s\n", listener.status().message().c_str());
    return RunPlain(options);
  }
  return ServeFront(options.session, *listener,
                    [&] { return RunSession(options, *listener); });
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseOptions({argv + 1, argv + argc}, options)) {
    std::fprintf(stderr,
                 "usage: agent [cgroup|subreaper] [serve|attach SESSION] (by "
                 "the runner)\n");
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
  if (options.verb == "attach") {
    return AttachFront(options.session);
  }
  return options.verb == "serve" ? Serve(options) : RunPlain(options);
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  return zs::Main(argc, argv);
}
