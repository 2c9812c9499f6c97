// NCCL's logs of healthy and of slow runs.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kHealthyCases[] = {
    {"InfinibandOf219",
     "g0033:31:31 [0] NCCL INFO Bootstrap : Using ibs1:10.1.0.33<0>\n"
     "g0033:31:31 [0] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot "
     "open shared object file: No such file or directory No plugin found "
     "(libnccl-net.so), using internal implementation\n"
     "NCCL version 2.19.4+cuda12.2\n"
     "g0033:31:40 [1] NCCL INFO NCCL_IB_DISABLE set by environment to 0.\n"
     "g0033:31:40 [1] NCCL INFO NCCL_IB_HCA set to mlx5_3\n"
     "g0033:31:40 [1] NCCL INFO NET/IB : Using [0]mlx5_3:1/IB [RO]; OOB "
     "ibs1:10.1.0.33<0>\n"
     "g0033:31:40 [1] NCCL INFO Using network IB\n",
     Health::kHealthy, ""},
    {"SocketsAndSharedMemoryUnderMpirun",
     "[0] g0033:71:71 [0] NCCL INFO Bootstrap : Using ens3:10.1.0.33<0>\n"
     "[1] g0034:52:52 [0] NCCL INFO Bootstrap : Using ens3:10.1.0.34<0>\n"
     "[0] g0033:71:71 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via "
     "NET/Socket/0\n"
     "[2] g0033:72:72 [1] NCCL INFO Channel 00 : 2[1] -> 0[0] via "
     "SHM/direct/direct\n"
     "[3] g0034:53:53 [1] NCCL INFO Connected all trees\n",
     Health::kHealthy,
     "",
     {"shm-instead-of-p2p"}},
    {"TunnelInterfaceOnOneNode",
     "g0033:93:93 [0] NCCL INFO Bootstrap : Using em2:10.1.0.33<0>\n\n"
     "g0033:93:93 [0] misc/ibvwrap.cc:63 NCCL WARN Failed to open "
     "libibverbs.so[.1]\n"
     "g0033:93:93 [0] NCCL INFO NET/Socket : Using [0]em2:10.1.0.33<0> "
     "[1]tunl0:10.9.1.12<0>\n"
     "g0033:93:93 [0] NCCL INFO Using network Socket\n"
     "NCCL version 2.8.4+cuda11.0\n",
     Health::kHealthy,
     "",
     {"nic-virtual-selected"}},
    {"OneProcessWithManyGpus",
     "#  Rank  7 Group  0 Pid  3884 on      g0033 device  7 [0000:c5:00] "
     "NVIDIA L20\n"
     "g0033:3884:3885 [3] NCCL INFO Failed to open libibverbs.so[.1]\n"
     "g0033:3884:3885 [3] NCCL INFO Using network Socket\n"
     "g0033:3884:3889 [7] NCCL INFO Channel 00/0 : 7[7] -> 6[6] via "
     "P2P/direct pointer\n",
     Health::kHealthy, ""},
    {"PluginWithGpuDirectOn24Ranks",
     "[0] g0033:22:66 [0] NCCL INFO NVLS multicast support is available on "
     "dev 0\n"
     "[0] g0033:22:66 [0] NCCL INFO comm 0x5639e9f0e8c0 rank 0 nRanks 24 "
     "nNodes 3 localRanks 8 localRank 0 MNNVL 0\n"
     "[0] g0033:22:66 [0] NCCL INFO Channel 00/16 :    0   7   6   5\n"
     "[0] g0033:22:79 [0] NCCL INFO Channel 01/0 : 16[0] -> 0[0] [receive] "
     "via NET/IBext_v8/7/GDRDMA\n",
     Health::kHealthy, ""},
    {"RoceWithSmallMtu",
     "NCCL version 2.18.5+cuda12.0\n"
     "g0033:14:68 [0] NCCL INFO NET/IB : Using [0]mlx5_4:1/RoCE [RO]; OOB "
     "ens2:10.1.0.33<0>\n"
     "g0034:56:48 [0] NCCL INFO NET/IB : Using [0]mlx5_4:1/RoCE [RO]; OOB "
     "ens2:10.1.0.34<0>\n"
     "g0033:14:72 [0] NCCL INFO NET/IB: Dev 0 Port 1 qpn 58 mtu 3 GID 3 "
     "(0/A10B0A0AFFFF0000)\n"
     "g0033:14:68 [0] NCCL INFO comm 0x55c6 rank 0 nranks 2 cudaDev 0 "
     "nvmlDev 2 busId 4c000 commId 0xbe1e - Init COMPLETE\n",
     Health::kHealthy,
     "",
     {"mtu-small"},
     "g0033",
     -2,
     "1024"},
    {"RenamedRoceDevicesWithoutPrefix",
     "NCCL INFO NCCL_IB_HCA set to rocep\n"
     "NCCL INFO NET/IB : Using [0]rocep161s0_dma:1/RoCE "
     "[7]rocep202s0_dma:1/RoCE [RO]\n"
     "NCCL INFO Using network IB\n",
     Health::kHealthy, ""},
    {"MultiNodeNvlink",
     "g0033:21:18 [2] NCCL INFO Bootstrap timings total 0.157689 (create "
     "0.000029, send 0.000098, recv 0.000079, ring 0.000054, delay "
     "0.000000)\n"
     "g0033:20:17 [1] NCCL INFO MNNVL busId 0x901000 fabric UUID "
     "3143b15bc2cd192b.28cc9b5473fb5b93 cliqueId 0x7ffe state 3 healthMask "
     "0xaa\n",
     Health::kHealthy, ""},
    {"GeForceWithoutPeerAccess",
     "g0033:14:73 [1] NCCL INFO Channel 00/1 : 0[41000] -> 3[81000] "
     "[receive] via NET/IB/1/Shared\n"
     "g0033:14:73 [1] NCCL INFO Could not enable P2P between dev 1(=81000) "
     "and dev 0(=41000)\n"
     "g0033:14:73 [1] NCCL INFO Channel 00 : 3[81000] -> 2[41000] via "
     "SHM/direct/direct\n",
     Health::kHealthy,
     "",
     {"p2p-could-not-enable", "shm-instead-of-p2p"}},
    {"OldTableWithAnInfoLineInside",
     "# nThread 1 nGpus 8 minBytes 1 maxBytes 8589934592\n"
     "#   Rank  0 Pid 112424 on localhost device  0 [0x00] A100-SXM4-40GB\n"
     "#   Rank  1 Pid 112424 on localhost device  1 [0x00] A100-SXM4-40GB\n"
     "g0033:3442:3442 [0] NCCL INFO Launch mode Parallel\n"
     "  1073741824     268435456   float     sum   8159.5  131.59  230.29    "
     "N/A   8176.5  131.32  229.81    N/A\n"
     "# Out of bounds values : 0 OK\n"
     "# Avg bus bandwidth    : 68.4048\n",
     Health::kHealthy, ""},
    {"RowsAlone",
     "  8589934592    2147483648     float     sum      -1    20299  423.16  "
     "834.57      0    20006  429.37  846.82      0\n"
     "# Out of bounds values : 0 OK\n",
     Health::kHealthy, ""},
    {"RasMismatchWhileRunning",
     "NCCL version 2.26.5 compiled with CUDA 12.6\n"
     "    0         1         4         8        32        32   RUNNING  "
     "MISMATCH\n"
     "#0-0 (fa93daea854b060b) MISMATCH\n"
     "  30 ranks have launched up to operation 640\n",
     Health::kHealthy,
     "",
     {"ras-mismatch-transient"}},
    {"SocketWhereNothingElseIs",
     "g0033:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.1.0.33<0>\n"
     "g0034:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.1.0.34<0>\n"
     "g0033:1:1 [0] NCCL INFO Using network Socket\n"
     "g0034:1:1 [0] NCCL INFO Using network Socket\n",
     Health::kHealthy,
     "",
     {"socket-expected"}},
};
INSTANTIATE_TEST_SUITE_P(Healthy, LogCaseTest, testing::ValuesIn(kHealthyCases),
                         CaseName);

