// serve: the report as a page that follows a running sweep.
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"
#include "results/html/html_text.h"
#include "results/store/reader.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"
#include "runner/cli/page.h"
#include "runner/serve/page_server.h"

namespace zs {
namespace {

// A page that says why there is none yet and looks again.
std::string Waiting(const Status& status, int refresh_s) {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"refresh\" content=\"" +
         std::to_string(refresh_s) +
         "\"><title>zerosweep</title></head><body><p>" +
         results::HtmlText(status.message()) + "</p></body></html>\n";
}

// The record is opened for reading each time: it may not be there yet.
std::string PageOf(const Arguments& a) {
  const auto reader = results::Reader::Open(DatabasePath(a.db));
  if (!reader.ok()) {
    return Waiting(reader.status(), a.figure.refresh_s);
  }
  results::CompareOptions options;
  options.sweep = a.sweep;
  const auto page = MakePage(**reader, {.compare = a.compare,
                                        .options = options,
                                        .refresh_s = a.figure.refresh_s});
  return page.ok() ? page->html : Waiting(page.status(), a.figure.refresh_s);
}

// Readable once a signal asks to end; from here on such a signal does nothing
// else.
Result<Descriptor> AwaitSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaddset(&signals, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Descriptor fd(::signalfd(-1, &signals, SFD_CLOEXEC));
  return fd.valid() ? Result<Descriptor>(std::move(fd))
                    : ErrnoError(errno, "signalfd");
}

Status Serve(const Arguments& a, int* signal) {
  ASSIGN_OR_RETURN(const std::string token, RandomToken());
  PageServer server(
      {.address = a.figure.listen, .port = a.figure.port, .token = token},
      [&] { return PageOf(a); });
  RETURN_IF_ERROR(server.Bind());
  ASSIGN_OR_RETURN(const Descriptor signals, AwaitSignals());
  std::signal(SIGPIPE, SIG_IGN);
  Print(server.url() + "\n");
  server.Run(signals.get());
  signalfd_siginfo caught{};
  if (::read(signals.get(), &caught, sizeof(caught)) != sizeof(caught)) {
    return ErrnoError(errno, "signalfd");
  }
  *signal = static_cast<int>(caught.ssi_signo);
  return OkStatus();
}

}  // namespace

int ServeCommand(const Arguments& arguments) {
  int signal = 0;
  const Status served = Serve(arguments, &signal);
  return served.ok() ? 128 + signal : Complain(served, kExitRequest);
}

}  // namespace zs
