// run: carries out an experiment file.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "results/report/compare.h"
#include "results/report/comparison_writer.h"
#include "results/report/junit.h"
#include "results/report/noise_floor.h"
#include "results/report/whole_sweep.h"
#include "results/store/mask.h"
#include "results/store/store.h"
#include "results/store/writer_lock.h"
#include "runner/backend/launch.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/cli/rank_commands.h"
#include "runner/cli/signals.h"
#include "runner/cli/sweep_exit.h"
#include "runner/cli/sweep_start.h"
#include "runner/cli/terminal_progress.h"
#include "runner/host/environment.h"
#include "runner/host/installation.h"
#include "runner/host/relevant_variable.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/file_set.h"
#include "runner/sweep/frozen.h"
#include "runner/sweep/sweep.h"

namespace zs {
namespace {

// What a sweep is carried out with.
struct Ready {
  Installation installation;
  std::unique_ptr<GitLook> git;  // of the folder where the person stands
  AgentPool agents;
  std::unique_ptr<Preparation> preparation;
};

// Prepares the file of ARGUMENTS; what needs nothing of it is done while it is
// evaluated.
Result<Ready> GetReady(const Arguments& a) {
  ASSIGN_OR_RETURN(Installation installation, FindInstallation());
  Ready ready{.installation = installation,
              .git = nullptr,
              .agents = AgentPool({.agent_path = installation.agent}),
              .preparation = nullptr};
  Status read;
  ASSIGN_OR_RETURN(ready.preparation, PrepareFile(a, installation, [&] {
                     ready.git = std::make_unique<GitLook>(".");
                     read = ready.agents.ReadAgent();
                   }));
  RETURN_IF_ERROR(read);
  RETURN_IF_ERROR(SomethingIsLeft(ready.preparation->sweep()));
  return ready;
}

std::string Environment(const Ready& ready) {
  return DumpJson(results::MaskDocument(EnvironmentJson(
      ready.preparation->machine, ready.git->Take(), RelevantVariables())));
}

// The ZeRO stages among what was selected, by the names that they bear by
// custom.
std::vector<std::string> StagesOf(const Preparation& preparation) {
  std::vector<std::string> stages;
  for (const char* stage : {"z0", "z1", "z2"}) {
    for (size_t i = 0; i < preparation.facts.size(); ++i) {
      if (preparation.facts[i].selected &&
          preparation.sweep().experiments[i].name.starts_with(stage)) {
        stages.emplace_back(stage);
        break;
      }
    }
  }
  return stages;
}

// The stages, or, where other names were selected, the sweep as a whole as far
// as anything in it is compared.
void PrintComparison(const results::Reader& reader,
                     const Preparation& preparation, int64_t sweep_id) {
  const std::vector<std::string> stages = StagesOf(preparation);
  const auto comparison =
      stages.size() < 2 ? results::CompareSweep(reader, sweep_id, {})
                        : results::Compare(reader, stages,
                                           {.sweep = preparation.sweep().name});
  if (!comparison.ok()) {
    Complain(comparison.status(), 0);
    return;
  }
  const auto& all = comparison->experiments;
  if (std::any_of(all.begin(), all.end(),
                  [](const auto& e) { return !e.alone; })) {
    Print("\n" + results::WriteComparison(*comparison, results::Format::kTable,
                                          StdoutStyle()));
  }
}

// Whether --junit can be written once the sweep is over.
Status CheckJUnitPath(const std::string& path) {
  if (path.empty()) {
    return OkStatus();
  }
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return InvalidArgumentError("--junit " + path + ": there is no folder " +
                                folder + "; make it first");
  }
  if (std::filesystem::is_directory(path, error)) {
    return InvalidArgumentError("--junit " + path +
                                ": it is a folder; name a file in it");
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return InvalidArgumentError("--junit " + path + ": " + folder +
                                " is not writable");
  }
  return OkStatus();
}

Status WriteJUnit(const Arguments& a, const results::Reader& reader,
                  int64_t sweep_id) {
  if (a.junit.empty()) {
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string xml, results::JUnitXml(reader, sweep_id));
  return WriteFileAtomically(a.junit, xml);
}

// The programs of a sweep, frozen beside its artifacts.
struct Programs {
  std::string engine;
  std::string agent;
};

// What of the engine some experiment of SWEEP uses.
ProgramParts EnginePartsOf(const Sweep& sweep) {
  for (const Experiment& experiment : sweep.experiments) {
    if (RunsEngine(experiment) &&
        EnginePartsOn(experiment.device) == ProgramParts::kWithPlugins) {
      return ProgramParts::kWithPlugins;
    }
  }
  return ProgramParts::kAlone;
}

Result<Programs> FreezePrograms(const Installation& installation,
                                ProgramParts engine_parts,
                                const std::string& artifact_root) {
  Programs programs;
  const std::string folder = artifact_root + "/programs";
  ASSIGN_OR_RETURN(programs.engine,
                   Freeze(installation.engine, engine_parts, folder));
  ASSIGN_OR_RETURN(programs.agent,
                   Freeze(installation.agent, ProgramParts::kAlone, folder));
  return programs;
}

// Opens the record for writing and closes what a dead runner left open.
Result<std::unique_ptr<results::Store>> OpenStore(const Arguments& a,
                                                  SweepProgress& progress) {
  ASSIGN_OR_RETURN(
      auto store,
      results::Store::Open({.path = DatabasePath(a.db),
                            .wait_ms = static_cast<int64_t>(a.wait_s * 1e3)}));
  ASSIGN_OR_RETURN(const auto lost, store->Recover(RealClock().unix_ms()));
  for (const results::RunRow& run : lost) {
    progress.Note("run " + std::to_string(run.id) + " (" + run.experiment.name +
                  "): its runner died; recorded as lost");
  }
  return store;
}

// Requests to stop; from before the database is locked, since from then on
// others may ask.
struct Stopping {
  const StopSource& stop;
  const SignalWatch& signals;
};

// Where the first experiment that is to run, or whose nodes are asked whether
// it must, has its ranks; null: there is none.
const Topology* FirstTopology(const Preparation& preparation) {
  for (const size_t i : preparation.graph.order) {
    const Decision& decision = preparation.decisions[i];
    if ((decision.action == Action::kRun || decision.if_nodes_agree) &&
        preparation.facts[i].selected) {
      return &preparation.sweep().experiments[i].topology;
    }
  }
  return nullptr;
}

// Sets out for the nodes of the first experiment that is to run, so that they
// are reached while the record is written; whether that works is asked later.
void SetOut(Ready& ready) {
  if (const Topology* const to = FirstTopology(*ready.preparation)) {
    for (const std::string& node : to->nodes) {
      (void)ready.agents.Get(node, ReachOf(to->reach, node));
    }
  }
}

// The same before the record is opened for writing, which takes time where it
// is made. Not where all may be on record already, or somebody else writes it;
// and not for this host, whose agent is not frozen yet.
void SetOutAtOnce(const Arguments& a, Ready& ready) {
  const Topology* to = FirstTopology(*ready.preparation);
  if (to == nullptr || to->reach.empty() ||
      results::WriterLock::HolderOf(DatabasePath(a.db) + ".lock").ok()) {
    return;
  }
  const auto record = OpenRecordIfAny(a);
  if (!record.ok() ||
      (*record && !ConsultRecord(**record, *ready.preparation).ok())) {
    return;
  }
  to = FirstTopology(*ready.preparation);
  if (to != nullptr && !to->reach.empty()) {
    SetOut(ready);
  }
}

struct Ended {
  int exit_code = kExitOk;
  int64_t sweep_id = 0;
};

// All that follows the preparation: an error is one of the record.
Result<Ended> Execute(const Arguments& a, Ready& ready, results::Store& store,
                      SweepProgress& progress, const Stopping& stopping) {
  const std::string artifact_root = ArtifactRoot(a.db);
  ASSIGN_OR_RETURN(
      const Programs programs,
      FreezePrograms(ready.installation,
                     EnginePartsOf(ready.preparation->sweep()), artifact_root));
  ready.agents.StartFrom(programs.agent);
  SetOut(ready);
  // Read on the way to the nodes, not when they wait for it.
  KnownProgram engine(programs.engine);
  RETURN_IF_ERROR(CheckEngineIsKeyed(*ready.preparation, engine));
  SweepTools tools{.store = store,
                   .agents = ready.agents,
                   .stop = stopping.stop,
                   .progress = progress,
                   .clock = RealClock(),
                   .engine = engine,
                   .environment_json = Environment(ready)};
  const SweepRequest request{
      .artifact_root = artifact_root,
      .fail_fast = a.fail_fast,
      .start = SweepStartOf("run", a, *ready.preparation, RealClock()),
      .stop_after = &stopping.signals.stop_after()};
  ASSIGN_OR_RETURN(const SweepResult result,
                   RunSweep(tools, request, *ready.preparation));
  const int exit_code = ExitCodeOf(result, stopping.signals.signal());
  RETURN_IF_ERROR(store.EndSweep(result.sweep_id, RealClock().unix_ms(),
                                 exit_code, SummaryOf(result)));
  progress.Note(SummaryOf(result));
  RETURN_IF_ERROR(WriteJUnit(a, store.reader(), result.sweep_id));
  return Ended{exit_code, result.sweep_id};
}

// Opens the record, runs what READY has prepared and lets REPORT say what came
// of it: the exit code.
template <typename Report>
int Carry(const Arguments& a, Ready& ready, Report report) {
  TerminalProgress progress({.live = StderrIsTerminal(),
                             .color = StderrIsTerminal() && ColorIsWanted()},
                            RealClock());
  auto stop = StopSource::Create();
  if (!stop.ok()) {
    return Complain(stop.status(), kExitRequest);
  }
  const SignalWatch signals(*stop);
  SetOutAtOnce(a, ready);
  const auto store = OpenStore(a, progress);
  if (!store.ok()) {
    return Complain(store.status(), kExitRequest);
  }
  ShowNotes(*ready.preparation);
  if (const Status status =
          ConsultRecord((*store)->reader(), *ready.preparation);
      !status.ok()) {
    return Complain(status, kExitRequest);
  }
  const auto ended = Execute(a, ready, **store, progress, {*stop, signals});
  return ended.ok() ? report(**store, *ended)
                    : Complain(ended.status(), kExitIncomplete);
}

// Leaves one experiment selected: the one that --only names, else z0, else the
// first that is not excluded. It is run REPEATS times whatever is on record.
Status SelectForCalibration(const Arguments& a, Preparation& preparation) {
  std::vector<Experiment>& all = preparation.loaded.sweep.experiments;
  const std::string wanted = a.only.empty() ? "z0" : a.only.front();
  size_t chosen = all.size();
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].name == wanted) {
      chosen = i;
      break;
    }
    if (a.only.empty() && all[i].exclude.empty()) {
      chosen = i;
    }
  }
  if (a.only.size() > 1 || chosen == all.size()) {
    return InvalidArgumentError(
        "calibrate runs one experiment; name one that is there with --only");
  }
  all[chosen].repeats = a.repeats;
  all[chosen].until = UntilPlan();
  all[chosen].sentinel = false;
  for (size_t i = 0; i < all.size(); ++i) {
    preparation.facts[i].selected = i == chosen;
    preparation.facts[i].rerun = true;
  }
  return OkStatus();
}

