#include "results/store/database.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/db" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/x.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Database> Make() {
    auto made = Database::Open(path_, Database::Mode::kReadWrite);
    EXPECT_OK(made);
    EXPECT_OK((*made)->Execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, b TEXT UNIQUE)"));
    return std::move(made).value();
  }

  std::string folder_;
  std::string path_;
};

TEST_F(DatabaseTest, OnlyItsOwnerMayReadWhatItMakes) {
  Make();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
}

TEST_F(DatabaseTest, ValuesComeBack) {
  const auto database = Make();
  {
    auto insert = database->Prepare("INSERT INTO t (a, b) VALUES (?, ?)");
    ASSERT_OK(insert);
    EXPECT_OK(insert->Bind(1.5, std::string("a\0b", 3)).Run());
    EXPECT_OK(insert->Bind(std::optional<double>(), "x").Run());
    EXPECT_OK(insert->Bind(std::nan(""), "nan").Run());
  }
  auto select = database->Prepare("SELECT id, a, b FROM t ORDER BY id");
  ASSERT_OK(select);
  int64_t id = 0;
  std::optional<double> a;
  std::string b;
  ASSERT_TRUE(select->Step().value());
  select->Read(id, a, b);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(a, 1.5);
  EXPECT_EQ(b, std::string("a\0b", 3));
  ASSERT_TRUE(select->Step().value());
  select->Read(id, a, b);
  EXPECT_EQ(a, std::nullopt);
  ASSERT_TRUE(select->Step().value());
  select->Read(id, a, b);
  EXPECT_EQ(a, std::nullopt);  // SQLite has no NaN
  EXPECT_FALSE(select->Step().value());
}

TEST_F(DatabaseTest, TransactionRollsBackUnlessCommitted) {
  const auto database = Make();
  {
    auto transaction = Transaction::Begin(*database);
    ASSERT_OK(transaction);
    EXPECT_OK(database->Execute("INSERT INTO t (b) VALUES ('lost')"));
  }
  {
    auto transaction = Transaction::Begin(*database);
    ASSERT_OK(transaction);
    EXPECT_OK(database->Execute("INSERT INTO t (b) VALUES ('kept')"));
    EXPECT_OK(transaction->Commit());
  }
  EXPECT_EQ(database->QueryInt("SELECT count(*) FROM t").value(), 1);
}

TEST_F(DatabaseTest, SameRowTwiceAlreadyExists) {
  const auto database = Make();
  EXPECT_OK(database->Execute("INSERT INTO t (b) VALUES ('x')"));
  EXPECT_STATUS(database->Execute("INSERT INTO t (b) VALUES ('x')"),
                StatusCode::kAlreadyExists, path_);
}

TEST_F(DatabaseTest, FullDiskSaysWhatToDo) {
  const auto database = Make();
  EXPECT_OK(database->Execute("PRAGMA max_page_count = 4"));
  EXPECT_STATUS(
      database->Execute("INSERT INTO t (b) VALUES (hex(zeroblob(40000)))"),
      StatusCode::kResourceExhausted, path_ + ": the disk is full");
}

TEST_F(DatabaseTest, ReadOnlyNeverMakesOrWrites) {
  EXPECT_STATUS(Database::Open(path_, Database::Mode::kReadOnly),
                StatusCode::kNotFound, path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
  Make();
  const auto reader = Database::Open(path_, Database::Mode::kReadOnly);
  ASSERT_OK(reader);
  EXPECT_STATUS((*reader)->Execute("INSERT INTO t (b) VALUES ('x')"),
                StatusCode::kPermissionDenied, "--db");
}

TEST_F(DatabaseTest, TextIsNoDatabase) {
  std::ofstream(path_) << std::string(5000, 'x');
  for (const auto mode :
       {Database::Mode::kReadOnly, Database::Mode::kReadWrite}) {
    EXPECT_STATUS(Database::Open(path_, mode), StatusCode::kFailedPrecondition,
                  path_ + ": not an SQLite database");
  }
}

TEST_F(DatabaseTest, FoldersAndPipesAreRefusedAtOnce) {
  EXPECT_STATUS(Database::Open(folder_, Database::Mode::kReadOnly),
                StatusCode::kFailedPrecondition, "not a regular file");
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_STATUS(Database::Open(path_, Database::Mode::kReadWrite),
                StatusCode::kFailedPrecondition, "not a regular file");
  EXPECT_STATUS(Database::Open("", Database::Mode::kReadOnly),
                StatusCode::kInvalidArgument, "no path");
}

TEST_F(DatabaseTest, DamageIsNamed) {
  {
    const auto database = Make();
    EXPECT_OK(database->Execute(
        "INSERT INTO t (b) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
        " SELECT i + 1 FROM n WHERE i < 5000) SELECT 'row ' || i FROM n"));
  }
  {
    std::fstream file(path_, std::ios::in | std::ios::out);
    file.seekp(4096);
    file << std::string(20000, '\xff');
  }
  auto damaged = Database::Open(path_, Database::Mode::kReadOnly);
  if (damaged.ok()) {
    EXPECT_STATUS((*damaged)->QueryInt("SELECT count(a) FROM t"),
                  StatusCode::kDataLoss, path_ + ": damaged");
  } else {
    EXPECT_STATUS(damaged, StatusCode::kDataLoss, path_ + ": damaged");
  }
}

TEST_F(DatabaseTest, OrdinaryNamesStayOrdinary) {
  const std::string old = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const char* name : {":memory:", "file:x?mode=memory", "a%20b#c"}) {
    EXPECT_OK(Database::Open(name, Database::Mode::kReadWrite));
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + name)) << name;
  }
  std::filesystem::current_path(old);
}

TEST_F(DatabaseTest, CopyHoldsWhatTheOriginalHolds) {
  const auto database = Make();
  EXPECT_OK(database->Execute("INSERT INTO t (b) VALUES ('x')"));
  EXPECT_OK(database->CopyTo(folder_ + "/copy.db"));
  const auto copy =
      Database::Open(folder_ + "/copy.db", Database::Mode::kReadOnly);
  ASSERT_OK(copy);
  EXPECT_EQ((*copy)->QueryInt("SELECT count(*) FROM t").value(), 1);
}

TEST_F(DatabaseTest, AttachingAnotherFileIsOff) {
  const auto database = Make();
  EXPECT_FALSE(database->Execute("ATTACH '" + folder_ + "/y.db' AS y").ok());
}

}  // namespace
}  // namespace zs::results
