// list and show: what is on record.
#include "results/report/lists.h"
#include "results/report/run_tables.h"
#include "results/report/table.h"
#include "results/report/table_writer.h"
#include "results/store/reader.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/find_run.h"
#include "runner/cli/output.h"

namespace zs {
int ListCommand(const Arguments& a) {
  const auto reader = OpenRecord(a.db);
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  const auto format = results::ParseFormat(a.format);
  if (!format.ok()) {
    return Complain(format.status(), kExitRequest);
  }
  const auto runs = (*reader)->Runs({.sweep = a.sweep});
  if (!runs.ok()) {
    return Complain(runs.status(), kExitRequest);
  }
  Print(results::WriteTables({results::RunsTable(*runs)}, *format,
                             StdoutStyle()));
  return kExitOk;
}

int ShowCommand(const Arguments& a) {
  const auto reader = OpenRecord(a.db);
  if (!reader.ok()) {
    return Complain(reader.status(), kExitNothingMeasured);
  }
  const auto format = results::ParseFormat(a.format);
  if (!format.ok()) {
    return Complain(format.status(), kExitRequest);
  }
  const auto run_id = FindRun(**reader, a.run);
  if (!run_id.ok()) {
    return Complain(run_id.status(), kExitRequest);
  }
  const auto tables = results::RunTables(**reader, *run_id);
  if (!tables.ok()) {
    return Complain(tables.status(), kExitRequest);
  }
  Print(results::WriteTables(*tables, *format, StdoutStyle()));
  return kExitOk;
}

}  // namespace zs
