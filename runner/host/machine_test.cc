#include "runner/host/machine.h"

#include <thread>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/host/command_output.h"

namespace zs {
namespace {

TEST(MachineTest, SeesThisHost) {
  const Machine machine = ThisMachine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_LE(machine.cores,
            static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_GT(machine.memory_bytes, int64_t{64} << 20);
  EXPECT_EQ(machine.kernel.find("Linux "), 0);
  EXPECT_FALSE(machine.host.empty());
}

TEST(MachineTest, ReadsGpusAndLeavesOutWhatIsNone) {
  Machine machine;
  ReadGpuLines(
      "NVIDIA H200, 143771, 580.159.04\n"
      "No devices were found\n"
      "Card, with comma, 1024, 580.159.04\n"
      "broken, [N/A], 1\n",
      machine);
  ASSERT_EQ(machine.gpus.size(), 2);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(machine.gpus[0].memory_bytes, int64_t{143771} << 20);
  EXPECT_EQ(machine.gpus[1].name, "Card, with comma");
  EXPECT_EQ(machine.gpu_driver, "580.159.04");
}

TEST(MachineTest, AFileLearnsOnlyWhatMayDecideItsExperiments) {
  const Machine machine{.host = "secret", .cores = 3, .memory_bytes = 7};
  EXPECT_EQ(DumpJson(MachineForFile(machine)),
            R"({"cores":3,"gpus":[],"memory_bytes":7})");
}

TEST(CommandOutputTest, GivesWhatIsPrinted) {
  EXPECT_EQ(*CommandOutput({"printf", "a b"}, 10), "a b");
}

TEST(CommandOutputTest, NamesWhatWentWrong) {
  EXPECT_STATUS(CommandOutput({"no-such-program-here"}, 10),
                StatusCode::kNotFound, "no-such-program-here");
  EXPECT_STATUS(CommandOutput({"false"}, 10), StatusCode::kFailedPrecondition,
                "false");
  EXPECT_STATUS(CommandOutput({"sleep", "100"}, 0.05),
                StatusCode::kDeadlineExceeded, "sleep");
}

}  // namespace
}  // namespace zs
