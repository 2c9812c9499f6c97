// Logs of launches and of waits: what broke, and who.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kLaunchCases[] = {
    {"UnknownHost",
     "ssh: Could not resolve hostname g0039: Name or service not known\n"
     "Traceback (most recent call last):\n"
     "  File \"/opt/bin/deepspeed\", line 6, in <module>\n",
     Health::kFailed,
     "ssh-unresolvable-host",
     {},
     "g0039"},
    {"KeyRefused",
     "root@g0034: Permission denied (publickey,password).\n",
     Health::kFailed,
     "ssh-auth-or-connect-failed",
     {},
     nullptr,
     -2,
     "g0034"},
    {"DockerWithoutGpus",
     "docker: Error response from daemon: could not select device driver \"\" "
     "with capabilities: [[gpu]].\n",
     Health::kFailed, "docker-no-gpu-driver"},
    {"SlurmMemoryLimit",
     "slurmstepd-g0033: error: Detected 1 oom-kill event(s) in "
     "StepId=77.0. Some of your processes may have been killed.\n"
     "srun: error: g0033: task 0: Out Of Memory\n"
     "slurmstepd-g0033: error: *** STEP 77.0 ON g0033 CANCELLED AT "
     "2026-05-17T17:58:10 ***\n",
     Health::kFailed,
     "slurm-oom-kill",
     {"slurm-step-ended"},
     "g0033"},
    {"PortTaken",
     "[W socket.cpp:464] [c10d] The server socket has failed to bind to "
     "[::]:29511 (errno: 98 - Address already in use).\n"
     "[E socket.cpp:500] [c10d] The server socket has failed to listen on any "
     "local network address.\n",
     Health::kFailed,
     "master-port-in-use",
     {},
     nullptr,
     -2,
     "29511"},
    {"StoreThatNobodyHosts",
     "[E socket.cpp:793] [c10d] The client socket has timed out after 60s "
     "while trying to connect to (10.1.0.33, 2222).\n"
     "    \"message\": \"RendezvousConnectionError: The connection to the "
     "C10d store has failed.\",\n",
     Health::kFailed,
     "c10d-store-connect-timeout",
     {"rdzv-failed"},
     nullptr,
     -2,
     "10.1.0.33:2222"},
    {"MasterAddrUnknown",
     "(Actor pid=36, ip=10.1.0.34) [0]:[W socket.cpp:558] [c10d] The IPv6 "
     "network addresses of (head9, 5017) cannot be retrieved (gai error: -2 - "
     "Name or service not known).\n"
     "(Actor pid=36, ip=10.1.0.34) [0]:[W socket.cpp:558] [c10d] The IPv4 "
     "network addresses of (head9, 5017) cannot be retrieved (gai error: -2 - "
     "Name or service not known).\n"
     "(Actor pid=36, ip=10.1.0.34) [0]:[E socket.cpp:610] [c10d] The client "
     "socket has failed to connect to any network address of (head9, "
     "5017).\n",
     Health::kFailed,
     "master-addr-unresolvable",
     {"c10d-store-connect-timeout"},
     "10.1.0.34",
     -2,
     "head9"},
    {"Ipv6AloneIsHarmless",
     "[W socket.cpp:558] [c10d] The IPv6 network addresses of (head9, 5017) "
     "cannot be retrieved (gai error: -9 - Address family not supported).\n"
     " iteration        5/       5 | consumed samples: 20 | elapsed time per "
     "iteration (ms): 10.0 | lm loss: 1.0E+00 |\n",
     Health::kHealthy, ""},
    {"GlooOnLoopback",
     "terminate called after throwing an instance of 'gloo::IoException'\n"
     "  what():  [/b/third_party/gloo/gloo/transport/tcp/pair.cc:724] connect "
     "[127.0.1.1]:3210: Connection refused\n",
     Health::kFailed,
     "gloo-loopback-address",
     {"run-aborted"},
     ""},
    {"OneWorkerMissing",
     "Waiting in store based barrier to initialize process group for rank: 0, "
     "key: store_based_barrier_key:1 (world_size=4, worker_count=3, "
     "timeout=0:30:00)\n"
     "Waiting in store based barrier to initialize process group for rank: 3, "
     "key: store_based_barrier_key:1 (world_size=4, num_workers_joined=3, "
     "timeout=0:30:00)\n"
     "Waiting in store based barrier to initialize process group for rank: 1, "
     "key: store_based_barrier_key:1 (world_size=4, worker_count=3, "
     "timeout=0:30:00)\n",
     Health::kFailed,
     "store-barrier-waiting",
     {},
     nullptr,
     2,
     "3 of 4"},
    {"StaleStore",
     "Waiting in store based barrier to initialize process group for rank: 0, "
     "key: k:1 (world_size=4, worker_count=8, timeout=0:30:00)\n",
     Health::kFailed,
     "store-barrier-waiting",
     {},
     nullptr,
     -2,
     "survived"},
    {"EveryNodeMeetsItself",
     "torchrun --nproc_per_node=8 --nnodes=2 --rdzv_id=6 --rdzv_backend=c10d "
     "--rdzv_endpoint=$(hostname) async_writer.py\n",
     Health::kFailed,
     "node-rank-duplicate",
     {"rdzv-localhost-on-many-nodes"}},
    {"KilledInTheMiddle",
     "experiments/train.py FAILED\nFailures:\n<NO OTHER FAILURES>\n"
     "Root Cause (first observed failure) :\n[0]:\ntime\nhost\n"
     "2026-09-14 01:45:50\ng0033\nrank2 (local rank: 2)exitcode: -9 (pid: "
     "36071)error file: <N/A>\n",
     Health::kFailed,
     "worker-sigkill",
     {},
     "g0033",
     2},
    {"ReportOfTorchrun",
     "Failures:\n[1]:\n  time      : 2026-09-01_10:00:03\n"
     "  host      : g0034\n  rank      : 9 (local_rank: 1)\n"
     "  exitcode  : -15 (pid: 4243)\n  error_file: <N/A>\n"
     "Root Cause (first observed failure):\n[0]:\n"
     "  time      : 2026-09-01_10:00:01\n  host      : g0034\n"
     "  rank      : 8 (local_rank: 0)\n  exitcode  : 7 (pid: 4242)\n",
     Health::kFailed,
     "worker-exit-code",
     {"worker-terminated"},
     "g0034",
     8,
     "exit code 7"},
};
INSTANTIATE_TEST_SUITE_P(Launch, LogCaseTest, testing::ValuesIn(kLaunchCases),
                         CaseName);

