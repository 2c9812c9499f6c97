#include "results/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "results/store/database_error.h"

namespace zs::results {
namespace {

// How long SQLite waits where another program has locked the file.
constexpr int kBusyTimeoutMs = 10'000;
// Longer texts than this are refused, whoever wrote the file.
constexpr int kMaxValueBytes = 64 << 20;

// Whether PATH is a regular file; kNotFound where there is nothing. By stat
// alone: closing a descriptor of the file would drop SQLite's locks.
Status CheckRegularFile(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, path);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError(
        path + ": not a regular file; give the results database with --db");
  }
  return OkStatus();
}

// Makes an empty file that only its owner can read, before SQLite makes one
// for all. Nobody has it open yet, or it would exist.
Status CreatePrivately(const std::string& path) {
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return errno == EEXIST ? OkStatus() : ErrnoError(errno, "create " + path);
  }
  ::close(fd);
  return OkStatus();
}

// PATH as a file: URI that promises that nobody writes.
std::string ImmutableUri(const std::string& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const unsigned char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '/' || c == '.' ||
                       c == '-' || c == '_';
    if (plain) {
      uri += static_cast<char>(c);
    } else {
      uri += '%';
      uri += kHex[c >> 4];
      uri += kHex[c & 15];
    }
  }
  return uri + "?immutable=1";
}

// A database in WAL mode on a medium where its -shm cannot be made (a read-only
// folder): readable only as a file that nobody writes, which holds when there
// is no -wal.
bool MayBeImmutable(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return ::access(folder.c_str(), W_OK) != 0 &&
         ::access((path + "-wal").c_str(), F_OK) != 0;
}

struct Opened {
  sqlite3* handle = nullptr;
  int code = SQLITE_OK;
};

Opened OpenHandle(const std::string& name, int flags) {
  Opened opened;
  opened.code = sqlite3_open_v2(name.c_str(), &opened.handle, flags, nullptr);
  return opened;
}

Status CloseAndExplain(const Opened& opened, const std::string& path) {
  const int error =
      opened.handle == nullptr ? 0 : sqlite3_system_errno(opened.handle);
  const std::string detail = opened.handle == nullptr
                                 ? sqlite3_errstr(opened.code)
                                 : sqlite3_errmsg(opened.handle);
  sqlite3_close_v2(opened.handle);
  return DatabaseError(path, opened.code, error, detail);
}

}  // namespace

Statement::~Statement() {
  if (database_ == nullptr) {
    return;
  }
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  database_->idle_.emplace(std::move(sql_), handle_);
}

Statement::Statement(Statement&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      sql_(std::move(other.sql_)),
      handle_(other.handle_) {}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  return database_->ErrorOf(code);
}

Status Statement::Run() {
  RETURN_IF_ERROR(Step());
  sqlite3_reset(handle_);
  return OkStatus();
}

