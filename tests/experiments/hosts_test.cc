// lib/hosts and lib/compat: what they accept, and what they refuse and where
// they say it is; the same under the stock jsonnet command.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/json.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/plan/load.h"

namespace zs {
namespace {

struct Case {
  const char* name;
  const char* expression;  // with hosts and compat imported
  const char* want;        // JSON, or "!" and a part of the message
};

class LibraryTest : public ::testing::TestWithParam<Case> {
 protected:
  // The experiment file whose only fault is the name of its sweep: what the
  // expression gives, as text.
  LibraryTest() {
    file_ = ::testing::TempDir() + "/library.jsonnet";
    const std::string text =
        std::string(
            "local hosts = import 'lib/hosts.libsonnet';\n"
            "local compat = import 'lib/compat.libsonnet';\n"
            "{ schema: 1, sweep: std.manifestJsonEx(") +
        GetParam().expression + ", ''), experiments: [] }\n";
    EXPECT_OK(WriteFileAtomically(file_, text));
  }

  std::string file_;
};

TEST_P(LibraryTest, GivesTheHostsOrSaysWhatIsWrong) {
  EvalRequest request;
  request.file = file_;
  request.library_dir = "experiments";
  const auto loaded = LoadSweep(request);
  ASSERT_FALSE(loaded.ok());
  std::string message = loaded.status().message();
  const std::string want = GetParam().want;
  if (want[0] == '!') {
    EXPECT_NE(message.find(want.substr(1)), std::string::npos) << message;
    return;
  }
  const auto json = ParseJson(want);
  ASSERT_OK(json);
  // As the name of a sweep would show it.
  const std::string out = ::testing::TempDir() + "/stock.json";
  const std::string command = "jsonnet -J experiments " + file_ + " > " + out;
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto stock = ReadFile(out);
  ASSERT_OK(stock);
  const auto document = ParseJson(*stock);
  ASSERT_OK(document);
  const auto value = ParseJson(document->at("sweep").get<std::string>());
  ASSERT_OK(value);
  EXPECT_EQ(DumpJson(*value), DumpJson(*json));
  EXPECT_EQ(message.find("RUNTIME ERROR"), std::string::npos) << message;
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Names, LibraryTest,
    ::testing::Values(
        Case{"OneName", "hosts.expand('g0033')", R"(["g0033"])"},
        Case{"ARangeAndMore", "hosts.expand('g[0033-0034,0040]')",
             R"(["g0033", "g0034", "g0040"])"},
        Case{"AList", "hosts.expand(['b', 'a[9-10]'])",
             R"(["b", "a9", "a10"])"},
        Case{"TwoRanges", "hosts.expand('r[1-2]n[1-2]')",
             R"(["r1n1", "r1n2", "r2n1", "r2n2"])"},
        Case{"Slurm", "hosts.slurm('n[1-2],m7')", R"(["n1", "n2", "m7"])"},
        Case{"SlurmOutside", "hosts.slurm('')", "!SLURM_JOB_NODELIST: empty"},
        Case{"Option", "hosts.expand('-oProxyCommand=x')",
             "!topology.nodes: \"-oProxyCommand=x\" is no host name"},
        Case{"Shell", "hosts.expand('a;id')", "!\"a;id\" is no host name"},
        Case{"Blank", "hosts.expand('a b')", "!is no host name"},
        Case{"Twice", "hosts.expand('a,b,a')", "!host a stands twice"},
        Case{"TwiceByRange", "hosts.expand('g[1-3],g2')", "!g2 stands twice"},
        Case{"Down", "hosts.expand('g[3-1]')", "!the range \"3-1\" goes down"},
        Case{"Open", "hosts.expand('g[3')", "!a bracket is not closed"},
        Case{"Empty", "hosts.expand([])", "!topology.nodes: no host"},
        Case{"Huge", "hosts.expand('g[0-4096]')", "!more than 4096 hosts"}),
    NameOf);

// launch-cases 056 and 057.
INSTANTIATE_TEST_SUITE_P(
    Hostfiles, LibraryTest,
    ::testing::Values(
        Case{"Plain", "hosts.hostfile('a slots=2\\nb slots=2\\n')",
             R"({"nodes": ["a", "b"], "slots": 2})"},
        Case{"Comments",
             "hosts.hostfile('#a slots=9\\n\\n  # x\\nn1 slots=8 # y\\n')",
             R"({"nodes": ["n1"], "slots": 8})"},
        Case{"TabsCarriageReturnsAndAMark",
             "hosts.hostfile('\\uFEFFa\\tslots=2\\r\\nb  slots=2\\r\\n')",
             R"({"nodes": ["a", "b"], "slots": 2})"},
        Case{"SlotsByDefault", "hosts.hostfile('a\\nb', 'f', 4)",
             R"({"nodes": ["a", "b"], "slots": 4})"},
        Case{"NoSlots", "hosts.hostfile('a slots=2\\nb')",
             "!hostfile:2: no slots= behind"},
        Case{"Differ", "hosts.hostfile('a slots=2\\n\\nb slots=3')",
             "!hostfile:3: b has 3 slots, a has 2"},
        Case{"DifferFromDefault", "hosts.hostfile('a\\nb slots=3', 'f', 2)",
             "!f:2: b has 3 slots, a has 2"},
        Case{"Twice", "hosts.hostfile('a slots=2\\na slots=2', '/job/hosts')",
             "!/job/hosts:2: host a stands twice; first on /job/hosts:1"},
        Case{"TwoHosts", "hosts.hostfile('n1 n2')",
             "!hostfile:1: \"n2\" behind the host"},
        Case{"TwoSlots", "hosts.hostfile('n1 slots=2 slots=3')",
             "!more than one slots="},
        Case{"MaxSlots", "hosts.hostfile('n1 slots=2 max_slots=3')",
             "!hostfile:1: \"max_slots=3\" behind"},
        Case{"ZeroSlots", "hosts.hostfile('n1 slots=0')",
             "!hostfile:1: slots=0; allowed are 1 to 4096"},
        Case{"NegativeSlots", "hosts.hostfile('n1 slots=-1')", "!slots=-1"},
        Case{"SpacedSlots", "hosts.hostfile('n1 slots = 2')", "!behind"},
        Case{"Address", "hosts.hostfile('[::1] slots=1')", "!is no host name"},
        Case{"Pattern", "hosts.hostfile('n[1-4] slots=1')", "!is no host name"},
        Case{"OptionHost", "hosts.hostfile('-oProxyCommand=x slots=1')",
             "!hostfile:1: \"-oProxyCommand=x\" is no host name"},
        Case{"User", "hosts.hostfile('root@n1 slots=1')", "!is no host name"},
        Case{"Nothing", "hosts.hostfile('')", "!hostfile: no host"},
        Case{"CommentsAlone", "hosts.hostfile('# a\\n#b\\n')",
             "!hostfile: no host"},
        Case{"Missing", "hosts.hostfile(importstr 'nowhere')", "!nowhere"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Compat, LibraryTest,
    ::testing::Values(
        Case{"Reaches",
             "compat.cluster({ NODES: 'g[1-2]', CONTAINER_NAME: 'm' })"
             ".all.topology",
             R"({"nodes": ["g1", "g2"], "ranks_per_node": 8,
                 "master_port": 6000, "reach": ["ssh", "-oBatchMode=yes",
                 "{host}", "docker", "exec", "-i", "m"]})"},
        Case{"Ranks",
             "compat.cluster({ NODES: [{ NODE: 'a', NODE_RANK: 0 }, "
             "{ NODE: 'b', NODE_RANK: '1' }] }).nodes",
             R"(["a", "b"])"},
        Case{"RankTwice",
             "compat.cluster({ NODES: [{ NODE: 'a', NODE_RANK: 0 }, "
             "{ NODE: 'b', NODE_RANK: 0 }] }).nodes",
             "!NODES[1]: b has NODE_RANK 0; in this place it must be 1"},
        Case{"RankMissing",
             "compat.cluster({ NODES: [{ NODE: 'a', NODE_RANK: 1 }] }).nodes",
             "!NODES[0]: a has NODE_RANK 1"},
        Case{"PassesOn",
             "compat.cluster({ NODES: 'a', NCCL_IB_HCA: 'mlx5_0', "
             "NCCL_IB_DISABLE: 1, GLOO_SOCKET_IFNAME: '' }).env",
             R"({"NCCL_IB_DISABLE": "1", "NCCL_IB_HCA": "mlx5_0"})"},
        Case{"OneStage", "compat.cluster({ ZERO_STAGE: '2' }).stages", "[2]"},
        Case{"StageThree", "compat.cluster({ ZERO_STAGE: 3 }).stages",
             "!compat: ZERO_STAGE: \"3\"; allowed are 0 to 2"},
        Case{"NodeRank", "compat.cluster({ NODE_RANK: 0 }).nodes",
             "!compat: NODE_RANK: leave it out"},
        Case{"Unknown", "compat.cluster({ ZERO_STAGES: 0 }).nodes",
             "!compat: unknown variable ZERO_STAGES"},
        Case{"Count", "compat.cluster({ NODES: 'a,b', NNODES: 4 }).nodes",
             "!compat: NNODES: 4, but NODES are 2"},
        Case{"Master",
             "compat.cluster({ NODES: 'a,b', MASTER_ADDR: 'b' }).nodes",
             "!compat: MASTER_ADDR: b, but the first of NODES is a"},
        Case{"Port", "compat.cluster({ MASTER_PORT: 'x' }).one",
             "!compat: MASTER_PORT: \"x\"; allowed are 0 to 65535"},
        Case{"Checkpoints",
             "compat.cluster({ ARTIFACT_ROOT: '/apps/a' }).checkpoints('r')",
             R"({"checkpoint": {"dir": "/apps/a/checkpoints/r"}})"}),
    NameOf);

}  // namespace
}  // namespace zs
