// The versions of the schema and the way from one to the next.
#ifndef RESULTS_STORE_SCHEMA_H_
#define RESULTS_STORE_SCHEMA_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/database.h"

namespace zs::results {

// "zswp": marks our files (PRAGMA application_id).
inline constexpr int kApplicationId = 0x7A737770;

// A step from the version before to `version`.
struct Migration {
  int version = 0;
  std::string sql;
};

// What this program knows; the last one's version is its own.
const std::vector<Migration>& Migrations();

// The version of the schema in DATABASE, 0 where it is empty.
// kFailedPrecondition where it belongs to another program (its mark or its
// tables are not ours).
Result<int> SchemaVersion(Database& database);

// Brings DATABASE to the last of MIGRATIONS in one transaction and makes the
// views anew. A database that held something is copied first, to
// PATH.v<VERSION>. kFailedPrecondition, with nothing changed, where it is newer
// than that.
Status Migrate(Database& database, const std::vector<Migration>& migrations);

}  // namespace zs::results

#endif  // RESULTS_STORE_SCHEMA_H_
