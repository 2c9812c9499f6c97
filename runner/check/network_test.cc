#include "runner/check/network.h"

#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr char kPrinted[] =
    "interface bond0 up\ninterface eth0 up\ninterface eth1 down\n"
    "interface lo unknown\nadapter mlx5_0 1 InfiniBand ACTIVE\n"
    "adapter mlx5_1 1 InfiniBand DOWN\nadapter mlx5_10 1 Ethernet ACTIVE\n"
    "nonsense\n";
constexpr char kHost[] =
    "hostname x\naddress lo 127.0.0.1 255.0.0.0\n"
    "address bond0 10.77.0.9 255.255.255.0\n"
    "address eth0 192.168.7.1 255.255.0.0\n"
    "address eth0 fe80::1 ffff:ffff:ffff:ffff::\n"
    "address eth0 fd00:1::5 ffff:ffff::\n";

NodeNetwork Network() {
  return ParseNetwork(kPrinted, kHost);
}

TEST(NetworkTest, FormsNetworks) {
  EXPECT_EQ(NetworkOf("10.77.3.9", "255.255.254.0"), "10.77.2.0/23");
  EXPECT_EQ(NetworkOf("10.0.0.1", "255.255.255.255"), "10.0.0.1/32");
  EXPECT_EQ(NetworkOf("fd00:1::5", "ffff:ffff::"), "fd00:1::/32");
  EXPECT_EQ(NetworkOf("fe80::1", "ffff:ffff:ffff:ffff::"), "");
  EXPECT_EQ(NetworkOf("x", "255.0.0.0"), "");
}

TEST(NetworkTest, ReadsWhatTheNodeTells) {
  const NodeNetwork network = Network();
  ASSERT_EQ(network.interfaces.size(), 4U);
  EXPECT_EQ(network.interfaces[1].networks,
            (std::vector<std::string>{"192.168.0.0/16", "fd00:1::/32"}));
  ASSERT_EQ(network.adapters.size(), 3U);
  EXPECT_TRUE(network.has_active_adapter());
}

TEST(NetworkTest, InterfacesThatTheAgentAloneSeesCount) {
  const NodeNetwork network =
      ParseNetwork("interface eth9 up\n", "address ib0 10.1.0.1 255.255.0.0\n");
  CheckResult result;
  JudgeSocketNames("GLOO_SOCKET_IFNAME", "ib0", network, result);
  EXPECT_EQ(result.state, CheckState::kOk) << result.found;
  EXPECT_EQ(result.value, "10.1.0.0/16");
}

struct NamesCase {
  const char* text;
  const char* name;
  int port;
  bool takes;
};

TEST(NetworkTest, UnderstandsNcclsSyntax) {
  for (const NamesCase& c :
       {NamesCase{"eth", "eth0", -1, true}, NamesCase{"eth", "ib0", -1, false},
        NamesCase{"=eth", "eth0", -1, false},
        NamesCase{"=eth0", "eth0", -1, true},
        NamesCase{"^docker,lo", "docker0", -1, false},
        NamesCase{"^docker,lo", "eth0", -1, true},
        NamesCase{"^=eth3", "eth3", -1, false},
        NamesCase{"^=eth3", "eth30", -1, true},
        NamesCase{"mlx5_0:1,mlx5_1:2", "mlx5_1", 2, true},
        NamesCase{"mlx5_0:1,mlx5_1:2", "mlx5_1", 1, false},
        NamesCase{"mlx5_1", "mlx5_10", 1, true},
        NamesCase{"=mlx5_1", "mlx5_10", 1, false}}) {
    EXPECT_EQ(NcclNames::Parse(c.text).Takes(c.name, c.port), c.takes)
        << c.text << " " << c.name;
  }
}

struct JudgeCase {
  const char* variable;
  const char* text;
  CheckState state;
  const char* part;  // of what was found
};

TEST(NetworkTest, JudgesWhatVariablesName) {
  constexpr auto kOk = CheckState::kOk;
  constexpr auto kFailed = CheckState::kFailed;
  for (const JudgeCase& c :
       {JudgeCase{"NCCL_SOCKET_IFNAME", "bond0", kOk, "10.77.0.0/24"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "eth", kOk, "192.168.0.0/16"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "=eth1", kFailed, "eth1 (down"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "ib0", kFailed, "ib0 is not there"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "bond0,ib0", kFailed, "ib0 is not"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "^eth,bond,lo", kFailed, "there are"},
        JudgeCase{"NCCL_SOCKET_IFNAME", "^eth", kOk, "10.77.0.0/24"},
        JudgeCase{"GLOO_SOCKET_IFNAME", "bond", kFailed, "bond is not there"},
        JudgeCase{"GLOO_SOCKET_IFNAME", "bond0", kOk, "10.77.0.0/24"},
        JudgeCase{"NCCL_IB_HCA", "=mlx5_0", kOk, "InfiniBand"},
        JudgeCase{"NCCL_IB_HCA", "mlx5_1:1", kFailed, "mlx5_1:1 (DOWN"},
        JudgeCase{"NCCL_IB_HCA", "=mlx5_0,mlx5_7", kFailed,
                  "mlx5_7 is not there"},
        JudgeCase{"NCCL_IB_HCA", "^=mlx5_1", kOk, "InfiniBand, Ethernet"}}) {
    CheckResult result;
    if (std::string(c.variable) == "NCCL_IB_HCA") {
      JudgeAdapters(c.text, Network(), result);
    } else {
      JudgeSocketNames(c.variable, c.text, Network(), result);
    }
    EXPECT_EQ(result.state, c.state) << c.text << ": " << result.found;
    EXPECT_NE(result.found.find(c.part), std::string::npos)
        << c.text << ": " << result.found;
  }
}

TEST(NetworkTest, AdaptersOfAHostWithoutAnyAreNotThere) {
  CheckResult result;
  JudgeAdapters("mlx5_0", NodeNetwork(), result);
  EXPECT_EQ(result.state, CheckState::kFailed);
  EXPECT_EQ(result.found,
            "NCCL_IB_HCA=mlx5_0: mlx5_0 is not there; there are none");
}

}  // namespace
}  // namespace zs
