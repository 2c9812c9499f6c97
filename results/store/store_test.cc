#include "results/store/store.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/store" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    path_ = folder_ + "/deep/x.db";
    Open();
    SweepStart sweep;
    sweep.name = "qwen";
    sweep.args_json = R"(["run", "--token=abc"])";
    sweep.started_unix_ms = 1000;
    sweep_id_ = store_->BeginSweep(sweep).value();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Open() {
    auto opened = Store::Open({path_, 0});
    ASSERT_OK(opened);
    store_ = std::move(opened).value();
  }

  int64_t Add(const std::string& name, const std::string& key) {
    Experiment e;
    e.name = name;
    e.key = key;
    e.needs = {"smoke"};
    e.zero_requested = 1;
    e.spec_json = R"({"env": {"HF_TOKEN": "canary"}})";
    auto ids = store_->AddExperiments(sweep_id_, {e});
    EXPECT_OK(ids);
    return ids->front();
  }

  int64_t Begin(int64_t experiment_id) {
    RunStart start;
    start.experiment_id = experiment_id;
    start.started_unix_ms = 2000;
    start.environment_json = R"({"kernel": "6.1", "WANDB_API_KEY": "canary"})";
    start.comm_theory = {{"all_reduce", 800}};
    start.predictions = {{"step", 12.5, "here"}};
    start.mem_predicted = Memory(0, 1600);
    auto id = store_->BeginRun(start);
    EXPECT_OK(id);
    return id.ok() ? *id : 0;
  }

  static MemoryRow Memory(int rank, int64_t total) {
    MemoryRow row;
    row.rank = rank;
    row.total = total;
    return row;
  }

  static RunOutcome Passed() {
    RunOutcome outcome;
    outcome.process = ProcessState::kExited;
    outcome.process_reason = "all ranks ended with status 0";
    outcome.measurement = MeasurementState::kValid;
    outcome.verdict = Verdict::kPass;
    outcome.ended_unix_ms = 5000;
    outcome.final_loss = 2.5;
    return outcome;
  }

  static StepRow Step(int64_t number, double ms) {
    StepRow step;
    step.step = number;
    step.step_ms = ms;
    step.tokens = 4096;
    step.comm = {{"all_reduce", 2, 800, 1.5}};
    return step;
  }

  const Reader& reader() { return store_->reader(); }

  std::string folder_;
  std::string path_;
  std::unique_ptr<Store> store_;
  int64_t sweep_id_ = 0;
};

TEST_F(StoreTest, RunIsThereBeforeItStartsAndWholeAtItsEnd) {
  const int64_t run = Begin(Add("z1", "k1"));
  const auto before = reader().Run(run);
  ASSERT_OK(before);
  EXPECT_FALSE(before->outcome.has_value());
  EXPECT_EQ(before->attempt, 1);
  EXPECT_EQ(before->sweep, "qwen");
  EXPECT_EQ(before->experiment.needs, std::vector<std::string>{"smoke"});

  Effective effective;
  effective.zero_stage = 0;
  effective.world_size = 2;
  EXPECT_OK(store_->SetEffective(run, effective));
  EXPECT_OK(store_->AppendSteps(run, {Step(1, 30), Step(2, 10)}));
  EXPECT_OK(store_->FinishRun(run, {Step(3, 12)}, Passed()));

  const auto after = reader().Run(run);
  ASSERT_OK(after);
  ASSERT_TRUE(after->outcome.has_value());
  EXPECT_EQ(after->outcome->process, ProcessState::kExited);
  EXPECT_EQ(after->outcome->measurement, MeasurementState::kValid);
  EXPECT_EQ(after->outcome->verdict, Verdict::kPass);
  EXPECT_EQ(after->outcome->final_loss, 2.5);
  EXPECT_EQ(after->ended_unix_ms, 5000);
  EXPECT_EQ(after->steps_recorded, 3);
  EXPECT_EQ(after->experiment.zero_requested, 1);
  EXPECT_EQ(after->effective.zero_stage, 0);
  EXPECT_EQ(after->effective.accumulation, std::nullopt);
}

