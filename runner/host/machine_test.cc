#include "runner/host/machine.h"

#include <thread>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/host/command_output.h"

namespace zs {
namespace {

TEST(MachineTest, SeesThisHost) {
  const auto looked = ThisMachine();
  ASSERT_OK(looked);
  const Machine& machine = *looked;
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

// Only a missing nvidia-smi says that there is no GPU: a slow or failing one
// made a GPU machine a CPU machine without a word.
TEST(MachineTest, GpusThatNobodyListsAreNotNone) {
  const Result<std::string> missing = NotFoundError("nvidia-smi: not found");
  const Result<std::string> slow = DeadlineExceededError("no answer in time");
  const Result<std::string> failed =
      FailedPreconditionError("failed with exit 9: 'cannot reach the driver'");
  struct Case {
    const Result<std::string>& listed;
    GpuHardware hardware;
    bool ok;
  };
  for (const Case& c : {Case{missing, GpuHardware::kNone, true},
                        Case{missing, GpuHardware::kUnknown, true},
                        Case{missing, GpuHardware::kThere, true},
                        Case{missing, GpuHardware::kDriven, false},
                        Case{slow, GpuHardware::kNone, false},
                        Case{failed, GpuHardware::kNone, true},
                        Case{failed, GpuHardware::kUnknown, false},
                        Case{failed, GpuHardware::kThere, false}}) {
    Machine machine;
    const Status status = SetGpus(c.listed, c.hardware, machine);
    EXPECT_EQ(status.ok(), c.ok) << c.listed.status();
    EXPECT_TRUE(machine.gpus.empty());
  }
  Machine machine;
  EXPECT_STATUS(SetGpus(failed, GpuHardware::kThere, machine),
                StatusCode::kFailedPrecondition, "cannot reach the driver");
}

TEST(MachineTest, KernelKnowsWhetherThereIsAGpu) {
  const std::string root = ::testing::TempDir() + "/root";
  EXPECT_EQ(GpuHardwareIn(root), GpuHardware::kUnknown);
  const std::string network = root + "/sys/bus/pci/devices/0000:00:01.0";
  ASSERT_OK(MakeFolders(network));
  ASSERT_OK(WriteFileAtomically(network + "/vendor", "0x10de\n"));
  ASSERT_OK(WriteFileAtomically(network + "/class", "0x020700\n"));
  EXPECT_EQ(GpuHardwareIn(root), GpuHardware::kNone);
  // Of the host that a container lies on.
  ASSERT_OK(MakeFolders(root + "/proc/driver/nvidia/gpus/0000:00:02.0"));
  EXPECT_EQ(GpuHardwareIn(root), GpuHardware::kNone);
  ASSERT_OK(MakeFolders(root + "/dev"));
  ASSERT_OK(WriteFileAtomically(root + "/dev/nvidiactl", ""));
  EXPECT_EQ(GpuHardwareIn(root), GpuHardware::kDriven);
}

TEST(MachineTest, GpuWhoseDriverIsNotLoadedIsThere) {
  const std::string root = ::testing::TempDir() + "/root2";
  const std::string gpu = root + "/sys/bus/pci/devices/0000:00:02.0";
  ASSERT_OK(MakeFolders(gpu));
  ASSERT_OK(WriteFileAtomically(gpu + "/vendor", "0x10de\n"));
  ASSERT_OK(WriteFileAtomically(gpu + "/class", "0x030200\n"));
  EXPECT_EQ(GpuHardwareIn(root), GpuHardware::kThere);
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
  EXPECT_STATUS(CommandOutput({"sh", "-c", "echo why; exit 7"}, 10),
                StatusCode::kFailedPrecondition, "exit 7: 'why'");
  EXPECT_STATUS(CommandOutput({"sh", "-c", "exec >&-; sleep 100"}, 0.05),
                StatusCode::kDeadlineExceeded, "sh");
  EXPECT_STATUS(CommandOutput({"sleep", "100"}, 0.05),
                StatusCode::kDeadlineExceeded, "sleep");
}

}  // namespace
}  // namespace zs
