// The same faults under other launchers and prefixes.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kPrefixCases[] = {
    {"SrunExceptionAmongOthersTimeouts",
     "0: [rank0]:[E1130 03:12:00.123456789 ProcessGroupNCCL.cpp:607] "
     "[Rank 0] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=88, OpType=_ALLGATHER_BASE, NumelIn=4096, "
     "NumelOut=4096, Timeout(ms)=600000) ran for 600000 milliseconds "
     "before timing out.\n"
     "1: [rank1]:[E1130 03:12:01.123456789 ProcessGroupNCCL.cpp:607] "
     "[Rank 1] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=88, OpType=_ALLGATHER_BASE, NumelIn=4096, "
     "NumelOut=4096, Timeout(ms)=600000) ran for 600001 milliseconds "
     "before timing out.\n"
     "17: Traceback (most recent call last):\n"
     "1: some other text\n"
     "17:   File \"/w/data.py\", line 14, in __getitem__\n"
     "17: KeyError: 'input_ids'\n"
     "srun: error: nid001234: task 17: Exited with exit code 1\n",
     Health::kFailed,
     "python-exception",
     {},
     nullptr,
     17,
     "data.py:14"},
    {"KubectlOldOutOfMemory",
     "[pod/trainer-worker-0/pytorch] 2026-09-01T03:00:01.123456789Z "
     "trainer-worker-0:77:99 [0] NCCL INFO Using network Socket\n"
     "[pod/trainer-worker-2/pytorch] 2026-09-01T03:00:05.123456789Z "
     "[rank3]: RuntimeError: CUDA out of memory. Tried to allocate 2.00 "
     "GiB (GPU 3; 79.15 GiB total capacity; 70.00 GiB already "
     "allocated; 1.10 GiB free; 71.50 GiB reserved in total by PyTorch) "
     "If reserved memory is >> allocated memory try setting "
     "max_split_size_mb\n"
     "[pod/trainer-worker-0/pytorch] 2026-09-01T03:00:06.1Z "
     "trainer-worker-0:77:99 [0] misc/socket.cc:50 NCCL WARN "
     "socketProgress: Connection closed by remote peer "
     "trainer-worker-2<51234>\n",
     Health::kFailed,
     "cuda-oom",
     {},
     "trainer-worker-2",
     3,
     "free 1.10 GiB"},
    {"TwoPrefixesOfOneRank",
     "[default4]:[rank12]: Traceback (most recent call last):\n"
     "[default4]:[rank12]:   File \"/m/train.py\", line 5, in step\n"
     "[default4]:[rank12]: RuntimeError: CUDA error: uncorrectable ECC "
     "error encountered\n"
     "[default4]:[rank12]: CUDA kernel errors might be asynchronously "
     "reported at some other API call\n",
     Health::kFailed,
     "cuda-ecc-uncorrectable",
     {},
     nullptr,
     12},
    {"SlurmTimeLimitAfterSteps",
     "0:  iteration       40/     100 | consumed samples:         5120 "
     "| elapsed time per iteration (ms): 1234.5 | learning rate: "
     "1.0E-05 | global batch size:   128 | lm loss: 1.1E+01 | loss "
     "scale: 1.0 | grad norm: 1.2 | number of skipped iterations:   0 | "
     "number of nan iterations:   0 |\n"
     "slurmstepd: error: *** STEP 4711.0 ON nid003 CANCELLED AT "
     "2026-09-01T03:00:00 DUE TO TIME LIMIT ***\n"
     "srun: Job step aborted: Waiting up to 32 seconds for job step to "
     "finish.\n"
     "0: W0901 03:00:00.120000 4120 "
     "torch/distributed/elastic/agent/server/api.py:719] Received "
     "Signals.SIGTERM death signal, shutting down workers\n",
     Health::kFailed,
     "slurm-time-limit",
     {},
     "nid003",
     -2},
    {"LostGpuOfAnotherNode",
     "g0034: [rank3]:[E1130 03:40:01.123456789 "
     "ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, "
     "NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600003 "
     "milliseconds before timing out.\n"
     "g0035: [Mon Nov 30 03:12:44 2026] NVRM: Xid (PCI:0000:1a:00): 79, "
     "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n",
     Health::kFailed,
     "gpu-lost",
     {"watchdog-collective-timeout"},
     "g0035",
     -2},
    {"SshTimeoutBeforeTheStoresOwn",
     "ssh: connect to host g0035 port 22: Connection timed out\n"
     "[E1130 03:00:00.1 socket.cpp:1019] [c10d] The client socket has "
     "timed out after 600000ms while trying to connect to (g0033, "
     "6000).\n",
     Health::kFailed,
     "ssh-auth-or-connect-failed",
     {"c10d-store-connect-timeout"},
     "g0035",
     -2},
    {"MpirunGpuUsedTwice230",
     "[1,5]<stderr>:dgx7:4120:4199 [0] init.cc:1123 "
     "(initTransportsRank) NCCL WARN Multiple Ranks are using the same "
     "GPU/Partition: rank 4 and rank 5 both on CUDA device 1a000\n"
     "[1,5]<stderr>:dgx7:4120:4199 [0] NCCL INFO init.cc:1580 "
     "(initTransportsRank) -> 5 (invalid usage)\n"
     "[1,5]<stderr>:[rank5]: torch.distributed.DistBackendError: NCCL "
     "error in: ../torch/csrc/distributed/c10d/NCCLUtils.cpp:77, "
     "invalid usage (run with NCCL_DEBUG=WARN for details), NCCL "
     "version 2.30.3\n",
     Health::kFailed,
     "duplicate-gpu",
     {},
     "dgx7",
     5},
    {"DeepSpeedLauncherTellsSigkill",
     "[2026-09-01 03:00:00,123] [INFO] [launch.py:319:sigkill_handler] "
     "Killing subprocess 8121\n"
     "[2026-09-01 03:00:00,124] [ERROR] [launch.py:325:sigkill_handler] "
     "['/usr/bin/python3', '-u', 'train.py', '--local_rank=3'] exits "
     "with return code = -9\n",
     Health::kFailed,
     "worker-sigkill",
     {"program-failed"},
     nullptr,
     -2},
    {"OneRankOfFourNeverStarts",
     "h0:10:20 [0] NCCL INFO [Rank 0] ncclCommInitRankConfig comm 0x1 "
     "rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 5d000 commId 0xabc - "
     "Init START\n"
     "h0:11:21 [1] NCCL INFO [Rank 1] ncclCommInitRankConfig comm 0x2 "
     "rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 5d000 commId 0xabc - "
     "Init START\n"
     "h1:13:23 [1] NCCL INFO [Rank 3] ncclCommInitRankConfig comm 0x4 "
     "rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 5d000 commId 0xabc - "
     "Init START\n",
     Health::kFailed,
     "nccl-init-stuck",
     {},
     nullptr,
     2,
     "missing: rank 2"},
    {"PartOfALogOfManyRanks",
     "h0:10:20 [0] NCCL INFO [Rank 0] ncclCommInitRankConfig comm 0x1 "
     "rank 0 nranks 64 cudaDev 0 nvmlDev 0 busId 5d000 commId 0xabc - "
     "Init START\n"
     "h0:11:21 [1] NCCL INFO [Rank 1] ncclCommInitRankConfig comm 0x2 "
     "rank 1 nranks 64 cudaDev 1 nvmlDev 1 busId 5d000 commId 0xabc - "
     "Init START\n",
     Health::kHealthy,
     "",
     {},
     nullptr,
     -2},
    {"FlightRecorderNamesTheRank",
     "Not all ranks joining collective 5 at entry 4\n"
     "group info: default_pg\n"
     "collective: nccl:all_reduce\n"
     "missing ranks: {1}\n"
     "input sizes: [[4096]]\n"
     "collective state: scheduled\n",
     Health::kFailed,
     "fr-ranks-missing",
     {},
     nullptr,
     1},
};

INSTANTIATE_TEST_SUITE_P(Prefix, LogCaseTest, testing::ValuesIn(kPrefixCases),
                         CaseName);

}  // namespace
}  // namespace zs