// Measures, stores and prints the noise floor of the runs of SWEEP_ID.
Status StoreFloor(results::Store& store, int64_t sweep_id) {
  std::vector<int64_t> runs;
  ASSIGN_OR_RETURN(
      const auto rows,
      store.reader().Runs({.measurement = results::MeasurementState::kValid,
                           .sweep_id = sweep_id}));
  for (auto it = rows.rbegin(); it != rows.rend(); ++it) {
    runs.push_back(it->id);
  }
  ASSIGN_OR_RETURN(results::NoiseFloor floor,
                   results::MeasureFloor(store.reader(), runs));
  floor.at_unix_ms = RealClock().unix_ms();
  RETURN_IF_ERROR(store.AddNoiseFloor(floor));
  Print(results::FloorText(floor));
  return OkStatus();
}

}  // namespace

int CalibrateCommand(const Arguments& a) {
  auto ready = GetReady(a);
  if (!ready.ok()) {
    return Complain(ready.status(), kExitRequest);
  }
  if (const Status status = SelectForCalibration(a, *ready->preparation);
      !status.ok()) {
    return Complain(status, kExitRequest);
  }
  return Carry(a, *ready, [](results::Store& store, const Ended& ended) {
    const Status status = StoreFloor(store, ended.sweep_id);
    if (status.ok() || ended.exit_code != kExitOk) {
      return ended.exit_code;
    }
    return Complain(status, kExitNothingMeasured);
  });
}

int RunCommand(const Arguments& a) {
  if (const Status status = CheckJUnitPath(a.junit); !status.ok()) {
    return Complain(status, kExitRequest);
  }
  auto ready = GetReady(a);
  if (!ready.ok()) {
    return Complain(ready.status(), kExitRequest);
  }
  if (a.dry_run) {
    Print(RankCommandsText(*ready->preparation, ready->installation));
    return kExitOk;
  }
  return Carry(a, *ready, [&](results::Store& store, const Ended& ended) {
    PrintComparison(store.reader(), *ready->preparation, ended.sweep_id);
    return ended.exit_code;
  });
}

}  // namespace zs
