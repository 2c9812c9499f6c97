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
    {"cuda-system-not-ready-802", kError, kHardware, kLine, kHigh, true, "CUDA",
     "an NVSwitch machine without its fabric manager",
     "nvidia-fabricmanager missing, or of another version than the driver",
     "install and start nvidia-fabricmanager of exactly the driver's version"},
    {"cuda-oom", kError, kSpecific, kLine, kHigh, true, "PyTorch",
     "this rank's GPU memory is used up",
     "micro batch or sequence too large; uneven pipeline stages; "
     "fragmentation; a left-over process on the GPU",
     "wanted {1}, free {2}: a smaller micro batch or sequence; where much is "
     "reserved but unallocated, expandable_segments:True"},
    {"nccl-cuda-oom", kError, kSpecific, kLine, kMedium, true, "NCCL",
     "no GPU memory is left for NCCL's buffers",
     "the framework took everything; many communicators",
     "leave 1 to 2 GB a GPU; fewer channels or smaller NCCL_BUFFSIZE"},
    {"cuda-driver-too-old", kError, kSpecific, kLine, kHigh, true, "CUDA",
     "the driver is older than the image needs, or no GPU was passed in",
     "node not updated; container started without --gpus",
     "compare `nvidia-smi` of the nodes with the image's CUDA version"},
    {"cuda-driver-differs", kInfo, kComparison, kContext, kHigh, false, "NCCL",
     "nodes have different drivers", "partial update",
     "works mostly; make them alike"},
    {"cuda-illegal-access", kError, kApplication, kLine, kHigh, true, "CUDA",
     "a GPU kernel of this rank failed",
     "a fault in a kernel; a bad index; sometimes hardware (Xid 13, 31)",
     "repeat with CUDA_LAUNCH_BLOCKING=1; see the kernel log for Xid"},
    {"cuda-error", kError, kApplication, kLine, kMedium, true, "CUDA",
     "a CUDA call failed: {1}", "see the text",
     "the first rank with this error is the one to look at"},
    {"cuda-no-device", kError, kSpecific, kLine, kHigh, true, "CUDA",
     "the program sees no GPU",
     "container without --gpus; CUDA_VISIBLE_DEVICES empty; driver not loaded",
     "`nvidia-smi -L` in the same container; see CUDA_VISIBLE_DEVICES"},
    {"cuda-invalid-device", kError, kSpecific, kLine, kHigh, true, "CUDA",
     "a rank asks for a GPU that is not there",
     "more processes than visible GPUs",
     "compare nproc_per_node with `nvidia-smi -L`"},
    {"cuda-ecc-uncorrectable", kError, kHardware, kLine, kHigh, true, "CUDA",
     "this GPU's memory is bad", "hardware",
     "reset the GPU and read `nvidia-smi -q -d ECC,ROW_REMAPPER`; take it out "
     "if it returns"},
    {"gpu-lost", kError, kHardware, kLine, kHigh, true, "kernel",
     "a GPU is no longer on the PCIe bus", "power; heat; seating; firmware",
     "GPU {1}: power-cycle the node, drain it if it returns"},
    {"xid-nvlink", kError, kHardware, kLine, kHigh, true, "kernel",
     "NVLink error (Xid {1})", "link; switch; fabric manager; the peer GPU",
     "reset the GPUs or reboot; check nvidia-fabricmanager; drain the node "
     "if it comes back"},
    {"xid-other", kError, kHardware, kContext, kHigh, false, "kernel",
     "the driver reports Xid {2} on GPU {1}",
     "13, 31, 43, 45: mostly the program; 48, 63, 64, 94, 95: memory; 119, "
     "120: firmware",
     "see NVIDIA's table of Xids"},
    {"pcie-aer", kWarning, kHardware, kLine, kHigh, false, "kernel",
     "errors on a PCIe link", "riser; cable; slot; a GPU about to fail",
     "see which GPU or NIC hangs below this port"},
    {"throttle-hw", kWarning, kHardware, kLine, kHigh, false, "NVML",
     "a GPU is slowed down by its hardware: all ranks wait for it",
     "cooling; power supply", "{1}: see temperature and power"},
    {"throttle-sw-power", kInfo, kSpecific, kLine, kHigh, false, "NVML",
     "a GPU works at its power limit; normal at full load", "",
     "compare the clocks of the nodes"},
};

