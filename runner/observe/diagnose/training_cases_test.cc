// Logs of GPUs that fail and of training that goes wrong.
#include "runner/observe/diagnose/log_case.h"

namespace zs {
namespace {

TEST_P(LogCaseTest, IsReadRight) {
  Check(GetParam());
}

const LogCase kGpuCases[] = {
    {"OutOfMemoryOnOneRank",
     "[rank62]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
     "19.14 GiB. GPU 6 has a total capacity of 79.33 GiB of which 8.35 GiB "
     "is free. Including non-PyTorch memory, this process has 70.97 GiB\n",
     Health::kFailed,
     "cuda-oom",
     {},
     nullptr,
     62,
     "wanted 19.14 GiB"},
    {"BadMemory",
     "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
     "[E ProcessGroupNCCL.cpp:916] [Rank 1] NCCL watchdog thread terminated "
     "with exception: CUDA error: uncorrectable ECC error encountered\n",
     Health::kFailed,
     "cuda-ecc-uncorrectable",
     {},
     nullptr,
     1},
    {"NvlinkXid",
     "kernel: NVRM: Xid (PCI:0000:dc:00): 145, RLW_RXPIPE Nonfatal XC0 i0 "
     "Link 11\n"
     "kernel: NVRM: Xid (PCI:0000:ed:00): 45, pid=18, name=python3, Ch 1 "
     "caused by previous Xid 145\n",
     Health::kFailed,
     "xid-nvlink",
     {"xid-other"},
     nullptr,
     -2,
     "145"},
    {"GpuGone",
     "Unable to determine the device handle for GPU0000:04:00.0: Unknown "
     "Error\n"
     "[  +0.0003] pcieport 0000:00:03.0: AER: Corrected error received: "
     "0000:00:03.0\n",
     Health::kFailed,
     "gpu-lost",
     {"pcie-aer"},
     nullptr,
     -2,
     "0000:04:00.0"},
    {"PowerCapIsNormal",
     "        SW Power Cap                      : Active\n"
     "        HW Slowdown                       : Not Active\n",
     Health::kHealthy,
     "",
     {"throttle-sw-power"}},
    {"ThermalSlowdown",
     "            HW Thermal Slowdown           : Active\n",
     Health::kDegraded,
     "",
     {"throttle-hw"}},
    {"FabricManagerMissing",
     "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: "
     "system not yet initialized\n",
     Health::kFailed, "cuda-system-not-ready-802"},
};
INSTANTIATE_TEST_SUITE_P(Gpu, LogCaseTest, testing::ValuesIn(kGpuCases),
                         CaseName);

const LogCase kTrainingCases[] = {
    {"ArgumentOfAnotherVersion",
     "usage: pretrain_gpt.py [-h] [--seed SEED]\n"
     "pretrain_gpt.py: error: unrecognized arguments: --zero-stage 2\n",
     Health::kFailed,
     "megatron-unknown-argument",
     {},
     nullptr,
     -2,
     "--zero-stage"},
    {"LocalRankArgument",
     "pretrain_gpt.py: error: unrecognized arguments: --local-rank=3\n",
     Health::kFailed, "script-rejects-local-rank"},
    {"CheckpointOnALocalDisk",
     "CheckpointingException: /d/c/iter_0000100 is not a distributed "
     "checkpoint\n",
     Health::kFailed, "checkpoint-path-not-shared"},
    {"ShardsOnTheOtherNode",
     "main: [WARNING] [engine.py:1656:_get_all_zero_checkpoints] The "
     "following zero checkpoints paths are missing: ['c/zero_pp_rank_8.pt']\n",
     Health::kFailed, "checkpoint-path-not-shared"},
    {"FolderInsteadOfPrefix",
     "Dataset does not exist: /data/web/part-01\n"
     "Traceback (most recent call last):\n"
     "  File \"/m/gpt_dataset.py\", line 134, in get_indexed_dataset_\n"
     "AttributeError: 'NoneType' object has no attribute 'sizes'\n",
     Health::kFailed,
     "dataset-prefix-not-found",
     {"python-exception"},
     nullptr,
     -2,
     "/data/web/part-01"},
    {"StartsFromRandom",
     "WARNING: could not find the metadata file "
     "/c/latest_checkpointed_iteration.txt \n"
     "    will not load any checkpoints and will start from random\n",
     Health::kFailed, "checkpoint-silent-restart"},
    {"DiesWhileSaving",
     "g0034:  iteration        5/       5 | elapsed time per iteration (ms): "
     "75200.0 | global batch size:  2048 | lm loss: 1.0E+01 |\n"
     "g0033: saving checkpoint at iteration       5 to ./c/z1\n"
     "g0033: [2026-11-29 08:57:32,308] [ERROR] [launch.py:321:handler] "
     "['python'] exits with return code = 1\n",
     Health::kFailed,
     "failed-after-training-at-save",
     {"program-failed"},
     "g0033"},
    {"StepsGetSlower",
     " iteration      122/  250000 | elapsed time per iteration (ms): 86545.2 "
     "| global batch size:  1024 | lm loss: 2.5E+00 |\n"
     " iteration      123/  250000 | elapsed time per iteration (ms): 87871.6 "
     "| global batch size:  1024 | lm loss: 2.4E+00 |\n"
     " iteration      124/  250000 | elapsed time per iteration (ms): 89474.8 "
     "| global batch size:  1024 | lm loss: 2.5E+00 |\n"
     " iteration      142/  250000 | elapsed time per iteration (ms): "
     "100863.4 | global batch size:  1024 | lm loss: 2.4E+00 |\n"
     " iteration      162/  250000 | elapsed time per iteration (ms): "
     "115413.9 | global batch size:  1024 | lm loss: 2.4E+00 |\n"
     " iteration      182/  250000 | elapsed time per iteration (ms): "
     "126995.3 | global batch size:  1024 | lm lo",
     Health::kDegraded,
     "",
     {"step-time-drift"}},
    {"NanIterations",
     " iteration        7/      10 | elapsed time per iteration (ms): 10.0 | "
     "number of nan iterations:   2 |\n",
     Health::kFailed,
     "loss-nan",
     {},
     nullptr,
     -2,
     "iteration 7"},
    {"StageInEffectIsNotTheOneAskedFor",
     "# torchrun --nproc-per-node 2 pretrain_gpt.py --num-layers 2 "
     "--use-distributed-optimizer --data-parallel-sharding-strategy "
     "optim_grads\n"
     "INFO:megatron.core.distributed.distributed_data_parallel:Setting up "
     "DistributedDataParallel with config DistributedDataParallelConfig("
     "overlap_grad_reduce=True, use_distributed_optimizer=True, "
     "use_megatron_fsdp=False, data_parallel_sharding_strategy="
     "'optim_grads')\n",
     Health::kDegraded,
     "",
     {"zero-stage-differs"},
     nullptr,
     -2,
     "asked for 2, in effect 1"},
    {"MisspeltSetting",
     "$ NCCL_IB_DISABEL=1 torchrun --nnodes 1 --nproc-per-node 2 train.py\n",
     Health::kDegraded,
     "",
     {"env-name-unknown"},
     nullptr,
     -2,
     "NCCL_IB_DISABLE?"},
    {"NothingKnown", "hello\nworld\n\xff\xfe\x00 binary", Health::kUnknown, ""},
};
INSTANTIATE_TEST_SUITE_P(Training, LogCaseTest,
                         testing::ValuesIn(kTrainingCases), CaseName);

}  // namespace
}  // namespace zs
