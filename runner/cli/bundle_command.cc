// bundle and verify: a run in one archive, and what of it holds here.
#include <map>
#include <string>

#include "base/files.h"
#include "base/json.h"
#include "results/store/reader.h"
#include "runner/bundle/archive.h"
#include "runner/bundle/bundle.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"
#include "runner/cli/page.h"
#include "runner/cli/version.h"
#include "runner/host/installation.h"
#include "runner/host/machine.h"
#include "runner/reach/file_set.h"
#include "runner/sweep/surroundings.h"

namespace zs {
namespace {

// The page of the run's experiment, where its run counts.
ArchiveFiles Report(const results::Reader& reader, int64_t run_id) {
  const auto run = reader.Run(run_id);
  if (!run.ok()) {
    return {};
  }
  PageRequest request;
  request.compare = {run->experiment.name};
  request.options.sweep = run->sweep;
  const auto page = MakePage(reader, request);
  return page.ok() ? ArchiveFiles{{"report.html", page->html}} : ArchiveFiles{};
}

Result<std::string> Bundle(const Arguments& a) {
  ASSIGN_OR_RETURN(const auto reader,
                   results::Reader::Open(DatabasePath(a.db)));
  ASSIGN_OR_RETURN(const int64_t run_id, FindRun(*reader, a.run));
  ASSIGN_OR_RETURN(
      const ArchiveFiles files,
      BundleOf(*reader, run_id, kRunnerVersion, Report(*reader, run_id)));
  ASSIGN_OR_RETURN(const std::string bytes, MakeArchive(files));
  const std::string path = a.output.empty()
                               ? "run-" + std::to_string(run_id) + ".tar.zst"
                               : a.output;
  RETURN_IF_ERROR(WriteFileAtomically(path, bytes));
  return path + ": run " + std::to_string(run_id) + ", " +
         std::to_string(files.size()) + " files, " +
         std::to_string(bytes.size()) + " bytes\n";
}

// What decides which parts of a bundled run's key this host can compare with.
struct BundledRun {
  std::string backend = "engine";
  std::string device = "cpu";
  bool elsewhere = false;  // its ranks were not on the host that started it
};

std::string TextIn(const Json& object, const char* name,
                   const std::string& otherwise) {
  const Json value = object.value(name, Json());
  return value.is_string() ? value.get<std::string>() : otherwise;
}

BundledRun BundledRunIn(const ArchiveFiles& files) {
  BundledRun run;
  const auto experiment = files.find("experiment.json");
  const auto json = experiment == files.end()
                        ? Result<Json>(NotFoundError("experiment.json"))
                        : ParseJson(experiment->second);
  if (!json.ok() || !json->is_object()) {
    return run;
  }
  run.backend = TextIn(*json, "backend", run.backend);
  run.device = TextIn(*json, "device", run.device);
  const Json topology = json->value("topology", Json());
  run.elsewhere =
      topology.is_object() && !topology.value("reach", Json()).empty();
  return run;
}

// The parts of a key of RUN as they would be here.
Result<std::map<std::string, std::string>> PartsHere(
    const Installation& installation, const BundledRun& run) {
  std::map<std::string, std::string> parts;
  const bool own = run.backend == BackendName(Backend::kEngine) ||
                   run.backend == BackendName(Backend::kCollectives);
  if (own) {
    KnownProgram engine(installation.engine);
    ASSIGN_OR_RETURN(parts["engine"], EngineContent(engine, run.device));
  }
  if (!run.elsewhere) {
    ASSIGN_OR_RETURN(const Machine machine, ThisMachine());
    const Surroundings now = SurroundingsOf(
        machine, own ? installation.engine : "", own ? run.device : "");
    parts["software"] = now.software;
    parts["hardware"] = now.hardware;
  }
  return parts;
}

Result<BundleCheck> Check(const Arguments& a) {
  ASSIGN_OR_RETURN(const ArchiveFiles files, ReadArchive(a.figure.path));
  std::map<std::string, std::string> here;
  const auto installation = FindInstallation();
  if (installation.ok()) {
    ASSIGN_OR_RETURN(here, PartsHere(*installation, BundledRunIn(files)));
  }
  auto check = CheckBundle(files, kRunnerVersion, here);
  return check.ok() ? check : check.status().WithContext(a.figure.path);
}

std::string TextOf(const BundleCheck& check) {
  std::string text;
  for (const std::string& fault : check.faults) {
    text += "damaged: " + fault + "\n";
  }
  for (const std::string& difference : check.differences) {
    text += "differs here: " + difference + "\n";
  }
  if (text.empty()) {
    text = "whole, and nothing differs here\n";
  } else if (check.faults.empty()) {
    text += "the archive is whole\n";
  }
  return check.experiment + "\n" + text + "again: " + check.again + "\n";
}

}  // namespace

int BundleCommand(const Arguments& arguments) {
  const auto text = Bundle(arguments);
  if (!text.ok()) {
    return Complain(text.status(), kExitRequest);
  }
  Print(*text);
  return kExitOk;
}

int VerifyCommand(const Arguments& arguments) {
  const auto check = Check(arguments);
  if (!check.ok()) {
    return Complain(check.status(), kExitRequest);
  }
  Print(TextOf(*check));
  if (!check->faults.empty()) {
    return kExitRequest;
  }
  return check->differences.empty() ? kExitOk : kExitFailed;
}

}  // namespace zs