constexpr Expression kExpressions[] = {
    {"cuda-system-not-ready-802", "system not yet initialized",
     R"(system not yet initialized)"},
    {"cuda-system-not-ready-802", "SYSTEM_NOT_READY",
     R"(CUDA_ERROR_SYSTEM_NOT_READY)"},
    {"cuda-system-not-ready-802", "rror 802", R"([Ee]rror 802\b)"},
    {"cuda-oom", "CUDA out of memory",
     R"(CUDA out of memory\. Tried to allocate ([\d.]+ [KMGT]iB).*?of which ([\d.]+ [KMGT]?i?B) is free)"},
    {"cuda-oom", "CUDA out of memory",
     R"(CUDA out of memory\. Tried to allocate ([\d.]+ [KMGT]iB).*?; ([\d.]+ [KMGT]?i?B) free;)"},
    {"cuda-oom", "CUDA out of memory", R"(CUDA out of memory)"},
    {"cuda-oom", "CUDA error: out of memory", R"(CUDA error: out of memory)"},
    {"nccl-cuda-oom", "Failed to CUDA",
     R"(Failed to CUDA (?:m|c)alloc (?:async )?(\d+) bytes)"},
    {"nccl-cuda-oom", "Cuda failure",
     R"(NCCL WARN Cuda failure (?:2 )?'out of memory')"},
    {"cuda-driver-too-old", "driver version is insufficient",
     R"(CUDA driver version is insufficient)"},
    {"cuda-driver-too-old", "forward compatibility was attempted",
     R"(forward compatibility was attempted on non supported HW)"},
    {"cuda-driver-too-old", "cudaErrorInsufficientDriver",
     R"(cudaErrorInsufficientDriver)"},
    {"cuda-illegal-access", "an illegal memory access",
     R"(an illegal memory access was encountered)"},
    {"cuda-illegal-access", "device-side assert",
     R"(device-side assert triggered)"},
    {"cuda-illegal-access", "unspecified launch failure",
     R"(unspecified launch failure)"},
    {"cuda-illegal-access", "misaligned address", R"(misaligned address)"},
    {"cuda-error", "CUDA error: ", R"(CUDA error: ([^\n]{3,80}))"},
    {"cuda-no-device", "no CUDA-capable device",
     R"(no CUDA-capable device is detected)"},
    {"cuda-no-device", "No CUDA GPUs are available",
     R"(No CUDA GPUs are available)"},
    {"cuda-no-device", "Megatron requires CUDA", R"(Megatron requires CUDA)"},
    {"cuda-invalid-device", "invalid device ordinal",
     R"(invalid device ordinal)"},
    {"cuda-ecc-uncorrectable", "uncorrectable ECC error",
     R"(uncorrectable ECC error encountered)"},
    {"gpu-lost", "fallen off the bus",
     R"((?:GPU (?:at )?(\S+) )?has fallen off the bus)"},
    {"gpu-lost", "fallen off the bus", R"(fallen off the bus)"},
    {"gpu-lost", "NVRM: Xid", R"(Xid \(PCI:([^)]*)\): 79\b)"},
    {"gpu-lost", "determine the device handle",
     R"(Unable to determine the device handle for GPU ?([0-9A-Fa-f:.]*[0-9A-Fa-f]))"},
    {"gpu-lost", "GPU is lost", R"(GPU is lost)"},
    {"gpu-lost", "ERROR_GPU_IS_LOST", R"(ERROR_GPU_IS_LOST)"},
    {"xid-nvlink", "NVRM: Xid",
     R"(NVRM: Xid \([^)]*\): (74|137|14[4-9]|150)\b)"},
    {"xid-other", "NVRM: Xid", R"(NVRM: Xid \((?:PCI:)?([^)]*)\): (\d+))"},
    {"pcie-aer", "pcieport ",
     R"(pcieport (\S+): (?:AER: (?:Corrected|Uncorrected|Multiple \w+).*|PCIe Bus Error: severity=(\w+)))"},
    {"throttle-hw", " Slowdown",
     R"((HW (?:Slowdown|Thermal Slowdown|Power Brake Slowdown)|SW Thermal Slowdown)\s*: Active)"},
    {"throttle-sw-power", "SW Power Cap", R"(SW Power Cap\s*: Active)"},
};

}  // namespace

CatalogueTable GpuTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
