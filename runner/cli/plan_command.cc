// plan and explain: what would be run, and why.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "results/report/table.h"
#include "results/report/table_writer.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/cli/rank_commands.h"
#include "runner/plan/describe.h"
#include "runner/plan/key.h"
#include "runner/plan/select.h"

namespace zs {
namespace {

results::Table AsTable(TextTable text) {
  results::Table table;
  table.title = std::move(text.title);
  for (size_t i = 0; i < text.columns.size(); ++i) {
    table.columns.push_back({.name = text.columns[i],
                             .header = text.columns[i],
                             .right = text.is_number[i],
                             .whole = i == 0});
  }
  for (std::vector<std::string>& row : text.rows) {
    std::vector<results::Cell> cells;
    for (std::string& word : row) {
      cells.push_back(results::TextCell(std::move(word)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// The preparation with what the record knows.
Result<Prepared> PrepareWithRecord(const Arguments& a) {
  ASSIGN_OR_RETURN(Prepared prepared, PrepareHere(a));
  ASSIGN_OR_RETURN(const auto reader, OpenRecordIfAny(a));
  if (reader != nullptr) {
    RETURN_IF_ERROR(ConsultRecord(*reader, *prepared.preparation));
  }
  return prepared;
}

Result<std::string> ShowText(const Arguments& a,
                             const Installation& installation,
                             Preparation& preparation) {
  std::vector<std::string> names;
  for (const Experiment& experiment : preparation.sweep().experiments) {
    names.push_back(experiment.name);
  }
  ASSIGN_OR_RETURN(const std::vector<size_t> matched,
                   MatchNames(a.show, names));
  std::string text;
  for (const size_t i : matched) {
    const Experiment& experiment = preparation.sweep().experiments[i];
    text += RankCommandsText(experiment, installation,
                             preparation.inherited.Of(experiment));
  }
  return text;
}

// [{"field", "message"}].
Json NotesJson(const std::vector<PlanNote>& notes) {
  Json json = Json::array();
  for (const PlanNote& note : notes) {
    json.push_back({{"field", note.field}, {"message", note.message}});
  }
  return json;
}

Result<std::string> PlanText(const Arguments& a,
                             const Preparation& preparation) {
  const std::vector<PlanRow> rows =
      PlanRows(preparation.graph, preparation.decisions, preparation.derived);
  if (a.format == "json") {
    Json json = PlanJson(preparation.sweep(), rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      json["experiments"][i]["notes"] =
          NotesJson(preparation.notes[rows[i].index]);
    }
    return DumpJsonPretty(json) + "\n";
  }
  ASSIGN_OR_RETURN(const results::Format format,
                   results::ParseFormat(a.format));
  std::vector<results::Table> tables;
  for (TextTable& table : PlanTables(preparation.sweep(), rows)) {
    tables.push_back(AsTable(std::move(table)));
  }
  return results::WriteTables(tables, format, StdoutStyle());
}

// Why NAME would be run, or not: the decision and what changed in its key.
Result<std::string> ExplainText(const Arguments& a,
                                const Preparation& preparation,
                                const results::Reader* reader) {
  std::vector<std::string> names;
  for (const Experiment& experiment : preparation.sweep().experiments) {
    names.push_back(experiment.name);
  }
  ASSIGN_OR_RETURN(const std::vector<size_t> matched,
                   MatchNames(a.name, names));
  std::string text;
  for (const size_t i : matched) {
    const Decision& decision = preparation.decisions[i];
    text += names[i] + ": " + std::string(ActionName(decision.action)) + ", " +
            decision.reason + "\n  key " + preparation.keys[i].hash + "\n";
    if (reader == nullptr) {
      continue;
    }
    ASSIGN_OR_RETURN(const auto before,
                     PastParts(*reader, preparation.sweep().name, names[i]));
    if (before.empty()) {
      text += "  never run before under this name\n";
      continue;
    }
    const bool unasked = preparation.facts[i].nodes_unasked;
    const auto& parts = preparation.keys[i].parts;
    const auto differences =
        unasked ? ExplainKnown(before, parts) : Explain(before, parts);
    for (const Difference& difference : differences) {
      text += "  " + ToString(difference) + "\n";
    }
    if (unasked) {
      text +=
          "  versions, programs and hardware of its nodes are part of the key, "
          "too: they are asked when it is run\n";
    }
    if (differences.empty()) {
      text += unasked ? "  nothing else changed since the last run\n"
                      : "  nothing changed since the last run\n";
    }
  }
  return text;
}

int PrintOrComplain(const Result<std::string>& text) {
  if (!text.ok()) {
    return Complain(text.status(), kExitRequest);
  }
  Print(*text);
  return kExitOk;
}

}  // namespace

int PlanCommand(const Arguments& a) {
  const auto prepared = PrepareWithRecord(a);
  if (!prepared.ok()) {
    return Complain(prepared.status(), kExitRequest);
  }
  ShowNotes(*prepared->preparation);
  return PrintOrComplain(a.show.empty() ? PlanText(a, *prepared->preparation)
                                        : ShowText(a, prepared->installation,
                                                   *prepared->preparation));
}

int ExplainCommand(const Arguments& a) {
  const auto prepared = PrepareWithRecord(a);
  if (!prepared.ok()) {
    return Complain(prepared.status(), kExitRequest);
  }
  const auto reader = OpenRecordIfAny(a);
  if (!reader.ok()) {
    return Complain(reader.status(), kExitRequest);
  }
  return PrintOrComplain(ExplainText(a, *prepared->preparation, reader->get()));
}

}  // namespace zs
