#include "results/store/schema.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "results/store/schema_sql.h"

namespace zs::results {
namespace {

// A hostile file could have views or virtual tables under the names that we
// read, and so run what it likes. (Triggers are off.)
constexpr std::string_view kForeignObjects =
    "SELECT count(*) FROM sqlite_schema"
    " WHERE name IN ('sweeps', 'experiments', 'environments', 'runs', 'nodes',"
    " 'ranks', 'steps', 'collectives', 'comm_theory', 'memory',"
    " 'predictions', 'gpu_samples',"
    " 'checks', 'findings', 'artifacts', 'baselines', 'noise_floors')"
    " AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%')";

Status Apply(Database& database, const std::vector<Migration>& migrations,
             int version) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  for (const Migration& migration : migrations) {
    if (migration.version > version) {
      RETURN_IF_ERROR(database.Execute(migration.sql));
    }
  }
  RETURN_IF_ERROR(database.Execute(kViewsSql));
  RETURN_IF_ERROR(database.Execute("PRAGMA application_id = " +
                                   std::to_string(kApplicationId)));
  RETURN_IF_ERROR(database.Execute("PRAGMA user_version = " +
                                   std::to_string(migrations.back().version)));
  return transaction.Commit();
}

// Whole or not at all: a copy that a crash cut short never has the final name.
Status KeepCopy(Database& database, int version) {
  const std::string path = database.path() + ".v" + std::to_string(version);
  const std::string temporary = path + ".tmp." + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  Status status = database.CopyTo(temporary);
  if (status.ok()) {
    status = SyncPath(temporary);
  }
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = ErrnoError(errno, "rename to " + path);
  }
  ::unlink(temporary.c_str());
  return status.WithContext("copy the database before its schema changes");
}

}  // namespace

const std::vector<Migration>& Migrations() {
  static const std::vector<Migration> migrations = {{1, kSchemaSql}};
  return migrations;
}

Result<int> SchemaVersion(Database& database) {
  ASSIGN_OR_RETURN(const int64_t mark,
                   database.QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version,
                   database.QueryInt("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t objects,
                   database.QueryInt("SELECT count(*) FROM sqlite_schema"));
  if (mark == 0 && version == 0 && objects == 0) {
    return 0;
  }
  ASSIGN_OR_RETURN(const int64_t foreign, database.QueryInt(kForeignObjects));
  if (mark != kApplicationId || version < 1 || foreign != 0) {
    return FailedPreconditionError(
        database.path() +
        ": a database of another program; it is left as it is: give the "
        "results database with --db");
  }
  return static_cast<int>(version);
}

Status Migrate(Database& database, const std::vector<Migration>& migrations) {
  ASSIGN_OR_RETURN(const int version, SchemaVersion(database));
  const int newest = migrations.back().version;
  if (version > newest) {
    return FailedPreconditionError(
        database.path() + ": written by a newer version (schema " +
        std::to_string(version) + ", this program knows up to " +
        std::to_string(newest) + "); use the newer program or another --db");
  }
  if (version == newest) {
    return OkStatus();
  }
  if (version > 0) {
    RETURN_IF_ERROR(KeepCopy(database, version));
  }
  return Apply(database, migrations, version);
}

}  // namespace zs::results