// The binding calls below fail only for an index that the SQL does not have
// or without memory; Step reports what matters of that.
void Statement::BindValue(int index, int64_t value) {
  sqlite3_bind_int64(handle_, index, value);
}
void Statement::BindValue(int index, int value) {
  sqlite3_bind_int64(handle_, index, value);
}
void Statement::BindValue(int index, double value) {
  sqlite3_bind_double(handle_, index, value);
}
void Statement::BindValue(int index, std::string_view value) {
  sqlite3_bind_text64(handle_, index, value.data(), value.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Statement::BindNull(int index) {
  sqlite3_bind_null(handle_, index);
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}
void Statement::ReadValue(int column, int64_t& value) const {
  value = sqlite3_column_int64(handle_, column);
}
void Statement::ReadValue(int column, int& value) const {
  value = sqlite3_column_int(handle_, column);
}
void Statement::ReadValue(int column, double& value) const {
  value = sqlite3_column_double(handle_, column);
}
void Statement::ReadValue(int column, std::string& value) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  value.clear();
  if (text != nullptr) {
    value.assign(reinterpret_cast<const char*>(text),
                 static_cast<size_t>(sqlite3_column_bytes(handle_, column)));
  }
}

Database::Database(std::string path, sqlite3* handle)
    : path_(std::move(path)), handle_(handle) {}

Database::~Database() {
  for (const auto& [sql, statement] : idle_) {
    sqlite3_finalize(statement);
  }
  sqlite3_close_v2(handle_);
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 Mode mode) {
  if (path.empty()) {
    return InvalidArgumentError("no path given for the results database");
  }
  // An absolute path: ":memory:" and "file:x" are ordinary names then.
  std::error_code error;
  const std::string full = std::filesystem::absolute(path, error).string();
  if (error) {
    return ErrnoError(error.value(), path);
  }
  if (mode == Mode::kReadWrite) {
    RETURN_IF_ERROR(CreatePrivately(full));
  }
  RETURN_IF_ERROR(CheckRegularFile(full));
  const int flags =
      mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  Opened opened = OpenHandle(full, flags | SQLITE_OPEN_NOMUTEX);
  if (opened.code != SQLITE_OK) {
    return CloseAndExplain(opened, path);
  }
  auto database = std::unique_ptr<Database>(new Database(path, opened.handle));
  Status status = database->Harden(mode);
  if (!status.ok() && mode == Mode::kReadOnly && MayBeImmutable(full)) {
    opened = OpenHandle(ImmutableUri(full),
                        flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI);
    if (opened.code != SQLITE_OK) {
      return CloseAndExplain(opened, path);
    }
    database.reset(new Database(path, opened.handle));
    status = database->Harden(mode);
  }
  RETURN_IF_ERROR(status);
  return database;
}

// Ends with a read, so that what is no database is found here.
Status Database::Harden(Mode mode) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  RETURN_IF_ERROR(
      Execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON"));
  if (mode == Mode::kReadOnly) {
    RETURN_IF_ERROR(Execute("PRAGMA query_only = ON"));
  }
  return Execute("SELECT count(*) FROM sqlite_schema");
}

Status Database::Execute(const std::string& sql) {
  const int code =
      sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? OkStatus() : ErrorOf(code);
}

Result<Statement> Database::Prepare(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) {
    Statement statement(*this, found->first, found->second);
    idle_.erase(found);
    return statement;
  }
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) {
    return ErrorOf(code);
  }
  return Statement(*this, std::string(sql), handle);
}

Result<int64_t> Database::QueryInt(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (!found) {
    return NotFoundError(path_ + ": no row for " + std::string(sql));
  }
  int64_t value = 0;
  statement.Read(value);
  return value;
}

int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

Status Database::ErrorOf(int code) const {
  return DatabaseError(path_, code, sqlite3_system_errno(handle_),
                       sqlite3_errmsg(handle_));
}

Status Database::CopyTo(const std::string& to) {
  RETURN_IF_ERROR(CreatePrivately(to));
  const Opened target = OpenHandle(to, SQLITE_OPEN_READWRITE);
  if (target.code != SQLITE_OK) {
    return CloseAndExplain(target, to);
  }
  sqlite3_backup* backup =
      sqlite3_backup_init(target.handle, "main", handle_, "main");
  if (backup != nullptr) {
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  const int code = sqlite3_extended_errcode(target.handle);
  if (code != SQLITE_OK) {
    return CloseAndExplain({target.handle, code}, to);
  }
  sqlite3_close_v2(target.handle);
  return OkStatus();
}

Result<Transaction> Transaction::Begin(Database& database) {
  RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ != nullptr) {
    // Some errors have rolled back already; then this one changes nothing.
    (void)database_->Execute("ROLLBACK");
  }
}

Status Transaction::Commit() {
  RETURN_IF_ERROR(database_->Execute("COMMIT"));
  database_ = nullptr;
  return OkStatus();
}

}  // namespace zs::results
