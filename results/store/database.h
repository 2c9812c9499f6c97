// SQLite behind our Status: handles that close themselves, statements that are
// prepared once, errors that name the file and the remedy.
#ifndef RESULTS_STORE_DATABASE_H_
#define RESULTS_STORE_DATABASE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace zs::results {

class Database;

// A prepared statement, borrowed from its database; goes back, reset, at the
// end of its life. Bind and Read take their values in the order of the SQL.
class Statement {
 public:
  Statement(Database& database, std::string sql, sqlite3_stmt* handle)
      : database_(&database), sql_(std::move(sql)), handle_(handle) {}
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  // Binds the parameters from the first one on. Texts are copied. An empty
  // optional is NULL.
  template <typename... Values>
  Statement& Bind(const Values&... values) {
    int index = 0;
    (BindValue(++index, values), ...);
    return *this;
  }

  // To the next row: false when there is none.
  Result<bool> Step();

  // Runs a statement that gives no rows, and makes it ready for the next Bind.
  Status Run();

  // The columns of the row from the first one on. NULL reads as an empty
  // optional, 0 or an empty text.
  template <typename... Values>
  void Read(Values&... values) {
    next_column_ = 0;
    ReadMore(values...);
  }
  // The columns after those that were read.
  template <typename... Values>
  void ReadMore(Values&... values) {
    (ReadValue(next_column_++, values), ...);
  }

 private:
  void BindValue(int index, int64_t value);
  void BindValue(int index, int value);
  void BindValue(int index, double value);
  void BindValue(int index, std::string_view value);
  template <typename T>
  void BindValue(int index, const std::optional<T>& value) {
    if (value) {
      BindValue(index, *value);
    } else {
      BindNull(index);
    }
  }
  void BindNull(int index);
  bool IsNull(int column) const;
  void ReadValue(int column, int64_t& value) const;
  void ReadValue(int column, int& value) const;
  void ReadValue(int column, double& value) const;
  void ReadValue(int column, std::string& value) const;
  template <typename T>
  void ReadValue(int column, std::optional<T>& value) const {
    value.reset();
    if (!IsNull(column)) {
      ReadValue(column, value.emplace());
    }
  }

  Database* database_;  // null after a move
  std::string sql_;
  sqlite3_stmt* handle_;
  int next_column_ = 0;
};

// A connection. Not thread-safe. Statements must not outlive it.
class Database {
 public:
  enum class Mode {
    kReadOnly,   // the file must be there
    kReadWrite,  // made, with mode 0600, if it is absent
  };

  // Opens the file and hardens the connection (trusted_schema off,
  // cell_size_check on, foreign keys on, no attached databases). Says nothing
  // about whose database it is.
  static Result<std::unique_ptr<Database>> Open(const std::string& path,
                                                Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }

  // Runs one or more statements that need no values.
  Status Execute(const std::string& sql);

  Result<Statement> Prepare(std::string_view sql);

  // The single number that SQL gives; kNotFound where it gives no row.
  Result<int64_t> QueryInt(std::string_view sql);

  int64_t last_insert_id() const;

  // Copies all of this database to a new file at TO by SQLite's backup API.
  Status CopyTo(const std::string& to);

  // The error of the call that just failed with CODE.
  Status ErrorOf(int code) const;

 private:
  friend class Statement;
  Database(std::string path, sqlite3* handle);
  Status Harden(Mode mode);

  std::string path_;
  sqlite3* handle_;
  std::multimap<std::string, sqlite3_stmt*, std::less<>> idle_;  // by SQL
};

// BEGIN IMMEDIATE ... COMMIT; rolls back unless committed. A deferred
// transaction would meet SQLITE_BUSY_SNAPSHOT, which no timeout waits for.
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null once committed or moved from
};

// READ of every row that STATEMENT gives.
template <typename Row>
Result<std::vector<Row>> Collect(Statement& statement,
                                 Row (*read)(Statement&)) {
  std::vector<Row> rows;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, statement.Step());
    if (!more) {
      return rows;
    }
    rows.push_back(read(statement));
  }
}

}  // namespace zs::results

#endif  // RESULTS_STORE_DATABASE_H_
