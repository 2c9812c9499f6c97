// The same faults in the words of other versions and programs.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kWordingCases[] = {
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
    {"MpirunNamesRankAndNode",
     "------------------------------------------------------------------"
     "--------\n"
     "mpirun noticed that process rank 3 with PID 4211 on node g0036 "
     "exited on signal 9 (Killed).\n"
     "------------------------------------------------------------------"
     "--------\n",
     Health::kFailed,
     "worker-sigkill",
     {"program-failed"},
     "g0036",
     3},
    {"KubectlExecWasKilled",
     "command terminated with exit code 137\n",
     Health::kFailed,
     "worker-sigkill",
     {},
     nullptr,
     -2},
    {"LengthErrorIsAnMtu",
     "g7:1:2 [3] transport/net_ib.cc:2211 NCCL WARN NET/IB: Got "
     "completion from peer 10.0.0.2<40000> with "
     "status=IBV_WC_LOC_LEN_ERR(1) opcode=IBV_WC_RECV(128) reqSize=0 "
     "vendor_err=0 req_type=Recv localGid ::ffff:10.0.0.1 remoteGids "
     "::ffff:10.0.0.2 hca mlx5_0\n",
     Health::kFailed,
     "ib-mtu-mismatch",
     {},
     "g7",
     -2},
    {"TooManyFilesIsNotAFullShm",
     "[rank7]: OSError: [Errno 24] Too many open files\n"
     "[rank7]: RuntimeError: unable to open shared memory object "
     "</torch_123_456_789> in read-write mode: Too many open files "
     "(24)\n",
     Health::kFailed,
     "open-files-limit",
     {},
     nullptr,
     7},
    {"GlooWaitIsNoConnection",
     "[rank0]: Traceback (most recent call last):\n"
     "[rank0]:   File \"t.py\", line 3, in <module>\n"
     "[rank0]: RuntimeError: "
     "[/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81"
     "] Timed out waiting 1800000ms for recv operation to complete\n",
     Health::kFailed,
     "gloo-wait-timeout",
     {},
     nullptr,
     0},
    {"TwoGroupsOneRankBehind",
     "[rank0]:[E1130 03:30:01.1 ProcessGroupNCCL.cpp:632] [Rank 0] "
     "Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=5001, OpType=_REDUCE_SCATTER_BASE, "
     "NumelIn=83886080, NumelOut=10485760, Timeout(ms)=480000) ran for "
     "480064 milliseconds before timing out.\n"
     "[rank0]:[E1130 03:30:01.2 ProcessGroupNCCL.cpp:2271] [PG ID 2 PG "
     "GUID 3(data_parallel) Rank 0]  failure detected by watchdog at "
     "work sequence id: 5001 PG status: last enqueued work: 5003, last "
     "completed work: 5000\n"
     "[rank1]:[E1130 03:30:01.1 ProcessGroupNCCL.cpp:632] [Rank 1] "
     "Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=5001, OpType=_REDUCE_SCATTER_BASE, "
     "NumelIn=83886080, NumelOut=10485760, Timeout(ms)=480000) ran for "
     "480064 milliseconds before timing out.\n"
     "[rank1]:[E1130 03:30:01.2 ProcessGroupNCCL.cpp:2271] [PG ID 2 PG "
     "GUID 3(data_parallel) Rank 1]  failure detected by watchdog at "
     "work sequence id: 5001 PG status: last enqueued work: 5003, last "
     "completed work: 5000\n"
     "[rank2]:[E1130 03:30:01.1 ProcessGroupNCCL.cpp:632] [Rank 2] "
     "Watchdog caught collective operation timeout: "
     "WorkNCCL(SeqNum=5001, OpType=_REDUCE_SCATTER_BASE, "
     "NumelIn=83886080, NumelOut=10485760, Timeout(ms)=480000) ran for "
     "480064 milliseconds before timing out.\n"
     "[rank2]:[E1130 03:30:01.2 ProcessGroupNCCL.cpp:2271] [PG ID 2 PG "
     "GUID 3(data_parallel) Rank 2]  failure detected by watchdog at "
     "work sequence id: 5001 PG status: last enqueued work: 5003, last "
     "completed work: 5000\n"
     "[rank3]:[E1130 03:30:02.2 ProcessGroupNCCL.cpp:1771] [PG ID 2 PG "
     "GUID 3(data_parallel) Rank 3] Received a dump signal due to a "
     "collective timeout from  rank 0 and we will try our best to dump "
     "the debug info. Last enqueued NCCL work: 4999, last completed "
     "NCCL work: 4999.\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {},
     nullptr,
     3,
     "#4999"},
    {"SilentRankOf113",
     "using world size: 4, data-parallel-size: 4, tensor-model-parallel "
     "size: 1, pipeline-model-parallel size: 1 \n"
     "0: [E ProcessGroupNCCL.cpp:821] [Rank 0] Watchdog caught "
     "collective operation timeout: WorkNCCL(SeqNum=37, "
     "OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1808490 "
     "milliseconds before timing out.\n"
     "1: [E ProcessGroupNCCL.cpp:821] [Rank 1] Watchdog caught "
     "collective operation timeout: WorkNCCL(SeqNum=37, "
     "OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1808491 "
     "milliseconds before timing out.\n"
     "3: [E ProcessGroupNCCL.cpp:821] [Rank 3] Watchdog caught "
     "collective operation timeout: WorkNCCL(SeqNum=37, "
     "OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1808493 "
     "milliseconds before timing out.\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {},
     nullptr,
     2},
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

INSTANTIATE_TEST_SUITE_P(Wording, LogCaseTest, testing::ValuesIn(kWordingCases),
                         CaseName);

}  // namespace
}  // namespace zs