TEST_F(StoreTest, FinishedRunsDoNotChange) {
  const int64_t run = Begin(Add("z1", "k1"));
  ASSERT_OK(store_->FinishRun(run, {}, Passed()));
  EXPECT_STATUS(store_->FinishRun(run, {}, Passed()),
                StatusCode::kFailedPrecondition, "finished already");
  EXPECT_STATUS(store_->AppendSteps(run, {Step(1, 1)}),
                StatusCode::kFailedPrecondition, "finished already");
  EXPECT_STATUS(store_->AppendSteps(99, {Step(1, 1)}), StatusCode::kNotFound,
                "run 99");
}

TEST_F(StoreTest, NothingIsRecordedTwice) {
  const int64_t experiment = Add("z1", "k1");
  RunStart start;
  start.experiment_id = experiment;
  start.attempt = 1;
  ASSERT_OK(store_->BeginRun(start));
  EXPECT_STATUS(store_->BeginRun(start), StatusCode::kAlreadyExists, path_);
  start.attempt = 0;
  const auto next = store_->BeginRun(start);
  ASSERT_OK(next);
  EXPECT_EQ(reader().Run(*next)->attempt, 2);

  Experiment again;
  again.name = "z1";
  again.key = "other";
  EXPECT_STATUS(store_->AddExperiments(sweep_id_, {again}),
                StatusCode::kAlreadyExists, "experiment 'z1'");
}

TEST_F(StoreTest, BatchSentAgainReplacesItself) {
  const int64_t run = Begin(Add("z1", "k1"));
  EXPECT_OK(store_->AppendSteps(run, {Step(1, 30), Step(2, 10)}));
  EXPECT_OK(store_->AppendSteps(run, {Step(2, 11), Step(3, 12)}));
  const auto times = reader().StepTimes(run, {2, 3});
  ASSERT_OK(times);
  ASSERT_EQ(times->size(), 2u);
  EXPECT_EQ((*times)[0].step_ms, 11);
  const auto comm = reader().Communication(run, {2, 3});
  ASSERT_OK(comm);
  ASSERT_EQ(comm->size(), 1u);
  EXPECT_EQ(comm->front().steps, 2);
  EXPECT_EQ(comm->front().bytes, 1600);
  EXPECT_EQ(comm->front().calls, 4);
}

TEST_F(StoreTest, NotANumberIsNotUnknown) {
  const int64_t run = Begin(Add("z1", "k1"));
  StepRow step = Step(1, 10);
  step.loss = std::nan("");
  step.grad_norm = std::numeric_limits<double>::infinity();
  EXPECT_OK(store_->AppendSteps(run, {step, Step(2, 10)}));
  const auto steps = reader().Steps(run, {});
  ASSERT_OK(steps);
  ASSERT_TRUE((*steps)[0].loss.has_value());
  EXPECT_TRUE(std::isnan(*(*steps)[0].loss));
  EXPECT_EQ((*steps)[0].grad_norm, std::numeric_limits<double>::infinity());
  EXPECT_FALSE((*steps)[1].loss.has_value());
}

TEST_F(StoreTest, RunOfADeadRunnerIsClosedAsLost) {
  const int64_t experiment = Add("z1", "k1");
  const int64_t with_steps = Begin(experiment);
  const int64_t without = Begin(experiment);
  const int64_t finished = Begin(experiment);
  EXPECT_OK(store_->AppendSteps(with_steps, {Step(1, 10)}));
  EXPECT_OK(store_->FinishRun(finished, {}, Passed()));
  store_.reset();  // as a killed runner leaves it
  Open();
  const auto lost = store_->Recover(9000);
  ASSERT_OK(lost);
  ASSERT_EQ(lost->size(), 2u);
  const auto first = reader().Run(with_steps);
  EXPECT_EQ(first->outcome->process, ProcessState::kLost);
  EXPECT_EQ(first->outcome->process_reason, "runner died");
  EXPECT_EQ(first->outcome->measurement, MeasurementState::kIncomplete);
  EXPECT_EQ(first->outcome->verdict, Verdict::kUndecided);
  EXPECT_EQ(reader().Run(without)->outcome->measurement,
            MeasurementState::kNoData);
  EXPECT_EQ(reader().Run(finished)->outcome->verdict, Verdict::kPass);
  EXPECT_EQ(reader().Sweep(sweep_id_)->exit_code, 6);
  EXPECT_TRUE(store_->Recover(9001)->empty());
}

