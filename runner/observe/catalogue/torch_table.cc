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
    {"watchdog-collective-timeout", kError, kWait, kContext, kHigh, true,
     "PyTorch", "a collective did not finish in time",
     "a rank died or is still in other code; ranks call collectives in "
     "another order; the network stopped; the limit is too short",
     "look first at the rank that has not arrived"},
    {"watchdog-collective-desync", kError, kWait, kContext, kHigh, true,
     "PyTorch", "ranks of one group wait in different collectives",
     "a branch that not all ranks take; uneven data",
     "no fault of the network: find where the ranks' programs part"},
    {"watchdog-rank-private-work", kError, kWait, kContext, kLow, true,
     "PyTorch", "the others wait for a rank that is busy elsewhere",
     "work on rank 0 alone that lasts longer than the limit",
     "look at the rank that reports no timeout: raise the limit, or move its "
     "work off the critical path"},
    {"watchdog-preprocessing-on-rank0", kError, kWait, kContext, kMedium, true,
     "PyTorch", "the others wait while one rank prepares the data",
     "tokenizing or building an index on rank 0",
     "build the data before the run, or raise the limit"},
    {"watchdog-last-work", kInfo, kConsequence, kContext, kHigh, false,
     "PyTorch", "how far a rank has come in a group", "", ""},
    {"watchdog-heartbeat-stuck", kError, kWait, kLine, kHigh, true, "PyTorch",
     "PyTorch's watchdog itself hangs in a CUDA or NCCL call",
     "init waits for late nodes; the GPU hangs; a deadlock on the GIL",
     "see the missing nodes and the kernel log"},
    {"watchdog-abort-secondary", kError, kConsequence, kLine, kHigh, true,
     "PyTorch", "follows from an earlier error", "", ""},
    {"fr-dump-written", kInfo, kConsequence, kLine, kMedium, false, "PyTorch",
     "a flight recorder file was written: {1}", "",
     "analyse it with torchfrtrace; it is a pickle, load it from nobody else"},
    {"fr-ranks-missing", kError, kComparison, kLine, kHigh, true,
     "torchfrtrace", "ranks have not joined a collective that others wait in",
     "a branch that not all ranks take; an exception or a hang on those ranks",
     "look first at rank {1}"},
    {"nccl-error-in-program", kError, kConsequence, kLine, kHigh, true,
     "PyTorch", "a NCCL call of the program failed", "see NCCL's own warning",
     "the first NCCL WARN before it tells why"},
    {"python-exception", kError, kApplication, kContext, kHigh, true, "Python",
     "the program raised an exception", "", "see the traceback"},
    {"run-aborted", kError, kConsequence, kLine, kMedium, true, "C++",
     "a process ended in abort", "an exception that nobody caught",
     "see the text: {1}"},
    {"segmentation-fault", kError, kKilled, kLine, kHigh, true, "OS",
     "a process crashed", "a fault in native code", "get a core dump"},
};

constexpr Expression kExpressions[] = {
    {"watchdog-collective-timeout", "Watchdog caught collective",
     R"(Watchdog caught collective operation timeout)"},
    {"watchdog-preprocessing-on-rank0", "okenizing",
     R"([Tt]okenizing (?:the )?(?:dataset|data|train|text))"},
    {"watchdog-preprocessing-on-rank0", "Running tokenizer",
     R"(Running tokenizer on)"},
    {"watchdog-preprocessing-on-rank0", "reprocessing",
     R"([Pp]reprocessing (?:the )?(?:dataset|data|train|inputs))"},
    {"watchdog-preprocessing-on-rank0", "building ",
     R"(building (?:the )?(?:\w+ )?(?:shuffle|sample|document|dataset) (?:index|indices))"},
    {"watchdog-heartbeat-stuck", "Heartbeat monitor timed",
     R"(Heartbeat monitor timed out!)"},
    {"watchdog-heartbeat-stuck", "watchdog got stuck",
     R"(watchdog got stuck for (\d+) seconds)"},
    {"watchdog-abort-secondary", "To avoid data inconsistency",
     R"(To avoid data inconsistency, we are taking the entire process down)"},
    {"watchdog-abort-secondary", "Some NCCL operations",
     R"(Some NCCL operations have failed or timed out)"},
    {"watchdog-abort-secondary", "communicator was aborted",
     R"(NCCL communicator was aborted)"},
    {"watchdog-abort-secondary", "Received a ",
     R"(Received a (?:dump signal|global timeout))"},
    {"watchdog-abort-secondary", "Observed flight recorder dump",
     R"(Observed flight recorder dump signal from another rank)"},
    {"fr-dump-written", "debug info to ",
     R"((?:Finished writing|Writing) (?:Flight Recorder|NCCLPG) debug info to (\S+))"},
    {"fr-ranks-missing",
     "missing ranks: ", R"(missing ranks: \{(\d+(?:, ?\d+)*)\})"},
    {"nccl-error-in-program", "NCCL error in:", R"(NCCL error in: (\S+))"},
    {"nccl-error-in-program", "ncclSystemError", R"(ncclSystemError)"},
    {"nccl-error-in-program", "ncclInternalError", R"(ncclInternalError)"},
    {"nccl-error-in-program", "ncclUnhandledCudaError",
     R"(ncclUnhandledCudaError)"},
    {"run-aborted", "terminate called", R"(terminate called (.{0,120}))"},
    {"segmentation-fault", "Segmentation fault", R"(Segmentation fault)"},
};

}  // namespace

CatalogueTable TorchTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
