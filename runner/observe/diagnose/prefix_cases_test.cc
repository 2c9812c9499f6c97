// The same faults under other launchers, prefixes and versions.
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
    {"RankThatHasEnqueuedLess",
     "[rank0]:[E1130 03:30:00.123456789 ProcessGroupNCCL.cpp:607] [Rank "
     "0] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=4096, "
     "NumelOut=4096, Timeout(ms)=600000) ran for 600000 milliseconds "
     "before timing out.\n"
     "[rank1]:[E1130 03:30:01.123456789 ProcessGroupNCCL.cpp:607] [Rank "
     "1] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=4096, "
     "NumelOut=4096, Timeout(ms)=600000) ran for 600001 milliseconds "
     "before timing out.\n"
     "[rank2]:[E1130 03:30:02.123456789 ProcessGroupNCCL.cpp:607] [Rank "
     "2] Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=4096, "
     "NumelOut=4096, Timeout(ms)=600000) ran for 600002 milliseconds "
     "before timing out.\n"
     "[rank0]:[E1130 03:30:10.1 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG "
     "GUID 0(default_pg) Rank 0]  failure detected by watchdog at work "
     "sequence id: 120 PG status: last enqueued work: 121, last "
     "completed work: 119\n"
     "[rank3]:[E1130 03:30:13.1 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG "
     "GUID 0(default_pg) Rank 3]  failure detected by watchdog at work "
     "sequence id: 120 PG status: last enqueued work: 118, last "
     "completed work: 118\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {},
     nullptr,
     3,
     "last enqueued: #118"},
    {"ExceptionHasNoHost",
     "node1: Traceback (most recent call last):\n"
     "node1:   File \"/opt/t.py\", line 4, in <module>\n"
     "node1: socket.gaierror: [Errno -2] Name or service not known\n",
     Health::kFailed,
     "master-addr-unresolvable",
     {},
     "node1",
     -2},
    {"SecondLineSaysMore",
     "[rank1]: Traceback (most recent call last):\n"
     "[rank1]:   File \"/m/ckpt.py\", line 9, in load\n"
     "[rank1]: RuntimeError: Error(s) in loading state_dict for "
     "GPTModel:\n"
     "[rank1]: 	size mismatch for "
     "decoder.layers.0.mlp.linear_fc1.weight: copying a param with "
     "shape torch.Size([8192, 2048]) from checkpoint, the shape in "
     "current model is torch.Size([4096, 2048]).\n",
     Health::kFailed,
     "checkpoint-args-mismatch",
     {},
     nullptr,
     1,
     "checkpoint torch.Size([8192, 2048])"},
    {"ProgressBarThenException",
     "Epoch 1:  10%|#         | 1/10 [00:01<00:09]\r"
     "Epoch 1:  20%|##        | 2/10 [00:02<00:08]\r"
     "Traceback (most recent call last):\n"
     "  File \"/w/t.py\", line 3, in <module>\n"
     "    f()\n"
     "RuntimeError: shape '[4, 8]' is invalid for input of size 31\n",
     Health::kFailed,
     "python-exception",
     {},
     nullptr,
     -2,
     "invalid for input of size 31"},
    {"OneNetworkCardOfEight",
     "# Collective test starting: all_reduce_perf\n"
     "#  Rank  0 Group  0 Pid  1000 on  node0 device  0 [0000:19:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  1 Group  0 Pid  1001 on  node0 device  1 [0000:1a:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  2 Group  0 Pid  1002 on  node0 device  2 [0000:1b:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  3 Group  0 Pid  1003 on  node0 device  3 [0000:1c:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  4 Group  0 Pid  1004 on  node0 device  4 [0000:1d:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  5 Group  0 Pid  1005 on  node0 device  5 [0000:1e:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  6 Group  0 Pid  1006 on  node0 device  6 [0000:1f:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  7 Group  0 Pid  1007 on  node0 device  7 [0000:20:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  8 Group  0 Pid  1008 on  node1 device  0 [0000:19:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank  9 Group  0 Pid  1009 on  node1 device  1 [0000:1a:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 10 Group  0 Pid  1010 on  node1 device  2 [0000:1b:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 11 Group  0 Pid  1011 on  node1 device  3 [0000:1c:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 12 Group  0 Pid  1012 on  node1 device  4 [0000:1d:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 13 Group  0 Pid  1013 on  node1 device  5 [0000:1e:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 14 Group  0 Pid  1014 on  node1 device  6 [0000:1f:00] "
     "NVIDIA H100 80GB HBM3\n"
     "#  Rank 15 Group  0 Pid  1015 on  node1 device  7 [0000:20:00] "
     "NVIDIA H100 80GB HBM3\n"
     "  8589934592    2147483648     float     sum      -1   341000   "
     "25.19   47.23      0   341100   25.18   47.22      0\n",
     Health::kDegraded,
     "",
     {"busbw-below-reference"},
     nullptr,
     -2},
    {"OtherTrainerWithColours",
     "[rank0]:2026-09-01 03:01:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "10  \x1b"
     "[32mloss:  7.9000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:02:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "20  \x1b"
     "[32mloss:  7.8000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:03:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "30  \x1b"
     "[32mloss:  7.7000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:04:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "40  \x1b"
     "[32mloss:  7.6000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:05:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "50  \x1b"
     "[32mloss:  7.5000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:06:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "60  \x1b"
     "[32mloss:  7.4000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:07:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "70  \x1b"
     "[32mloss:  7.3000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:08:00,123 - root - INFO - \x1b"
     "[31mstep: "
     "80  \x1b"
     "[32mloss:  7.2000  \x1b"
     "[38;2;180;60;0mgrad_norm:  "
     "1.5102  \x1b"
     "[33mmemory: 40.25GiB(50.85%)  \x1b"
     "[34mtps: 7,310  "
     "\x1b"
     "[36mtflops: 412.11  \x1b"
     "[35mmfu: 41.67%\x1b"
     "[39m\n"
     "[rank0]:2026-09-01 03:09:00,123 - root - INFO - Training "
     "completed\n",
     Health::kHealthy,
     "",
     {},
     nullptr,
     -2},
};

INSTANTIATE_TEST_SUITE_P(Prefix, LogCaseTest, testing::ValuesIn(kPrefixCases),
                         CaseName);

}  // namespace
}  // namespace zs
