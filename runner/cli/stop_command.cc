// stop: asks the runner that is at work on a database to end.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "results/store/reader.h"
#include "results/store/writer_lock.h"
#include "runner/agent/facts.h"
#include "runner/agent/process_table.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"

namespace zs {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

std::string NameOf(const results::RunRow& run) {
  return "run " + std::to_string(run.id) + " (" + run.experiment.name + ")";
}

// The runner that holds the database, and is still the very process that said
// so when it began.
Result<ProcessInfo> FindRunner(const std::string& db) {
  ASSIGN_OR_RETURN(const results::LockHolder holder,
                   results::WriterLock::HolderOf(db + ".lock"));
  if (holder.host != HostName() || holder.boot_id != BootId()) {
    return FailedPreconditionError("the runner is process " +
                                   std::to_string(holder.pid) + " on " +
                                   holder.host + "; give this command there");
  }
  const auto process = ReadProcess(static_cast<pid_t>(holder.pid));
  if (!process || process->start_ticks != holder.start_ticks) {
    return NotFoundError("the runner, process " + std::to_string(holder.pid) +
                         ", has just ended");
  }
  return *process;
}

// The run at work; an error where that is not the one asked for.
Result<std::optional<results::RunRow>> RunAtWork(const results::Reader& reader,
                                                 const std::string& asked) {
  ASSIGN_OR_RETURN(const std::vector<results::RunRow> open, reader.OpenRuns());
  std::optional<results::RunRow> at_work;
  if (!open.empty()) {
    at_work = open.back();
  }
  if (asked.empty()) {
    return at_work;
  }
  ASSIGN_OR_RETURN(const int64_t id, FindRun(reader, asked));
  if (!at_work || at_work->id != id) {
    return FailedPreconditionError(
        "run " + std::to_string(id) + " is not at work; " +
        (at_work ? NameOf(*at_work) + " is" : "no run is"));
  }
  return at_work;
}

bool Lives(const ProcessInfo& runner) {
  const auto now = ReadProcess(runner.pid);
  return now && now->alive() && now->start_ticks == runner.start_ticks;
}

// How RUN ended, one line.
std::string Ending(const results::Reader& reader, int64_t run_id) {
  const auto run = reader.Run(run_id);
  if (!run.ok() || !run->outcome) {
    return "run " + std::to_string(run_id) + " has no outcome on record\n";
  }
  return NameOf(*run) + ": " +
         std::string(results::Name(run->outcome->process)) + ", " +
         std::string(results::Name(run->outcome->verdict)) + " (" +
         run->outcome->process_reason + ")\n";
}

Status Stop(const Arguments& a) {
  const std::string db = DatabasePath(a.db);
  const auto runner = FindRunner(db);
  if (!runner.ok()) {
    return runner.status().code() == StatusCode::kNotFound
               ? NotFoundError("no runner is at work on " + db)
               : runner.status();
  }
  ASSIGN_OR_RETURN(const auto reader, results::Reader::Open(db));
  ASSIGN_OR_RETURN(const auto run, RunAtWork(*reader, a.run));
  // Sent to that very process, not to one that has got its number since.
  if (!SignalProcess(*runner, a.now ? SIGTERM : SIGUSR1)) {
    return NotFoundError("the runner has just ended");
  }
  const std::string what = run ? NameOf(*run) : "what it does before a run";
  Print("asked the runner, process " + std::to_string(runner->pid) +
        (a.now ? ", to stop " : ", to end after ") + what + "\n");
  while (Lives(*runner)) {
    std::this_thread::sleep_for(kLook);
  }
  if (run) {
    Print(Ending(*reader, run->id));
  }
  Print("the runner has ended\n");
  return OkStatus();
}

}  // namespace

int StopCommand(const Arguments& a) {
  const Status stopped = Stop(a);
  return stopped.ok() ? kExitOk : Complain(stopped, kExitRequest);
}

}  // namespace zs
