#include "runner/agent/system_facts.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// A tree as the kernel and the packages make it.
class SystemFactsTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  const fs::path root_ = fs::path(::testing::TempDir()) / "system_facts";
};

TEST_F(SystemFactsTest, TellsOfInterfacesAndAdapters) {
  Write("sys/class/net/ib0/operstate", "up\n");
  Write("sys/class/net/bonding_masters", "bond0\n");
  Write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  Write("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
  Write("sys/class/infiniband/mlx5_1/ports/2/state", "1: DOWN\n");
  Write("sys/class/infiniband/mlx5_1/ports/2/link_layer", "Ethernet\n");
  const auto facts = NetworkFacts({root_.string()});
  ASSERT_OK(facts);
  EXPECT_EQ(*facts,
            "interface ib0 up\nadapter mlx5_0 1 InfiniBand ACTIVE\n"
            "adapter mlx5_1 2 Ethernet DOWN\n");
}

TEST_F(SystemFactsTest, TellsOfThisHostsLoopback) {
  const auto facts = NetworkFacts({});
  ASSERT_OK(facts);
  EXPECT_NE(facts->find("interface lo "), std::string::npos) << *facts;
}

TEST_F(SystemFactsTest, TellsOfVersionsThatAreThere) {
  Write("sys/module/nvidia/version", "580.159\n");
  fs::create_directories(root_ / "usr/local/cuda-13.0");
  fs::create_directory_symlink("cuda-13.0", root_ / "usr/local/cuda");
  Write("usr/lib/x86_64-linux-gnu/libnccl.so.2.28.9", "");
  const auto facts = VersionFacts({root_.string()});
  ASSERT_OK(facts);
  EXPECT_TRUE(facts->starts_with("kernel ")) << *facts;
  EXPECT_TRUE(facts->ends_with("\ndriver 580.159\ncuda 13.0\nnccl 2.28.9\n"))
      << *facts;
}

TEST_F(SystemFactsTest, TellsNothingOfWhatIsNotThere) {
  const auto facts = VersionFacts({root_.string()});
  ASSERT_OK(facts);
  EXPECT_EQ(facts->find('\n'), facts->size() - 1) << *facts;
}

}  // namespace
}  // namespace zs
