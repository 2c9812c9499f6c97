#include "runner/bundle/bundle.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/sample_record.h"
#include "runner/bundle/archive.h"

namespace zs {
namespace {

class BundleTest : public ::testing::Test {
 protected:
  BundleTest() {
    folder_ = ::testing::TempDir() + "/bundle" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    run_ = record_.AddRun(results::ThreeStages()[0]);
  }
  ~BundleTest() override { std::filesystem::remove_all(folder_); }

  ArchiveFiles Files(const ArchiveFiles& extra = {}) {
    auto files = BundleOf(record_.reader(), run_, "1.0", extra);
    EXPECT_OK(files);
    return *files;
  }

  std::string Written(const ArchiveFiles& files) {
    const auto bytes = MakeArchive(files);
    EXPECT_OK(bytes);
    std::string path = folder_ + "/x.tar.zst";
    EXPECT_OK(WriteFileAtomically(path, *bytes));
    return path;
  }

  std::string folder_;
  results::SampleRecord record_;
  int64_t run_ = 0;
};

TEST_F(BundleTest, GoesThroughTheArchive) {
  const ArchiveFiles files = Files({{"report.html", "<p>"}});
  const auto back = ReadArchive(Written(files));
  ASSERT_OK(back);
  EXPECT_EQ(*back, files);
  EXPECT_NE(files.at("steps.csv").find("step_ms"), std::string::npos);
  EXPECT_NE(files.at("experiment.json").find("global_batch"),
            std::string::npos);
}

TEST_F(BundleTest, TheSameRunGivesTheSameBytes) {
  EXPECT_EQ(*MakeArchive(Files()), *MakeArchive(Files()));
}

TEST_F(BundleTest, AWholeBundleHasNoFaults) {
  const auto check = CheckBundle(Files(), "1.0", {});
  ASSERT_OK(check);
  EXPECT_EQ(check->experiment, "z0");
  EXPECT_TRUE(check->faults.empty());
  EXPECT_TRUE(check->differences.empty());
  EXPECT_NE(check->again.find("--only z0"), std::string::npos);
}

TEST_F(BundleTest, ChangedMissingAndAddedFilesAreNamed) {
  ArchiveFiles files = Files();
  files["run.txt"] += "x";
  files.erase("steps.csv");
  files["extra"] = "";
  const auto check = CheckBundle(files, "1.0", {});
  ASSERT_OK(check);
  EXPECT_EQ(check->faults,
            (std::vector<std::string>{"run.txt is not what was written",
                                      "steps.csv is missing",
                                      "extra is not in the manifest"}));
}

TEST_F(BundleTest, WhatDiffersHereIsNamed) {
  ArchiveFiles files = Files();
  files["key.json"] = R"({"hardware": {"cores": 2}, "data": {"x": 1}})";
  const auto check =
      CheckBundle(files, "2.0", {{"hardware", R"({"cores":16})"}});
  ASSERT_OK(check);
  EXPECT_EQ(check->differences,
            (std::vector<std::string>{"runner: 1.0 -> 2.0",
                                      "hardware.cores: 2 -> 16"}));
}

TEST_F(BundleTest, APartThatTheRunDidNotKnowIsNoDifference) {
  ArchiveFiles files = Files();
  files["key.json"] = R"({"engine": {"a": 1}})";
  const auto check =
      CheckBundle(files, "1.0",
                  {{"engine", R"({"a":1})"}, {"hardware", R"({"cores":16})"}});
  ASSERT_OK(check);
  EXPECT_TRUE(check->differences.empty());
}

TEST_F(BundleTest, DamageIsNamed) {
  const std::string path = Written(Files());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto cut = ReadArchive(path);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(cut.status().message().find(path), std::string::npos);
  std::ofstream(path) << "no archive at all";
  EXPECT_FALSE(ReadArchive(path).ok());
  EXPECT_FALSE(ReadArchive(folder_ + "/none").ok());
  EXPECT_EQ(CheckBundle({}, "1.0", {}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(BundleTest, SecretsAreMasked) {
  const std::string log = folder_ + "/rank0.log";
  std::ofstream(log) << "HF_TOKEN=canary\n";
  results::SampleRun sample = results::ThreeStages()[1];
  results::RunStart start;
  start.experiment_id = record_.AddExperiment(sample);
  start.environment_json = R"({"HF_TOKEN": "canary"})";
  const auto run = record_.store().BeginRun(start);
  ASSERT_OK(run);
  ASSERT_OK(record_.store().AddArtifacts(
      *run, {{"log", log, 10, ""}, {"log", "/none.log", 1, ""}}));
  const auto files = BundleOf(record_.reader(), *run, "1.0", {});
  ASSERT_OK(files);
  for (const auto& [path, text] : *files) {
    EXPECT_EQ(text.find("canary"), std::string::npos) << path;
  }
  EXPECT_EQ(files->at("logs/rank0.log"), "HF_TOKEN=***\n");
  EXPECT_NE(files->at("manifest.json").find("/none.log"), std::string::npos);
}

}  // namespace
}  // namespace zs
