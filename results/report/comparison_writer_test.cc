#include "results/report/comparison_writer.h"

#include <algorithm>
#include <sstream>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/compare.h"
#include "results/report/comparison_json.h"
#include "results/report/golden.h"
#include "results/report/sample_record.h"
#include "results/report/text.h"

namespace zs::results {
namespace {

class ComparisonWriterTest : public ::testing::Test {
 protected:
  ComparisonWriterTest() {
    for (const SampleRun& sample : ThreeStages()) {
      record_.AddRun(sample);
    }
  }

  Comparison Compared() {
    auto comparison = Compare(record_.reader(), {"z0", "z1", "z2"}, {});
    EXPECT_OK(comparison);
    return *comparison;
  }

  SampleRecord record_;
};

TEST_F(ComparisonWriterTest, ReadsWellInEveryFormat) {
  const Comparison comparison = Compared();
  ExpectGolden("compare.txt", WriteComparison(comparison, Format::kTable, {}));
  ExpectGolden("compare.md",
               WriteComparison(comparison, Format::kMarkdown, {}));
  ExpectGolden("compare.csv", WriteComparison(comparison, Format::kCsv, {}));
  ExpectGolden("compare.json", WriteComparison(comparison, Format::kJson, {}));
}

TEST_F(ComparisonWriterTest, UnknownIsAWordAndNotANumber) {
  Comparison comparison = Compared();
  ComparedExperiment nothing;
  nothing.name = "z9";
  nothing.baseline = "z0";
  nothing.missing = "has not been run; run it again with --only z9";
  comparison.experiments.push_back(nothing);
  comparison.notes = {"asked.train.global_batch differs: z0 8, z9 16"};
  ExpectGolden("compare_missing.txt",
               WriteComparison(comparison, Format::kTable, {}));
  for (const Format format :
       {Format::kTable, Format::kMarkdown, Format::kCsv, Format::kJson}) {
    EXPECT_EQ(WriteComparison(comparison, format, {}).find("nan"),
              std::string::npos);
  }
  EXPECT_TRUE(ToJson(comparison)["experiments"][3]["tokens_per_s"].is_null());
}

TEST_F(ComparisonWriterTest, ManyExperimentsGetALineEach) {
  Comparison comparison = Compared();
  for (int i = 0; i < 6; ++i) {
    comparison.experiments.push_back(comparison.experiments[1]);
    comparison.experiments.back().name = "z1_" + std::to_string(i);
  }
  const std::string text = WriteComparison(comparison, Format::kTable, {});
  ExpectGolden("compare_many.txt", text);
  std::istringstream lines(text.substr(0, text.find("\n\n")));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(DisplayWidth(line), 120) << line;
  }
}

TEST_F(ComparisonWriterTest, KeepsTheContract) {
  const Json json = ToJson(Compared());
  for (const char* name : {"baseline", "verdict", "experiments"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
  for (const char* name :
       {"name", "zero_requested", "zero_effective", "world_size", "window", "n",
        "tokens_per_s", "tokens_per_s_per_gpu", "step_time_ms",
        "mem_peak_bytes", "mem_predicted_bytes", "comm_bytes_per_step",
        "comm_theory_bytes_per_step", "comm_exposed_ms", "final_loss",
        "loss_equal", "nccl_health", "ratio"}) {
    EXPECT_TRUE(json["experiments"][1].contains(name)) << name;
  }
  EXPECT_EQ(json["experiments"][1]["ratio"]["word"], "FASTER");
  EXPECT_EQ(json["experiments"][1]["window"]["first"], 6);
}

TEST_F(ComparisonWriterTest, TwiceTheSameBytes) {
  EXPECT_EQ(WriteComparison(Compared(), Format::kJson, {}),
            WriteComparison(Compared(), Format::kJson, {}));
}

}  // namespace
}  // namespace zs::results
