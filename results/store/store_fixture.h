// A store in a folder of its own, for tests.
#ifndef RESULTS_STORE_STORE_FIXTURE_H_
#define RESULTS_STORE_STORE_FIXTURE_H_

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/store.h"

namespace zs::results {

// With one sweep in it.
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

}  // namespace zs::results

#endif  // RESULTS_STORE_STORE_FIXTURE_H_
