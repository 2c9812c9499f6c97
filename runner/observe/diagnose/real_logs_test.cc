// Compares with what was measured in real runs. The logs are not in the
// repository: ZS_REAL_LOGS names a folder with h200-training/ (whose
// expected.json was made by hand, outside any parser of ours) and
// h200-failures/; without it the tests are skipped. Under Bazel:
// --test_env=ZS_REAL_LOGS=/path --sandbox_add_mount_pair=/path.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/json.h"
#include "gtest/gtest.h"
#include "runner/observe/diagnose/diagnosis.h"

namespace zs {
namespace {

std::string Folder() {
  const char* folder = std::getenv("ZS_REAL_LOGS");
  return folder == nullptr ? "" : folder;
}

Diagnosis Diagnosed(const std::string& path, int64_t warmup_steps = 0) {
  DiagnoseOptions options;
  options.summary.warmup_steps = warmup_steps;
  const auto diagnosis = DiagnoseLogs({path}, options);
  EXPECT_TRUE(diagnosis.ok()) << diagnosis.status();
  return diagnosis.ok() ? *diagnosis : Diagnosis{};
}

void Compare(const std::string& path, const Json& wanted, size_t index) {
  // The counted steps leave out the first 5, and 2 of a second phase.
  const int64_t warmup = index == 0 ? 5 : 2;
  const Diagnosis diagnosis = Diagnosed(path, warmup);
  ASSERT_FALSE(diagnosis.groups.front().runs.empty()) << path;
  const RunSummary& run = diagnosis.groups.front().runs.front();
  ASSERT_GT(run.phases.size(), index) << path;
  const PhaseSummary& phase = run.phases[index];
  // Of an even number of steps expected.json names the upper of the middle two.
  const double middle = wanted["steps"].get<int64_t>() % 2 == 0 ? 0.5 : 0.06;
  EXPECT_NEAR(phase.median_ms, wanted["median_ms"].get<double>(), middle);
  EXPECT_NEAR(phase.min_ms, wanted["min_ms"].get<double>(), 0.06);
  EXPECT_NEAR(phase.max_ms, wanted["max_ms"].get<double>(), 0.06);
  EXPECT_EQ(phase.counted, wanted["steps"].get<int64_t>());
  EXPECT_EQ(run.world_size, wanted["world"].get<int>());
  EXPECT_EQ(run.micro_batch, wanted["mb"].get<int64_t>());
  EXPECT_EQ(run.sequence_length, wanted["seq"].get<int64_t>());
  if (wanted.contains("first_loss")) {
    EXPECT_NEAR(phase.last_loss, wanted["last_loss"].get<double>(), 1e-5);
  }
  const std::string engine = wanted["engine"];
  const int stage = engine.rfind("z0", 0) == 0 || engine == "zero0" ? 0
                    : engine == "fog"                               ? 2
                                                                    : 1;
  EXPECT_EQ(run.zero_effective, stage) << engine;
}

TEST(RealLogsTest, AgreesWithWhatWasMeasured) {
  if (Folder().empty()) {
    GTEST_SKIP() << "ZS_REAL_LOGS is not set";
  }
  const std::string folder = Folder() + "/h200-training/";
  std::ifstream file(folder + "expected.json");
  std::stringstream text;
  text << file.rdbuf();
  const Result<Json> expected = ParseJson(text.str());
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const auto& [name, phases] : expected->items()) {
    SCOPED_TRACE(name);
    for (size_t i = 0; i < phases.size(); ++i) {
      Compare(folder + name, phases[i], i);
    }
  }
}

struct Fault {
  const char* file;
  Health verdict;
  const char* root;
  int rank;
};

TEST(RealLogsTest, NamesEachFault) {
  if (Folder().empty()) {
    GTEST_SKIP() << "ZS_REAL_LOGS is not set";
  }
  const Fault faults[] = {
      {"ok", Health::kHealthy, "", -1},
      {"shm", Health::kDegraded, "", -1},
      {"socket", Health::kDegraded, "", -1},
      {"typo_env", Health::kDegraded, "", -1},
      {"bad_ifname", Health::kFailed, "nic-no-socket-interface", -1},
      {"raise", Health::kFailed, "python-exception", 1},
      {"exit3", Health::kFailed, "worker-exit-code", 1},
      {"kill", Health::kFailed, "worker-sigkill", 1},
      {"oom", Health::kFailed, "cuda-oom", 1},
      {"hang", Health::kFailed, "watchdog-collective-timeout", 1},
      {"port_taken", Health::kFailed, "master-port-in-use", -1},
      {"port_closed", Health::kFailed, "c10d-store-connect-timeout", -1},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.file);
    const Diagnosis diagnosis =
        Diagnosed(Folder() + "/h200-failures/" + fault.file + ".log");
    EXPECT_EQ(HealthName(diagnosis.verdict), HealthName(fault.verdict));
    const Finding* root = diagnosis.root_cause();
    EXPECT_EQ(root == nullptr ? "" : root->code, fault.root);
    if (root != nullptr) {
      EXPECT_EQ(root->rank, fault.rank);
    }
  }
}

}  // namespace
}  // namespace zs
