#include "engine/comm/rank_environment.h"

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

using Variables = std::map<std::string, std::string>;

RankEnvironment Read(const Variables& variables,
                     std::vector<std::string>& faults) {
  return ReadRankEnvironment(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      faults);
}

TEST(RankEnvironmentTest, DefaultsToOneRank) {
  std::vector<std::string> faults;
  const RankEnvironment env = Read({}, faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(env.rank, 0);
  EXPECT_EQ(env.world_size, 1);
  EXPECT_EQ(env.local_world_size, 1);
}

TEST(RankEnvironmentTest, ReadsTorchrunsVariables) {
  std::vector<std::string> faults;
  const RankEnvironment env = Read({{"RANK", "9"},
                                    {"WORLD_SIZE", "16"},
                                    {"LOCAL_RANK", "1"},
                                    {"LOCAL_WORLD_SIZE", "8"},
                                    {"MASTER_ADDR", "g0033"},
                                    {"MASTER_PORT", "6000"},
                                    {"ZS_RENDEZVOUS_TOKEN", "t"},
                                    {"GLOO_SOCKET_IFNAME", "bond0"}},
                                   faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(env.rank, 9);
  EXPECT_EQ(env.world_size, 16);
  EXPECT_EQ(env.local_rank, 1);
  EXPECT_EQ(env.local_world_size, 8);
  EXPECT_EQ(env.master_addr, "g0033");
  EXPECT_EQ(env.master_port, 6000);
  EXPECT_EQ(env.token, "t");
  EXPECT_EQ(env.interface, "bond0");
}

TEST(RankEnvironmentTest, NamesEveryFault) {
  std::vector<std::string> faults;
  Read({{"RANK", "4"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "66000"}}, faults);
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_NE(faults[0].find("RANK='4': allowed are 0 to 3"), std::string::npos);
  EXPECT_NE(faults[1].find("MASTER_PORT='66000'"), std::string::npos);
  EXPECT_NE(faults[2].find("MASTER_ADDR is not set"), std::string::npos);
}

TEST(RankEnvironmentTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "x", "1x", "-1", "99999999999999999999"}) {
    std::vector<std::string> faults;
    Read({{"WORLD_SIZE", text}}, faults);
    EXPECT_EQ(faults.size(), 1U) << text;
  }
}

}  // namespace
}  // namespace zs
