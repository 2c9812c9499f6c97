#include "runner/sweep/plan_notes.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "runner/backend/drivers.h"
#include "runner/observe/env/lint.h"

namespace zs {
namespace {

std::vector<std::string> NamesIn(const char* folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Without it srun keeps back what is no whole line, and answers are none.
void NoteBufferedSrun(const std::vector<std::string>& reach,
                      std::vector<PlanNote>& notes) {
  const auto has = [&reach](const char* word) {
    return std::find(reach.begin(), reach.end(), word) != reach.end();
  };
  if (has("srun") && !has("--unbuffered") && !has("-u")) {
    notes.push_back({.is_error = true,
                     .field = "topology.reach",
                     .message = "srun without --unbuffered passes on whole "
                                "lines alone, so that no answer of a node "
                                "would arrive; write 'srun', '--unbuffered'"});
  }
}

}  // namespace

HostNames NamesOfThisHost() {
  return {.interfaces = NamesIn("/sys/class/net"),
          .hcas = NamesIn("/sys/class/infiniband")};
}

std::vector<PlanNote> NotesOn(
    const Experiment& experiment, const HostNames& host,
    const std::map<std::string, std::string>& inherited) {
  std::vector<PlanNote> notes;
  const BackendDriver* const driver = DriverOf(experiment.backend);
  if (driver == nullptr) {
    notes.push_back({.is_error = true,
                     .field = "backend",
                     .message = "this runner has no backend \"" +
                                std::string(BackendName(experiment.backend)) +
                                "\""});
  } else {
    notes = driver->Examine(experiment);
  }
  NoteBufferedSrun(experiment.topology.reach, notes);
  LintContext context;
  context.nodes = static_cast<int>(experiment.topology.nodes.size());
  if (experiment.topology.reach.empty()) {
    context.interfaces = host.interfaces;
    context.hcas = host.hcas;
  }
  Environment environment(experiment.env.begin(), experiment.env.end());
  environment.insert(inherited.begin(), inherited.end());
  for (EnvironmentIssue& issue : LintEnvironment(environment, context)) {
    notes.push_back(
        {.is_error = issue.is_error,
         .field =
             (experiment.env.contains(issue.name) ? "env." : "inherited ") +
             issue.name,
         .message = std::move(issue.message)});
  }
  return notes;
}

std::string NoteText(const Experiment& experiment, const PlanNote& note) {
  return "experiment '" + experiment.name + "': " + note.field + ": " +
         note.message;
}

}  // namespace zs
