#include "results/store/database_error.h"

#include <sqlite3.h>

#include <cerrno>

namespace zs::results {
namespace {

Status ConstraintError(const std::string& path, int code,
                       const std::string& detail) {
  const std::string message = path + ": " + detail;
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
      return AlreadyExistsError(message + " (recorded before)");
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return NotFoundError(message + " (refers to a row that is not there)");
    default:
      return InvalidArgumentError(message);
  }
}

Status DiskFull(const std::string& path) {
  return ResourceExhaustedError(
      path +
      ": the disk is full; nothing recorded before is lost: free some space "
      "and give the same command again");
}

Status InputOutputError(const std::string& path, int system_error,
                        const std::string& detail) {
  if (system_error == ENOSPC || system_error == EDQUOT) {
    return DiskFull(path);
  }
  const std::string message =
      path + ": " + detail + "; the disk or file system fails, see dmesg";
  return system_error == 0
             ? DataLossError(message)
             : DataLossError(ErrnoError(system_error, message).message());
}

Status CannotOpen(const std::string& path, int system_error,
                  const std::string& detail) {
  if (system_error == ENOSPC || system_error == EDQUOT) {
    return DiskFull(path);
  }
  if (system_error == 0) {
    return FailedPreconditionError(path + ": " + detail);
  }
  return ErrnoError(system_error, path + ": cannot open the database");
}

}  // namespace

Status DatabaseError(const std::string& path, int code, int system_error,
                     const std::string& detail) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return DiskFull(path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Status(StatusCode::kPermissionDenied,
                    path + ": may not be written (" + detail +
                        "); make file and folder writable or give another "
                        "place with --db");
    case SQLITE_NOTADB:
      return FailedPreconditionError(
          path +
          ": not an SQLite database; give the results database with --db");
    case SQLITE_CORRUPT:
      return DataLossError(path + ": damaged (" + detail +
                           "); keep a copy and save what is readable with "
                           "sqlite3's .recover");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return UnavailableError(path +
                              ": another program keeps it locked; end it and "
                              "give the same command again");
    case SQLITE_CANTOPEN:
      return CannotOpen(path, system_error, detail);
    case SQLITE_IOERR:
      return InputOutputError(path, system_error, detail);
    case SQLITE_NOMEM:
      return ResourceExhaustedError(path + ": out of memory");
    case SQLITE_CONSTRAINT:
      return ConstraintError(path, code, detail);
    default:
      return InternalError(path + ": " + detail);
  }
}

}  // namespace zs::results
