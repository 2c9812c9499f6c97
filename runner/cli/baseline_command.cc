// baseline: which runs later ones are measured against.
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/clock.h"
#include "results/store/store.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"

namespace zs {
namespace {

// "user@host".
std::string Author() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const passwd* user = ::getpwuid(::getuid());
  return (user != nullptr ? std::string(user->pw_name)
                          : std::to_string(::getuid())) +
         "@" + host.data();
}

Status Promote(const Arguments& a, results::Store& store) {
  ASSIGN_OR_RETURN(const int64_t run_id, FindRun(store.reader(), a.run));
  results::BaselineRow baseline;
  baseline.run_id = run_id;
  baseline.reason = a.reason;
  baseline.author = Author();
  baseline.at_unix_ms = RealClock().unix_ms();
  RETURN_IF_ERROR(store.PromoteBaseline(baseline));
  ASSIGN_OR_RETURN(const results::RunRow run, store.reader().Run(run_id));
  Print("run " + std::to_string(run_id) + " is the baseline of " +
        run.experiment.name + "; compare with: runner report --compare " +
        run.experiment.name + " --baseline promoted\n");
  return OkStatus();
}

}  // namespace

int BaselineCommand(const Arguments& a) {
  const std::string path = DatabasePath(a.db);
  // A store would make one; there must be one to promote a run of.
  const auto reader = results::Reader::Open(path);
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  const auto store = results::Store::Open(
      {.path = path, .wait_ms = static_cast<int64_t>(a.wait_s * 1e3)});
  if (!store.ok()) {
    return Complain(store.status(), kExitRequest);
  }
  const Status status = Promote(a, **store);
  return status.ok() ? kExitOk : Complain(status, kExitRequest);
}

}  // namespace zs
