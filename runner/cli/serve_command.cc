// serve: the report as a page that follows a running sweep.
#include <csignal>
#include <string>
#include <thread>

#include "base/strings.h"
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

// Blocks the signals that end the server, for this thread and those it starts.
sigset_t BlockSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

int ServeCommand(const Arguments& arguments) {
  const auto token = RandomToken();
  if (!token.ok()) {
    return Complain(token.status(), kExitRequest);
  }
  PageServer server({.address = arguments.figure.listen,
                     .port = arguments.figure.port,
                     .token = *token},
                    [&] { return PageOf(arguments); });
  if (const Status bound = server.Bind(); !bound.ok()) {
    return Complain(bound, kExitRequest);
  }
  const sigset_t signals = BlockSignals();
  int signal = 0;
  std::thread waiter([&] {
    ::sigwait(&signals, &signal);
    server.Stop();
  });
  Print(server.url() + "\n");
  server.Run();
  // It also ends where accepting fails; the waiter must not be left waiting.
  if (signal == 0) {
    ::pthread_kill(waiter.native_handle(), SIGTERM);
  }
  waiter.join();
  return 128 + signal;
}

}  // namespace zs
