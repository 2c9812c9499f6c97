// NCCL's logs of runs that failed.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kBrokenCases[] = {
    {"NoInterfaceFits",
     "invalid usage ... Last NCCL warning(error): 'Bootstrap : no socket "
     "interface found'\n",
     Health::kFailed, "nic-no-socket-interface"},
    {"LoopbackOnTwoHosts",
     "g0033:42:43 [0] NCCL INFO comm 0x7fc8 rank 0 nranks 4\n"
     "g0034:41:42 [0] NCCL INFO NET : Using interface lo:127.0.0.1<0>\n"
     "g0034:41:42 [0] NCCL INFO NET : Using interface eth0:10.1.0.34<0>\n\n"
     "g0034:41:43 [1] include/socket.h:361 NCCL WARN Call to connect timeout "
     ": Connection refused\n"
     "g0034:41:43 [1] NCCL INFO bootstrap.cu:19 -> 2\n",
     Health::kFailed,
     "nic-loopback-selected",
     {"nccl-connect-failed"}},
    {"NodesBootstrapApart",
     "g0033:18:18 [0] NCCL INFO Bootstrap : Using ib0:fe80::a288:c203%ib0<0>"
     "\ng0034:97:97 [0] NCCL INFO Bootstrap : Using bond0:10.1.0.34<0>\n",
     Health::kFailed,
     "bootstrap-if-mismatch",
     {"nic-link-local"},
     "g0033"},
    {"FirewallOnRandomPorts",
     "g0034:11:16 [0] NCCL INFO socketPollConnect: connect returned No route "
     "to host, retrying (26/34) after sleep for 2600 msec\n"
     "g0034:11:16 [0] NCCL INFO socketPollConnect: connect returned No route "
     "to host, retrying (34/34) after sleep for 3400 msec\n"
     "g0034:11:16 [6] misc/socket.cc:533 NCCL WARN socketPollConnect: Connect "
     "to 10.1.0.33<56849> returned 113(No route to host) errno 115\n",
     Health::kFailed,
     "nccl-connect-retrying",
     {"nccl-connect-failed"},
     "g0034"},
    {"PluginOnSomeNodesOnly",
     "g0033:18:27 [5] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. "
     "Using internal network plugin.\n"
     "g0034:58:41 [0] NCCL INFO Plugin Path : /opt/x/lib/libnccl-net.so\n",
     Health::kFailed, "net-plugin-mismatch"},
    {"NetworksDiffer",
     "g0033:1:1 [0] NCCL INFO Using network IB\n"
     "g0034:1:1 [0] NCCL INFO Using network IB\n"
     "g0035:1:1 [0] NCCL INFO Using network Socket\n",
     Health::kFailed,
     "net-plugin-mismatch",
     {},
     "g0035"},
    {"CompletionError4",
     "g0034:19:20 [1] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got "
     "completion from peer fe80::1:2%ib0<53249> with error 4, opcode 32564, "
     "len 32564, vendor err 81 (Send)\n"
     "g0034:19:20 [1] NCCL INFO transport/net.cc:1008 -> 6\n",
     Health::kFailed,
     "ib-completion-loc-prot-err",
     {},
     "g0034",
     -2,
     "ACS"},
    {"CompletionError12OfOldVersions",
     "g0034:9:9 [0] transport/net_ib.cc:839 NCCL WARN NET/IB : Got completion "
     "with error 12, opcode 1, len 0, vendor err 129\n",
     Health::kFailed,
     "ib-completion-retry-exceeded",
     {},
     "g0034"},
    {"CompletionError12OfNewVersions",
     "g0034:9:9 [0] transport/net_ib/p2p.cc:9 NCCL WARN NET/IB: Got "
     "completion from peer 10.1.0.33<33057> with "
     "status=IBV_WC_RETRY_EXC_ERR(12) opcode=0 vendor_err=129\n",
     Health::kFailed,
     "ib-completion-retry-exceeded",
     {},
     "g0034",
     -2,
     "10.1.0.33"},
    {"FlushedAfterAnotherStatus",
     "g0034:9:9 [0] x.cc:1 NCCL WARN NET/IB : Got completion from peer "
     "10.1.0.33<1> with status=5 opcode=0\n"
     "g0034:9:9 [0] x.cc:1 NCCL WARN NET/IB : Got completion from peer "
     "10.1.0.33<1> with status=13 opcode=0\n",
     Health::kFailed,
     "ib-completion-other",
     {"ib-completion-flushed"}},
    {"RailsThatCannotReachEachOther",
     "[2026-03-13 22:26:02] g0033:47:48 [5] ibvwrap.c:262 NCCL WARN Call to "
     "ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_2:1, "
     "curr state INIT, next state RTR, local GID index 3\n",
     Health::kFailed,
     "ibv-modify-qp-failed",
     {},
     "g0033",
     -2,
     "CROSS_NIC"},
    {"RoceAddressWithoutRoute",
     "g0033:22:25 [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_modify_qp "
     "failed with error Network is unreachable\n"
     "g0033:22:25 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection "
     "closed by remote peer g0033<41109>\n",
     Health::kFailed,
     "ibv-modify-qp-unreachable",
     {"remote-peer-closed"},
     "g0033"},
    {"SizesDifferOnInfiniband",
     "10.1.0.10: g0033:13:15 [0] transport/net_ib.cc:1038 NCCL WARN NET/IB : "
     "req 0/1 tag 0 peer 10.1.0.6<58683> collective mismatch error, local "
     "size 496640 remote size 65536\n",
     Health::kFailed,
     "collective-size-mismatch-ib",
     {},
     "g0033",
     -2,
     "496640"},
    {"SizesDifferOnSockets",
     "g0033:1:1 [0] transport/net_socket.cc:5 NCCL WARN NET/Socket : peer "
     "10.1.0.2<4> message truncated : receiving 1024 bytes instead of 256\n",
     Health::kFailed,
     "socket-message-truncated",
     {},
     "g0033"},
    {"BootstrapMessageOfAnotherSize",
     "1: g0034:48:69 [4] bootstrap.cc:77 NCCL WARN Message truncated : "
     "received 512 bytes instead of 4\n"
     "1: g0034:48:69 [4] NCCL INFO bootstrap.cc:554 -> 3\n",
     Health::kFailed,
     "bootstrap-message-truncated",
     {},
     "g0034",
     -2,
     "512"},
    {"MtusDiffer",
     "g0033:12:13 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_0:1 "
     "Got async event : local access violation work queue error\n\n"
     "g0034:10:11 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got "
     "completion from peer 10.1.0.33<33057> with status=9 opcode=0 len=0 "
     "vendor err 138 (Send)\n",
     Health::kFailed,
     "ib-mtu-mismatch",
     {"ib-completion-other"}},
    {"GarbageAddress",
     "NCCL WARN ncclSocketInit: connecting to address  with family 0 is "
     "neither AF_INET(2) nor AF_INET6(10)\n"
     "g0034:52:52 [0] NCCL INFO Bootstrap : Using ens7:10.1.0.34<0>\n"
     "NCCL version 2.19.3+cuda12.3\n",
     Health::kFailed,
     "nccl-version-mismatch",
     {"socket-garbage-family"}},
    {"VersionsDiffer",
     "g0033:1:1 [0] NCCL INFO NCCL version 2.27.5+cuda12.9\n"
     "g0034:1:1 [0] NCCL INFO NCCL version 2.27.5+cuda12.9\n"
     "g0035:1:1 [0] NCCL INFO NCCL version 2.26.2+cuda12.9\n",
     Health::kFailed,
     "nccl-version-mismatch",
     {},
     "g0035",
     -2,
     "2.26.2"},
    {"TwoRanksOnOneGpu",
     "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
     "Last error:\n"
     "Duplicate GPU detected : rank 5 and rank 1 both on CUDA device 1a000\n",
     Health::kFailed,
     "duplicate-gpu",
     {},
     nullptr,
     -2,
     "ranks 5 and 1"},
    {"NvlsAfterAFabricManagerRestart",
     "g0033:12:12 [2] transport/nvls.cc:244 NCCL WARN Cuda failure 1 "
     "'invalid argument'\n"
     "g0033:12:12 [2] NCCL INFO transport/nvls.cc:394 -> 1\n",
     Health::kFailed,
     "nvls-setup-failed",
     {},
     "g0033"},
    {"SharedMemoryFull",
     "[2026-04-22 21:34:20] g0033:20:22 [0] misc/shmutils.cc:88 NCCL WARN "
     "Error: failed to extend /dev/shm/nccl-WU88OE to 9637892 bytes, error: "
     "No space left on device (28)\n"
     "g0033:20:22 [0] NCCL INFO misc/socket.cc:28 -> 3\n",
     Health::kFailed,
     "shm-no-space",
     {},
     "g0033"},
    {"MemlockTooSmall",
     "g0033:1:1 [0] ibvwrap.cc:1 NCCL WARN Call to ibv_reg_mr failed with "
     "error Cannot allocate memory\n",
     Health::kFailed,
     "ib-memlock-limit",
     {},
     "g0033"},
    {"PortErrorOnAnHca",
     "g0033:1:1 [0] net_ib.cc:1 NCCL WARN NET/IB : mlx5_3:1 Got async event "
     ": port error\n",
     Health::kFailed,
     "ib-port-error-async",
     {},
     "g0033",
     -2,
     "mlx5_3:1"},
    {"WrongData", "# Out of bounds values : 12 FAILED\n", Health::kFailed,
     "nccltests-wrong-results"},
};
INSTANTIATE_TEST_SUITE_P(Broken, LogCaseTest, testing::ValuesIn(kBrokenCases),
                         CaseName);

}  // namespace
}  // namespace zs