TEST_F(StoreTest, NewestValidRunOfAKeyIsFound) {
  const int64_t experiment = Add("z1", "k1");
  EXPECT_STATUS(reader().NewestValidRun("k1", true), StatusCode::kNotFound,
                "k1");
  const int64_t passed = Begin(experiment);
  EXPECT_OK(store_->FinishRun(passed, {}, Passed()));
  const int64_t failed = Begin(experiment);
  RunOutcome outcome = Passed();
  outcome.verdict = Verdict::kFail;
  EXPECT_OK(store_->FinishRun(failed, {}, outcome));
  const int64_t invalid = Begin(experiment);
  outcome.measurement = MeasurementState::kInvalidLoss;
  EXPECT_OK(store_->FinishRun(invalid, {}, outcome));
  Begin(experiment);  // still running
  EXPECT_EQ(reader().NewestValidRun("k1", true)->id, passed);
  EXPECT_EQ(reader().NewestValidRun("k1", false)->id, failed);
}

TEST_F(StoreTest, WhatWasNotRunSaysWhy) {
  const int64_t run = Begin(Add("z0", "k0"));
  const int64_t cached = Add("z1", "k1");
  const int64_t skipped = Add("z2", "k2");
  EXPECT_OK(store_->SetNotRun(cached, NotRun::kCached, "passed before", run));
  EXPECT_OK(store_->SetNotRun(skipped, NotRun::kSkippedNeedFailed, "needs z1"));
  EXPECT_STATUS(store_->SetNotRun(99, NotRun::kCached, "", 0),
                StatusCode::kNotFound, "99");
  const auto rows = reader().Experiments(sweep_id_);
  ASSERT_OK(rows);
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[0].newest_run_id, run);
  EXPECT_EQ((*rows)[1].not_run, NotRun::kCached);
  EXPECT_EQ((*rows)[1].cached_run_id, run);
  EXPECT_EQ((*rows)[2].not_run_reason, "needs z1");
  EXPECT_EQ((*rows)[2].cached_run_id, std::nullopt);
}

TEST_F(StoreTest, SecretsAreNowhereInTheFile) {
  const int64_t run = Begin(Add("z1", "k1"));
  RunOutcome outcome = Passed();
  outcome.process_reason = "curl https://me:canary@host failed";
  FindingRow finding;
  finding.code = "x";
  finding.message = "PASSWORD=canary";
  finding.evidence = "TOKEN=canary";
  EXPECT_OK(store_->AddFindings(sweep_id_, run, {finding}));
  EXPECT_OK(store_->FinishRun(run, {}, outcome));
  EXPECT_EQ(reader().EnvironmentJson(run).value(),
            R"({"WANDB_API_KEY":"***","kernel":"6.1"})");
  store_.reset();
  std::ifstream file(path_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(bytes.find("WANDB_API_KEY"), std::string::npos);
  EXPECT_EQ(bytes.find("canary"), std::string::npos);
  EXPECT_EQ(bytes.find("--token=abc"), std::string::npos);
}

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

TEST_F(StoreTest, SecondStoreLearnsWhoHoldsIt) {
  EXPECT_STATUS(Store::Open({path_, 0}), StatusCode::kUnavailable,
                "process " + std::to_string(::getpid()));
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

TEST_F(StoreTest, BadRowsAreRefusedWhole) {
  const int64_t experiment = Add("z1", "k1");
  RunStart start;
  start.experiment_id = experiment;
  start.environment_json = "{";
  EXPECT_STATUS(store_->BeginRun(start), StatusCode::kInvalidArgument,
                "environment_json");
  start.environment_json = "{}";
  start.experiment_id = 99;
  EXPECT_STATUS(store_->BeginRun(start), StatusCode::kNotFound, "99");
  EXPECT_TRUE(reader().Runs({})->empty());
  Experiment orphan;
  orphan.name = "a";
  orphan.key = "k";
  EXPECT_STATUS(store_->AddExperiments(99, {orphan}), StatusCode::kNotFound,
                path_);
  EXPECT_STATUS(store_->EndSweep(99, 1, 0, ""), StatusCode::kNotFound, "99");
  const int64_t run = Begin(experiment);
  EXPECT_FALSE(store_->AppendSteps(run, {Step(1, 1), Step(-1, 1)}).ok());
  EXPECT_EQ(reader().Run(run)->steps_recorded, 0);
}

}  // namespace
}  // namespace zs::results
