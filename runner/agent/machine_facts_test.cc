#include "runner/agent/machine_facts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

TEST(MachineFactsTest, TellsProcessorMemorySystemAndWhatRanksInherit) {
  const fs::path root = ::testing::TempDir() + "/machine_facts";
  fs::create_directories(root / "proc");
  fs::create_directories(root / "etc");
  std::ofstream(root / "proc/cpuinfo")
      << "processor\t: 0\nmodel name\t: Fast CPU 9\n";
  // 1.5 TiB less what the kernel keeps.
  std::ofstream(root / "proc/meminfo") << "MemTotal:  1610612000 kB\n";
  std::ofstream(root / "etc/os-release")
      << "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
  ::setenv("NCCL_ALGO", "Ring", 1);
  ::setenv("OMP_PLACES", "a\nb", 1);
  const auto facts = MachineFacts({root.string()});
  ASSERT_OK(facts);
  EXPECT_TRUE(facts->starts_with("cpu Fast CPU 9\ncores " +
                                 std::to_string(UsableCores()) +
                                 "\nmemory_gib 1536\n"
                                 "os Debian GNU/Linux 12 (bookworm)\n"))
      << *facts;
  EXPECT_NE(facts->find("\ninherited:NCCL_ALGO Ring\n"), std::string::npos);
  // printf 'a\nb' | sha256sum
  EXPECT_NE(facts->find("\ninherited:OMP_PLACES sha256:7e18f737311b2dc3"),
            std::string::npos)
      << *facts;
}

TEST(MachineFactsTest, LeavesOutWhatIsNotThere) {
  const auto facts = MachineFacts({"/no/such/root"});
  ASSERT_OK(facts);
  EXPECT_TRUE(facts->starts_with("cores ")) << *facts;
}

}  // namespace
}  // namespace zs
