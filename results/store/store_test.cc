#include "results/store/store.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/store_fixture.h"

namespace zs::results {
namespace {

TEST_F(StoreTest, NodesAndFolderOfARunAreOnRecordWithIt) {
  RunStart start;
  start.experiment_id = Add("z1", "k");
  start.nodes = {{.node_rank = 0, .host = "g0033", .ranks = 8}};
  start.artifacts = {{.kind = "folder", .path = "/runs/z1/1.1"}};
  const auto id = store_->BeginRun(start);
  ASSERT_OK(id);
  const auto nodes = store_->reader().Nodes(*id);
  ASSERT_OK(nodes);
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->front().host, "g0033");
  EXPECT_FALSE(nodes->front().clean.has_value());
  EXPECT_EQ(store_->reader().Artifacts(*id).value().front().path,
            "/runs/z1/1.1");
}

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

TEST_F(StoreTest, StepsCanBeTakenBackWhileTheRunGoesOn) {
  const int64_t run = Begin(Add("z1", "k1"));
  const int64_t other = Begin(Add("z2", "k2"));
  ASSERT_OK(store_->AppendSteps(run, {Step(1, 30), Step(2, 10)}));
  ASSERT_OK(store_->AppendSteps(other, {Step(1, 30)}));
  EXPECT_OK(store_->ForgetSteps(run));
  EXPECT_TRUE(reader().Steps(run, {})->empty());
  EXPECT_EQ(reader().Steps(other, {})->size(), 1U);
  ASSERT_OK(store_->FinishRun(run, {Step(1, 5)}, Passed()));
  EXPECT_STATUS(store_->ForgetSteps(run), StatusCode::kFailedPrecondition,
                "finished already");
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
  // Its one step took 10 ms; when somebody looked says nothing of the run.
  EXPECT_EQ(first->ended_unix_ms, first->started_unix_ms + 10);
  EXPECT_EQ(reader().Run(without)->outcome->measurement,
            MeasurementState::kNoData);
  EXPECT_EQ(reader().Run(finished)->outcome->verdict, Verdict::kPass);
  EXPECT_EQ(reader().Sweep(sweep_id_)->exit_code, 6);
  EXPECT_TRUE(store_->Recover(9001)->empty());
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

TEST_F(StoreTest, SecondStoreLearnsWhoHoldsIt) {
  EXPECT_STATUS(Store::Open({path_, 0}), StatusCode::kUnavailable,
                "process " + std::to_string(::getpid()));
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