const LogCase kWaitCases[] = {
    {"NothingButATimeout",
     "    Watchdog caught collective operation timeout\n"
     "    checkTimeout at ProcessGroupNCCL.cpp:733\n",
     Health::kFailed,
     "watchdog-rank-private-work",
     {"watchdog-collective-timeout"}},
    {"RanksInDifferentCollectives",
     "[rank0]:[E227 23:07:54.3 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog "
     "caught collective operation timeout: WorkNCCL(SeqNum=725, "
     "OpType=_ALLGATHER_BASE, NumelIn=545, NumelOut=2181, "
     "Timeout(ms)=1800000) ran for 1800034 milliseconds before timing out.\n"
     "[rank3]:[E227 23:07:54.4 ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog "
     "caught collective operation timeout: WorkNCCL(SeqNum=727, "
     "OpType=_REDUCE_SCATTER_BASE, NumelIn=4096, NumelOut=1024, "
     "Timeout(ms)=1800000) ran for 1800060 milliseconds before timing out.\n",
     Health::kFailed,
     "watchdog-collective-desync",
     {},
     nullptr,
     -1,
     "rank 3 in _REDUCE_SCATTER_BASE #727"},
    {"AllInOneCollective",
     "[80746] [rank0]:[E321 02:07:08.4 ProcessGroupNCCL.cpp:607] [Rank 0] "
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, "
     "OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for "
     "600060 milliseconds before timing out.\n"
     "[80747] [rank4]:[E321 02:07:08.5 ProcessGroupNCCL.cpp:607] [Rank 4] "
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, "
     "OpType=ALLREDUCE, NumelIn=46, NumelOut=46, Timeout(ms)=600000) ran for "
     "600067 milliseconds before timing out.\n"
     "[80748] [rank0]:[E321 02:07:08.6 ProcessGroupNCCL.cpp:1664] [PG 1 Rank "
     "0] Exception (either an error or timeout) detected by watchdog at work: "
     "1580, last enqueued NCCL work: 1582, last completed NCCL work: 1579.\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {},
     nullptr,
     -1,
     "ALLREDUCE #1580"},
    {"SeveralGroupsOfAnOldVersion",
     "[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=96, OpType=ALLREDUCE, "
     "Timeout(ms)=1800000) ran for 25624887 milliseconds before timing out.\n"
     "[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=93, OpType=ALLREDUCE, "
     "Timeout(ms)=1800000) ran for 25625613 milliseconds before timing out.\n"
     "[E ProcessGroupNCCL.cpp:458] [Rank 7] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=64, OpType=ALLREDUCE, "
     "Timeout(ms)=1800000) ran for 25625251 milliseconds before timing out.\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {},
     nullptr,
     -1,
     "frozen"},
    {"OneRankNeverCame",
     "[rank0]:[E1130 05:51:44.4 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog "
     "caught collective operation timeout: WorkNCCL(SeqNum=6, "
     "OpType=ALLREDUCE, NumelIn=16, NumelOut=16, Timeout(ms)=25000) ran for "
     "25074 milliseconds before timing out.\n"
     "[rank0]:[E1130 05:51:44.5 ProcessGroupNCCL.cpp:2303] [PG ID 0 PG GUID "
     "0(default_pg) Rank 0]  failure detected by watchdog at work sequence "
     "id: 6 PG status: last enqueued work: 6, last completed work: 5\n"
     "[rank1]:[E1130 05:51:49.6 ProcessGroupNCCL.cpp:1914] [PG ID 0 PG GUID "
     "0(default_pg) Rank 1] Received a dump signal due to a collective "
     "timeout from  rank 0. Last enqueued NCCL work: 5, last completed NCCL "
     "work: 5.\n",
     Health::kFailed,
     "watchdog-collective-timeout",
     {"watchdog-abort-secondary"},
     nullptr,
     1,
     "rank 1 has not entered it"},
    {"ExceptionBeforeItsConsequences",
     "[rank5]: Traceback (most recent call last):\n"
     "[rank2]: Traceback (most recent call last):\n"
     "[rank5]:   File \"/w/train.py\", line 77, in step\n"
     "[rank2]:   File \"/w/comm.py\", line 3, in wait\n"
     "[rank5]:     raise ValueError(\"shard 3\")\n"
     "[rank5]: ValueError: shard 3\n"
     "[rank2]: torch.distributed.DistBackendError: NCCL error in: x.cpp:1, "
     "remote process exited\n"
     "W0901 10:00:02.1 70 torch/x/api.py:1012] Sending process 9 closing "
     "signal SIGTERM\n"
     "E0901 10:00:03.1 70 torch/x/api.py:986] failed (exitcode: 1) "
     "local_rank: 5 (pid: 85) of binary: /usr/bin/python3\n",
     Health::kFailed,
     "python-exception",
     {"worker-exit-code", "nccl-error-in-program"},
     nullptr,
     5,
     "train.py:77"},
};
INSTANTIATE_TEST_SUITE_P(Wait, LogCaseTest, testing::ValuesIn(kWaitCases),
                         CaseName);

}  // namespace
}  // namespace zs