const LogCase kSlowCases[] = {
    {"GpuDirectOff",
     "g0033:22:95 [3] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 "
     "'mlx5_0'\n"
     "g0033:22:95 [3] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 "
     "'mlx5_1'\n",
     Health::kDegraded,
     "",
     {"gdr-disabled"},
     "g0033"},
    {"ChannelsWithoutGpuDirect",
     "g0034:9:9 [0] NCCL INFO Using network IB\n"
     "g0034:9:9 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via "
     "NET/IB/0\n"
     "g0034:9:9 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [send] via "
     "NET/IB/1(3)\n",
     Health::kDegraded,
     "",
     {"gdr-disabled"},
     "g0034"},
    {"TcpOverInfiniband",
     "NCCL INFO Failed to open libibverbs.so[.1]\n"
     "NCCL INFO NET/Socket : Using [0]ib1:10.1.0.1<0>\n",
     Health::kDegraded,
     "",
     {"ib-fallback-socket"}},
    {"TcpWhileHcasAreListed",
     "NCCL INFO NET/Socket : Using [0]bond1:10.1.0.1<0>\n"
     "NCCL INFO NET/IB : Using [0]mlx5_bond_0:1/RoCE ; OOB bond1:10.1<0>\n",
     Health::kDegraded,
     "",
     {"ib-fallback-socket"}},
    {"NoDeviceInTheContainer",
     "g0033:78:39 [0] NCCL INFO NET/Plugin: Loaded net plugin NCCL RDMA "
     "Plugin (v5)\n"
     "g0033:78:91 [0] NCCL INFO P2P plugin IBext\n"
     "g0033:78:91 [0] NCCL INFO NET/IB : No device found.\n"
     "g0033:78:91 [0] NCCL INFO NET/Socket : Using [0]ens5:10.1.0.33<0> "
     "[1]virbr0:192.168.122.1<0>\n"
     "g0033:78:91 [0] NCCL INFO Using network Socket\n",
     Health::kDegraded,
     "",
     {"ib-fallback-socket", "nic-virtual-selected"},
     "g0033"},
    {"PeerToPeerSwitchedOff",
     "g0033:1:1 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1\n"
     "g0033:1:1 [0] NCCL INFO comm 0x45 rank 0 nRanks 2 nNodes 1 localRanks "
     "2 localRank 0 MNNVL 0\n"
     "g0033:1:1 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via "
     "SHM/direct/direct\n",
     Health::kDegraded,
     "",
     {"shm-instead-of-p2p"},
     "g0033"},
    {"SharedMemoryOnAnNvlinkBoard",
     "#  Rank  0 Group  0 Pid 1 on g0033 device  0 [0x4c] NVIDIA "
     "A100-SXM4-80GB\n"
     "g0033:1:1 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via "
     "SHM/direct/direct\n",
     Health::kDegraded,
     "",
     {"shm-instead-of-p2p"},
     "g0033"},
    {"NetworkInsideOneNode",
     "g0033:1:1 [0] NCCL INFO comm 0x45 rank 0 nRanks 2 nNodes 1 localRanks "
     "2 localRank 0 MNNVL 0\n"
     "g0033:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via "
     "NET/Socket/0\n",
     Health::kDegraded,
     "",
     {"net-inside-node"},
     "g0033"},
    {"LossyRoce",
     "/sys/class/infiniband/mlx5_2/ports/1/hw_counters/duplicate_request:0\n"
     "/sys/class/infiniband/mlx5_2/ports/1/hw_counters/local_ack_timeout_err:"
     "4711\n"
     "/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:88\n",
     Health::kDegraded,
     "",
     {"roce-retransmissions"},
     nullptr,
     -2,
     "local_ack_timeout_err 4711 out_of_sequence 88"},
    {"TwoInterfacesInOneSubnet",
     "ESTAB   0   0       10.2.3.12:59970      10.2.5.15:55573\n"
     "ESTAB   0   305756  10.2.3.12:37178      10.2.5.15:43603\n",
     Health::kDegraded,
     "",
     {"nic-same-subnet-routing"}},
    {"SmallMtuOnTheSpark",
     "# Collective test starting: all_gather_perf\n"
     "#  Rank  0 Group  0 Pid 19 on      g0033 device  0 [000f:01:00] NVIDIA "
     "GB10\n"
     "#  Rank  1 Group  0 Pid 12 on      g0034 device  0 [000f:01:00] NVIDIA "
     "GB10\n"
     " 17179869184    2147483648     float    none      -1   453650   37.87   "
     "18.94       0   410049   41.90   20.95       0\n",
     Health::kDegraded,
     "",
     {"busbw-below-reference", "mtu-small"}},
    {"OneSlowHca",
     "g0033:1:1 [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/IB "
     "provider=Mlx5 speed=400000 context=0x1 pciPath=/sys ar=0\n"
     "g0033:1:1 [0] NCCL INFO NET/IB: [1] mlx5_1:uverbs1:1/IB "
     "provider=Mlx5 speed=100000 context=0x1 pciPath=/sys ar=0\n",
     Health::kDegraded,
     "",
     {"ib-link-degraded"},
     "g0033",
     -2,
     "mlx5_1 at 100"},
    {"ANodeWithFewerHcas",
     "g0033:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB "
     "[RO]; OOB eth0:10.1.0.33<0>\n"
     "g0034:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB "
     "eth0:10.1.0.34<0>\n",
     Health::kDegraded,
     "",
     {"hca-set-differs"},
     "g0034"},
};
INSTANTIATE_TEST_SUITE_P(Slow, LogCaseTest, testing::ValuesIn(kSlowCases),
                         CaseName);

}  // namespace
}  // namespace zs
