#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/export/mlflow.h"
#include "results/export/openmetrics.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() {
    for (const SampleRun& sample : ThreeStages()) {
      record_.AddRun(sample);
    }
  }
  std::vector<ExportedRun> Runs() {
    auto runs = ReadExportedRuns(record_.reader(), "");
    EXPECT_OK(runs);
    return *runs;
  }
  SampleRecord record_;
};

TEST_F(ExportTest, OpenMetricsHasASampleForEachRunAndEnds) {
  const std::string text = OpenMetricsText(Runs());
  EXPECT_NE(
      text.find("zerosweep_final_loss{sweep=\"qwen\",experiment=\"z0\",run="
                "\"1\",model=\"gpt_smoke\",zero_stage=\"0\",world_size=\"2\","
                "device=\"cpu\"} 3.7000000000000002 1700000012.500\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("# TYPE zerosweep_tokens_per_s gauge\n"),
            std::string::npos);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  EXPECT_EQ(OpenMetricsText({}), "# EOF\n");
}

// A name that two sweeps share is two experiments.
TEST_F(ExportTest, EverySweepKeepsItsRuns) {
  record_.BeginSweep("other");
  SampleRun broken = ThreeStages()[0];
  broken.global_batch = 16;
  broken.measurement = MeasurementState::kNoData;
  record_.AddRun(broken);
  SampleRun z1 = ThreeStages()[1];
  z1.global_batch = 16;
  record_.AddRun(z1);
  std::vector<std::string> names;
  for (const ExportedRun& run : Runs()) {
    names.push_back(run.run.sweep + "/" + run.summary.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"other/z1", "qwen/z0", "qwen/z1",
                                             "qwen/z2"}));
}

TEST_F(ExportTest, OpenMetricsEscapesLabels) {
  auto runs = Runs();
  runs.resize(1);
  runs[0].run.experiment.model = "a\"b\\c\nd";
  EXPECT_NE(OpenMetricsText(runs).find("model=\"a\\\"b\\\\c\\nd\""),
            std::string::npos);
}

TEST_F(ExportTest, MlflowHasTheFilesOfItsStore) {
  const auto files = MlflowFiles(record_.reader(), Runs());
  ASSERT_OK(files);
  int metas = 0;
  std::string loss;
  for (const auto& [path, text] : *files) {
    metas += path.ends_with("meta.yaml") ? 1 : 0;
    if (path.ends_with("metrics/loss")) {
      loss = text;
    }
    EXPECT_EQ(path.find(".."), std::string::npos);
  }
  EXPECT_EQ(metas, 4);  // one sweep, three runs
  EXPECT_TRUE(loss.starts_with("17000000")) << loss;
  EXPECT_NE(loss.find(" 1\n"), std::string::npos);
}

TEST_F(ExportTest, MlflowParametersCannotLeaveTheirFolder) {
  auto runs = Runs();
  runs.resize(1);
  runs[0].run.experiment.spec_json = R"({"../../x": {"a/b": 1}, "env": 2})";
  const auto files = MlflowFiles(record_.reader(), runs);
  ASSERT_OK(files);
  for (const auto& [path, text] : *files) {
    EXPECT_EQ(path.find(".."), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace zs::results
