#include "runner/observe/catalogue/tables.h"

namespace zs {
namespace {

using enum Severity;
using enum CauseOrder;
using enum Evidence;
using enum Confidence;

// Columns: code, severity, order, evidence, confidence, ends_run, source,
// meaning, causes, hint.
constexpr Signature kSignatures[] = {
    {"megatron-unknown-argument", kError, kSpecific, kLine, kHigh, true,
     "argparse", "the training script does not accept its arguments",
     "a flag of another version or fork; --zero-stage exists in "
     "Megatron-DeepSpeed only",
     "{1}: compare with `--help` of this tree; ZeRO-1 is "
     "--use-distributed-optimizer, ZeRO-2 and 3 are --use-megatron-fsdp with "
     "--data-parallel-sharding-strategy"},
    {"world-size-not-divisible", kError, kSpecific, kLine, kHigh, true,
     "Megatron", "parallel sizes or batch do not divide the number of GPUs",
     "another number of nodes than planned",
     "choose sizes whose product divides {1}"},
    {"dataset-prefix-not-found", kError, kSpecific, kLine, kHigh, true,
     "Megatron", "the data prefix is wrong or missing on this node",
     "a folder instead of the common prefix of .idx and .bin; path not "
     "mounted on this node",
     "look for {1}.idx and {1}.bin on every node"},
    {"dataset-index-missing-on-node", kError, kSpecific, kLine, kHigh, true,
     "Megatron", "an index that one rank built is not seen by another",
     "the cache lies on a local disk",
     "put --data-cache-path on a file system that all nodes share"},
    {"checkpoint-silent-restart", kError, kSpecific, kContext, kHigh, false,
     "Megatron", "nothing was loaded: training starts from random weights",
     "--load points to nothing, or is not mounted; a first run (then normal)",
     "no checkpoint at {1}: use --exit-on-missing-checkpoint"},
    {"checkpoint-args-mismatch", kError, kSpecific, kLine, kHigh, true,
     "Megatron", "the checkpoint was made with other sizes",
     "another parallel layout without a distributed checkpoint",
     "{1}: checkpoint {2}, run {3}"},
    {"checkpoint-path-not-shared", kError, kSpecific, kLine, kHigh, true,
     "Megatron", "parts of the checkpoint lie on other nodes only",
     "--save on a local disk",
     "use a path that all nodes share; write a file on node 0 and read it on "
     "the others"},
    {"loss-nan", kError, kApplication, kContext, kHigh, false, "Megatron",
     "the loss or a gradient is not a number",
     "learning rate; data; precision; on a single rank: the GPU",
     "see the first iteration with it"},
    {"failed-after-training-at-save", kError, kSpecific, kContext, kMedium,
     true, "training", "training went well, saving the checkpoint failed",
     "disk full; no rights; path missing on a node",
     "the figures are valid; see free space and rights of the folder on "
     "every node"},
    {"step-time-drift", kWarning, kSpecific, kContext, kMedium, false,
     "training", "the step time grows over the run",
     "memory growth; data loader; clocks; another job on the node",
     "compare memory, clocks and data time of the first and last steps"},
    {"straggler-node", kWarning, kComparison, kContext, kMedium, false,
     "training", "one rank is slower than the others and all wait for it",
     "throttling; slow PCIe; a noisy neighbour; NUMA",
     "see clocks and power of the slowest rank"},
    {"scaling-loss", kWarning, kComparison, kOutside, kMedium, false,
     "training", "tokens/s a GPU fall with the number of nodes",
     "TCP instead of RDMA; GPU Direct off; small batch",
     "see ib-fallback-socket, gdr-disabled and the bus bandwidth"},
    {"busbw-below-reference", kWarning, kSpecific, kContext, kMedium, false,
     "nccl-tests", "the bus bandwidth is below what this hardware gives",
     "GPU Direct off; fewer NICs used; TCP; SHM instead of NVLink",
     "a half, quarter or eighth: NICs not used; a tenth: TCP"},
    {"nccltests-wrong-results", kError, kHardware, kLine, kHigh, true,
     "nccl-tests", "wrong data, or a NCCL failure: {1}",
     "ACS or IOMMU; hardware", "see the NCCL WARN before it"},
    {"ras-mismatch-transient", kInfo, kWait, kLine, kHigh, false, "NCCL RAS",
     "ranks were at different operations when they were asked; normal while "
     "they move",
     "",
     "ask again after ten seconds: only frozen counts are a hang, and "
     "the ranks with the lower count are late"},
    {"zero-stage-differs", kWarning, kSpecific, kContext, kHigh, false,
     "Megatron", "the ZeRO stage in effect is not the one that was asked for",
     "--data-parallel-sharding-strategy without the FSDP wrapper has no "
     "effect",
     "label the run by the stage in effect; ZeRO-2 needs "
     "--use-megatron-fsdp"},
    {"env-name-unknown", kWarning, kSpecific, kContext, kHigh, false,
     "environment", "a setting's name is not known, so it has no effect",
     "a typing error", "did you mean {2}?"},
    {"run-incomplete", kError, kWait, kContext, kMedium, true, "training",
     "the log ends before the last planned iteration",
     "the run still goes on; it was killed; it hangs",
     "see when the last line was written"},
    {"program-failed", kError, kConsequence, kLine, kMedium, true, "launcher",
     "a process of the run ended with an error", "see the lines before",
     "the first process that failed is the one to look at"},
    {"assertion-failed", kError, kApplication, kLine, kMedium, true, "program",
     "the program's own check failed: {1}", "", "see the text"},
    {"module-not-found", kError, kSpecific, kLine, kHigh, true, "Python",
     "a Python module is missing: {1}", "wrong image or environment",
     "install it in the image of every node, or set PYTHONPATH"},
};

constexpr Expression kExpressions[] = {
    {"megatron-unknown-argument", ": error: ",
     R"(\w+\.py: error: (unrecognized arguments: .+|argument --\S+: .+|the following arguments are required: .+|ambiguous option: .+))"},
    {"world-size-not-divisible", "is not divisible by",
     R"((?:world[_ ]size|global batch size) \((\d+)\) is not divisible by)"},
    {"dataset-prefix-not-found", "One or both of the .idx",
     R"(One or both of the \.idx and \.bin files cannot be found at the .*?(?:prefix )?(\S+))"},
    {"dataset-prefix-not-found", "Dataset does not exist",
     R"(Dataset does not exist: (\S+))"},
    {"dataset-prefix-not-found", "FileNotFoundError",
     R"(FileNotFoundError.*'(\S+)\.(?:idx|bin)')"},
    {"dataset-prefix-not-found", "IsADirectoryError",
     R"(IsADirectoryError.*'(\S+?)(?:\.idx|\.bin)?')"},
    {"dataset-index-missing-on-node", "No such file or directory",
     R"(No such file or directory: '\S*(?:doc_idx|sample_idx|shuffle_idx|document_index|sample_index|shuffle_index|-\w*_index|index-cache|GPTDataset)\S*\.npy)"},
    {"checkpoint-silent-restart", "could not find the metadata file",
     R"(could not find the metadata file (\S+))"},
    {"checkpoint-silent-restart", "will start from random",
     R"(will not load any checkpoints and will start from random)"},
    {"checkpoint-args-mismatch", "value from checkpoint (",
     R"((\S+) value from checkpoint \((.+?)\) is not equal to the input argument value \((.+?)\))"},
    {"checkpoint-args-mismatch", "size mismatch for",
     R"(size mismatch for (\S+): copying a param with shape (.+?) from checkpoint, the shape in current model is (.+?)\.?$)"},
    {"checkpoint-args-mismatch", "size mismatch for",
     R"(size mismatch for (\S+): copying a param)"},
    {"checkpoint-args-mismatch", "in loading state_dict",
     R"(Error\(s\) in loading state_dict)"},
    {"checkpoint-path-not-shared", "is not a distributed checkpoint",
     R"((\S+) is not a distributed checkpoint)"},
    {"checkpoint-path-not-shared", "Checkpoint directory ",
     R"(Checkpoint directory (\S+) does not exist)"},
    {"checkpoint-path-not-shared", "zero checkpoints paths are missing",
     R"(zero checkpoints paths are missing)"},
    {"checkpoint-path-not-shared", "No such file or directory",
     R"(No such file or directory: '?(\S*(?:\.metadata|\.distcp|common\.pt|model_optim_rng\.pt|mp_rank_\d+\S*|zero_pp_rank_\S+)))"},
    {"loss-nan", "in local ",
     R"(found (?:NaN|Inf) in local (?:grad norm|forward loss))"},
    {"loss-nan", "Unexpected result",
     R"(Rank (\d+), node (\S+), device (\d+), iteration (\d+): Unexpected result)"},
    {"nccltests-wrong-results", "# Out of bounds values",
     R"(# Out of bounds values : ([1-9]\d*) FAILED)"},
    {"nccltests-wrong-results", "Test NCCL failure",
     R"(Test NCCL failure \S+:\d+ '([^']+)')"},
    {"ras-mismatch-transient", "MISMATCH", R"((?:RUNNING|INIT)\s+MISMATCH)"},
    {"ras-mismatch-transient", "MISMATCH",
     R"(#\d+-\d+ \([0-9a-f]+\) MISMATCH)"},
    {"program-failed", "exits with return code",
     R"(exits with return code = (-?[1-9]\d*))"},
    {"program-failed", "terminated by signal", R"(terminated by signal (\d+))"},
    {"program-failed", "exited on signal", R"(exited on signal (\d+))"},
    {"assertion-failed", "Assertion `", R"(Assertion `(.+?)' failed)"},
    {"module-not-found", "No module named", R"(No module named '?([\w.]+)'?)"},
};

}  // namespace

CatalogueTable TrainingTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
