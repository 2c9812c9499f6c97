#include "runner/sweep/gpu_recorder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/fake_clock.h"
#include "base/status_matchers.h"
#include "results/store/reader.h"

namespace zs {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

class GpuRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = ::testing::TempDir() + "/gpu_recorder";
    std::filesystem::remove_all(folder);
    auto opened = results::Store::Open({folder + "/x.db", 0});
    ASSERT_OK(opened);
    store_ = std::move(opened).value();
    results::SweepStart sweep;
    sweep.name = "s";
    const auto sweep_id = store_->BeginSweep(sweep);
    ASSERT_OK(sweep_id);
    results::Experiment experiment;
    experiment.name = "z0";
    experiment.key = "k";
    const auto ids = store_->AddExperiments(*sweep_id, {experiment});
    ASSERT_OK(ids);
    results::RunStart start;
    start.experiment_id = ids->front();
    const auto run = store_->BeginRun(start);
    ASSERT_OK(run);
    run_id_ = *run;
  }

  // GPU 2 of node 1 at second S.
  static results::GpuSample At(int64_t s, std::optional<int64_t> ecc) {
    results::GpuSample sample;
    sample.node_rank = 1;
    sample.gpu = 2;
    sample.at_unix_ms = s * 1000;
    sample.ecc_errors = ecc;
    return sample;
  }

  size_t Recorded() {
    return store_->reader().GpuSamples(run_id_).value().size();
  }

  std::unique_ptr<results::Store> store_;
  int64_t run_id_ = 0;
  FakeClock clock_;
};

TEST_F(GpuRecorderTest, WhatWasSampledIsInTheRecordSecondsLater) {
  GpuRecorder recorder(*store_, run_id_, clock_);
  for (int64_t s = 1; s <= 6; ++s) {
    recorder.Add({At(s, std::nullopt)});
    clock_.Advance(kSecondNs);
  }
  EXPECT_EQ(Recorded(), 6U);
  recorder.Add({At(7, std::nullopt)});
  EXPECT_EQ(Recorded(), 6U);
  EXPECT_OK(recorder.Finish());
  EXPECT_EQ(Recorded(), 7U);
  EXPECT_TRUE(recorder.Findings({"a", "b"}).empty());
}

TEST_F(GpuRecorderTest, MemoryErrorsOfTheRunAreFoundThoseBeforeAreNot) {
  GpuRecorder recorder(*store_, run_id_, clock_);
  recorder.Add({At(1, 4)});
  EXPECT_TRUE(recorder.Findings({"a", "b"}).empty());
  recorder.Add({At(2, 7)});
  const auto findings = recorder.Findings({"a", "b"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].node, "b");
  EXPECT_EQ(findings[0].severity, results::Severity::kError);
  EXPECT_EQ(findings[0].message,
            "GPU 2: 3 uncorrected memory errors during the run");
}

}  // namespace
}  // namespace zs
