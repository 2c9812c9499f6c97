#include "results/store/schema.h"

#include <unistd.h>

#include <filesystem>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

class SchemaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/schema" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/x.db";
    auto made = Database::Open(path_, Database::Mode::kReadWrite);
    ASSERT_OK(made);
    database_ = std::move(made).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  int64_t Query(const std::string& sql) {
    return database_->QueryInt(sql).value();
  }

  std::string folder_;
  std::string path_;
  std::unique_ptr<Database> database_;
};

std::vector<Migration> WithOneMore() {
  std::vector<Migration> migrations = Migrations();
  migrations.push_back({migrations.back().version + 1,
                        "ALTER TABLE sweeps ADD COLUMN budget_s REAL"});
  return migrations;
}

TEST_F(SchemaTest, MakesAnEmptyDatabaseOurs) {
  EXPECT_EQ(SchemaVersion(*database_).value(), 0);
  ASSERT_OK(Migrate(*database_, Migrations()));
  EXPECT_EQ(SchemaVersion(*database_).value(), Migrations().back().version);
  EXPECT_EQ(Query("SELECT count(*) FROM v_latest"), 0);
  EXPECT_EQ(Query("SELECT count(*) FROM v_experiments"), 0);
  // Nothing was there to be copied.
  EXPECT_FALSE(std::filesystem::exists(path_ + ".v0"));
}

TEST_F(SchemaTest, AllTablesAreStrict) {
  ASSERT_OK(Migrate(*database_, Migrations()));
  EXPECT_EQ(Query("SELECT count(*) FROM pragma_table_list"
                  " WHERE schema = 'main' AND type = 'table' AND strict = 0"
                  " AND name NOT LIKE 'sqlite%'"),
            0);
}

TEST_F(SchemaTest, MigratesForwardAndKeepsACopy) {
  ASSERT_OK(Migrate(*database_, Migrations()));
  ASSERT_OK(database_->Execute(
      "INSERT INTO sweeps VALUES (1,'s','f','[]','v','h',1,1,1,NULL,NULL,'')"));
  ASSERT_OK(Migrate(*database_, WithOneMore()));
  EXPECT_EQ(Query("SELECT count(*) FROM sweeps WHERE budget_s IS NULL"), 1);
  EXPECT_EQ(Query("PRAGMA user_version"), WithOneMore().back().version);

  const auto copy =
      Database::Open(path_ + ".v" + std::to_string(Migrations().back().version),
                     Database::Mode::kReadOnly);
  ASSERT_OK(copy);
  EXPECT_EQ(SchemaVersion(**copy).value(), Migrations().back().version);
  EXPECT_EQ((*copy)->QueryInt("SELECT count(*) FROM sweeps").value(), 1);
}

TEST_F(SchemaTest, FailedMigrationChangesNothing) {
  ASSERT_OK(Migrate(*database_, Migrations()));
  std::vector<Migration> migrations = WithOneMore();
  migrations.back().sql += "; DROP TABLE nobody";
  EXPECT_FALSE(Migrate(*database_, migrations).ok());
  EXPECT_EQ(SchemaVersion(*database_).value(), Migrations().back().version);
  EXPECT_EQ(Query("SELECT count(*) FROM pragma_table_info('sweeps')"
                  " WHERE name = 'budget_s'"),
            0);
}

TEST_F(SchemaTest, RefusesANewerSchema) {
  ASSERT_OK(Migrate(*database_, WithOneMore()));
  EXPECT_STATUS(Migrate(*database_, Migrations()),
                StatusCode::kFailedPrecondition, "written by a newer version");
}

TEST_F(SchemaTest, RefusesAnotherProgramsDatabase) {
  ASSERT_OK(database_->Execute("CREATE TABLE theirs (a)"));
  EXPECT_STATUS(Migrate(*database_, Migrations()),
                StatusCode::kFailedPrecondition, "another program");
  EXPECT_EQ(Query("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(SchemaTest, RefusesAViewInPlaceOfATable) {
  ASSERT_OK(Migrate(*database_, Migrations()));
  std::vector<std::string> tables;
  {
    auto find = database_->Prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite%'");
    ASSERT_OK(find);
    while (*find->Step()) {
      find->Read(tables.emplace_back());
    }
  }
  EXPECT_GT(tables.size(), 15u);
  for (const std::string& table : tables) {
    ASSERT_OK(database_->Execute("ALTER TABLE " + table + " RENAME TO aside"));
    ASSERT_OK(database_->Execute("CREATE VIEW " + table + " AS SELECT 1 AS a"));
    EXPECT_STATUS(SchemaVersion(*database_), StatusCode::kFailedPrecondition,
                  "another program")
        << table;
    ASSERT_OK(database_->Execute("DROP VIEW " + table));
    ASSERT_OK(database_->Execute("ALTER TABLE aside RENAME TO " + table));
  }
  EXPECT_OK(SchemaVersion(*database_));
}

TEST_F(SchemaTest, ViewsOfPeopleAreLeftAlone) {
  ASSERT_OK(Migrate(*database_, Migrations()));
  ASSERT_OK(database_->Execute("CREATE VIEW mine AS SELECT * FROM runs"));
  EXPECT_OK(SchemaVersion(*database_));
}

}  // namespace
}  // namespace zs::results
