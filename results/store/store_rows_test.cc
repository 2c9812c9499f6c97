// What is written comes back, whole and by what was asked for.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "results/store/store_fixture.h"

namespace zs::results {
namespace {

TEST_F(StoreTest, RowsOfARunComeBack) {
  const int64_t run = Begin(Add("z1", "k1"));
  EXPECT_OK(store_->AddNodes(run, {{0, "g0033", 8, "{}", "cgroup"}}));
  RankRow started;
  started.pid = 42;
  RankRow second;
  second.rank = 1;
  EXPECT_OK(store_->AddRanks(run, {started, second}));
  RankRow ended;
  ended.exit_status = 70;
  ended.reason = "peer lost";
  EXPECT_OK(store_->AddRanks(run, {ended}));
  EXPECT_OK(store_->AddMemory(run, {Memory(0, 100), Memory(1, 120)}));
  GpuSample sample;
  sample.gpu = 3;
  sample.util_pct = 99.5;
  sample.power_cap_w = 700;
  sample.ecc_errors = 2;
  EXPECT_OK(store_->AppendGpuSamples(run, {sample}));
  EXPECT_OK(store_->AddArtifacts(run, {{"log", "/x/log", 10, ""}}));
  CheckRow check;
  check.name = "disk_space";
  check.status = CheckStatus::kWarn;
  EXPECT_OK(store_->AddChecks(sweep_id_, 0, {check}));

  EXPECT_EQ(reader().Nodes(run)->at(0).host, "g0033");
  const auto ranks = reader().Ranks(run);
  ASSERT_EQ(ranks->size(), 2u);
  EXPECT_EQ(ranks->at(0).pid, 42);
  EXPECT_EQ(ranks->at(0).exit_status, 70);
  EXPECT_EQ(ranks->at(0).reason, "peer lost");
  EXPECT_EQ(ranks->at(1).pid, std::nullopt);
  EXPECT_EQ(reader().Memory(run, MemoryKind::kMeasured)->at(1).total, 120);
  EXPECT_EQ(reader().Memory(run, MemoryKind::kPredicted)->at(0).total, 1600);
  EXPECT_EQ(reader().Theory(run)->at(0).bytes_per_step, 800);
  EXPECT_EQ(reader().Predictions(run)->at(0).term, "step");
  EXPECT_EQ(reader().Predictions(run)->at(0).value, 12.5);
  EXPECT_EQ(reader().Predictions(run)->at(0).profile, "here");
  EXPECT_TRUE(reader().Bandwidths(run)->empty());
  EXPECT_EQ(reader().GpuSamples(run)->at(0).util_pct, 99.5);
  EXPECT_EQ(reader().GpuSamples(run)->at(0).power_cap_w, 700);
  EXPECT_EQ(reader().GpuSamples(run)->at(0).ecc_errors, 2);
  EXPECT_EQ(reader().Artifacts(run)->at(0).path, "/x/log");
  EXPECT_EQ(reader().Checks(sweep_id_)->at(0).status, CheckStatus::kWarn);
}

TEST_F(StoreTest, RunsAreFiltered) {
  const int64_t z0 = Begin(Add("z0", "k0"));
  const int64_t z1 = Begin(Add("z1_r2", "k1"));
  EXPECT_OK(store_->FinishRun(z0, {}, Passed()));
  const auto ids = [&](const RunFilter& filter) {
    std::vector<int64_t> found;
    const auto runs = reader().Runs(filter);
    for (const RunRow& run : runs.value()) {
      found.push_back(run.id);
    }
    return found;
  };
  using Ids = std::vector<int64_t>;
  RunFilter filter;
  EXPECT_EQ(ids(filter), (Ids{z1, z0}));
  filter.limit = 1;
  EXPECT_EQ(ids(filter), Ids{z1});
  filter = {};
  filter.experiment = "z1*";
  EXPECT_EQ(ids(filter), Ids{z1});
  filter = {};
  filter.verdict = Verdict::kPass;
  EXPECT_EQ(ids(filter), Ids{z0});
  filter = {};
  filter.sweep = "other";
  EXPECT_EQ(ids(filter), Ids{});
  filter = {};
  filter.key = "k0";
  filter.sweep_id = sweep_id_;
  EXPECT_EQ(ids(filter), Ids{z0});
}

TEST_F(StoreTest, AKeyIsCompletedBeforeTheFirstRun) {
  const int64_t experiment = Add("z1", "asked");
  EXPECT_OK(store_->AddNodeAnswers(sweep_id_, experiment,
                                   {{}, "whole", R"({"software": "13"})"}));
  const auto run = reader().Run(Begin(experiment));
  ASSERT_OK(run);
  EXPECT_EQ(run->experiment.key, "whole");
  EXPECT_EQ(run->experiment.key_parts_json, R"({"software":"13"})");
  RunFilter filter;
  filter.key = "whole";
  EXPECT_EQ(reader().Runs(filter)->size(), 1U);
  EXPECT_EQ(store_->AddNodeAnswers(sweep_id_, 99, {{}, "k", "{}"}).code(),
            StatusCode::kNotFound);
}

TEST_F(StoreTest, NewestExperimentsComeByName) {
  Add("z1", "old");
  SweepStart sweep;
  sweep.name = "qwen";
  sweep_id_ = store_->BeginSweep(sweep).value();
  Add("z1", "new");
  sweep.name = "other";
  sweep_id_ = store_->BeginSweep(sweep).value();
  Add("z1", "else");
  EXPECT_EQ(reader().NewestExperiments("qwen")->at(0).experiment.key, "new");
  EXPECT_EQ(reader().NewestExperiments("")->at(0).experiment.key, "else");
  EXPECT_TRUE(reader().NewestExperiments("nobody")->empty());
}

TEST_F(StoreTest, ReadersSeeOneMoment) {
  const int64_t experiment = Add("z1", "k1");
  const auto other = Reader::Open(path_);
  ASSERT_OK(other);
  {
    const auto snapshot = (*other)->TakeSnapshot();
    ASSERT_OK(snapshot);
    EXPECT_TRUE((*other)->Runs({})->empty());
    Begin(experiment);  // not held up by the reader
    EXPECT_TRUE((*other)->Runs({})->empty());
  }
  EXPECT_EQ((*other)->Runs({})->size(), 1u);
}

}  // namespace
}  // namespace zs::results
