#include "results/report/lists.h"

#include "base/status_matchers.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "results/report/golden.h"
#include "results/report/junit.h"
#include "results/report/run_tables.h"
#include "results/report/sample_record.h"
#include "results/report/table_writer.h"
#include "results/report/text.h"

namespace zs::results {
namespace {

class ListsTest : public ::testing::Test {
 protected:
  // A run that passed, one that failed, one that goes on, one that was skipped.
  ListsTest() {
    std::vector<SampleRun> samples = ThreeStages();
    passed_ = record_.AddRun(samples[0]);
    samples[1].verdict = Verdict::kFail;
    record_.AddRun(samples[1]);
    SampleRun running = samples[2];
    running.name = "running";
    RunStart start;
    start.experiment_id = record_.AddExperiment(running);
    start.started_unix_ms = 1'700'000'020'000;
    EXPECT_OK(record_.store().BeginRun(start));
    EXPECT_OK(record_.store().SetNotRun(record_.AddExperiment(samples[2]),
                                        NotRun::kSkippedNeedFailed,
                                        "z1 & <friends> failed"));
  }

  SampleRecord record_;
  int64_t passed_ = 0;
};

TEST_F(ListsTest, RunsReadWell) {
  const auto runs = record_.reader().Runs({});
  ASSERT_OK(runs);
  ExpectGolden("runs.txt", WriteTables({RunsTable(*runs)}, Format::kTable, {}));
  EXPECT_NE(WriteTables({RunsTable({})}, Format::kTable, {}).find("no runs"),
            std::string::npos);
}

TEST_F(ListsTest, RunsFitANarrowTerminal) {
  const auto runs = record_.reader().Runs({});
  ASSERT_OK(runs);
  const std::string text =
      WriteTables({RunsTable(*runs)}, Format::kTable, {.width = 80});
  ExpectGolden("runs_80.txt", text);
  for (const std::string& line : Split(text, '\n')) {
    EXPECT_LE(DisplayWidth(line), 80) << line;
  }
}

TEST_F(ListsTest, SweepSaysWhatBecameOfEach) {
  const auto table = SweepTable(record_.reader(), record_.sweep_id());
  ASSERT_OK(table);
  ExpectGolden("sweep.txt", WriteTables({*table}, Format::kTable, {}));
  EXPECT_STATUS(SweepTable(record_.reader(), 99), StatusCode::kNotFound, "99");
}

TEST_F(ListsTest, OneRunReadsWell) {
  NodeRow node;
  node.host = "g0033";
  node.ranks = 2;
  RankRow rank;
  rank.exit_status = 70;
  rank.reason = "\x1b[31mred\x1b[0m";  // must not colour the terminal
  FindingRow finding;
  finding.severity = Severity::kError;
  finding.code = "nccl_timeout";
  finding.message = "watchdog caught collective operation timeout";
  finding.hint = "look at the slowest rank";
  RunStart start;
  start.experiment_id = record_.reader().Run(passed_)->experiment_id;
  const int64_t run = record_.store().BeginRun(start).value();
  EXPECT_OK(record_.store().AddNodes(run, {node}));
  EXPECT_OK(record_.store().AddRanks(run, {rank}));
  EXPECT_OK(record_.store().AddFindings(record_.sweep_id(), run, {finding}));
  EXPECT_OK(
      record_.store().AddArtifacts(run, {{"log", "/x/rank0.log", 5, ""}}));
  const auto hostile = RunTables(record_.reader(), run);
  ASSERT_OK(hostile);
  const std::string text = WriteTables(*hostile, Format::kTable, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[31mred"), std::string::npos);
  ExpectGolden("run_open.txt", text);

  const auto tables = RunTables(record_.reader(), passed_);
  ASSERT_OK(tables);
  ExpectGolden("run.txt", WriteTables(*tables, Format::kTable, {}));
  EXPECT_STATUS(RunTables(record_.reader(), 99), StatusCode::kNotFound,
                "no run 99");
}

TEST_F(ListsTest, JUnitHoldsReasons) {
  const auto xml = JUnitXml(record_.reader(), record_.sweep_id());
  ASSERT_OK(xml);
  ExpectGolden("junit.xml", *xml);
  EXPECT_STATUS(JUnitXml(record_.reader(), 99), StatusCode::kNotFound, "99");
}

}  // namespace
}  // namespace zs::results
