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
    {"ssh-unresolvable-host", kError, kSpecific, kLine, kHigh, true, "ssh",
     "the launching machine does not know the node's name",
     "typing error in the list of nodes; DNS; /etc/hosts; a name that only "
     "the cluster knows",
     "node {1}: the name does not resolve where the launcher runs; try "
     "`getent hosts {1}` there (inside its container), or use an address"},
    {"ssh-auth-or-connect-failed", kError, kSpecific, kLine, kHigh, true, "ssh",
     "ssh to the node is refused, times out or does not accept the key",
     "key not installed; host key unknown; sshd on another port; firewall",
     "try `ssh -o BatchMode=yes {1} true` with the same user and port"},
    {"docker-no-gpu-driver", kError, kSpecific, kLine, kHigh, true, "docker",
     "docker on this node cannot give GPUs to a container",
     "nvidia-container-toolkit missing; docker not restarted after it was "
     "installed; driver not loaded; image newer than the driver",
     "install nvidia-container-toolkit, run `nvidia-ctk runtime configure "
     "--runtime=docker`, restart docker"},
    {"docker-image-or-daemon", kError, kSpecific, kLine, kMedium, true,
     "docker", "the container did not start",
     "image missing on this node; no rights on docker's socket; disk full",
     "run the same docker command on this node by hand: {1}"},
    {"slurm-oom-kill", kError, kSpecific, kLine, kHigh, true, "Slurm",
     "the step's host memory limit was reached and a process was killed",
     "--mem too small; data loader workers; checkpoint gathered on one rank; "
     "/dev/shm counts as memory",
     "this is host memory, not the GPU's: raise --mem, or fewer workers and "
     "pinned buffers"},
    {"slurm-step-ended", kError, kConsequence, kLine, kMedium, true, "Slurm",
     "Slurm ended the step",
     "another task failed; time limit; node failure; preemption",
     "look for the first task of this step that failed"},
    {"slurm-time-limit", kError, kSpecific, kLine, kHigh, true, "Slurm",
     "the job's time was over", "--time too short; the run hung before",
     "raise --time, or look whether the last step line is much older"},
    {"slurm-node-failure", kError, kHardware, kLine, kHigh, true, "Slurm",
     "Slurm lost a node", "hardware; kernel panic; network of the node",
     "drain the node and look into its kernel log"},
    {"disk-full", kError, kSpecific, kContext, kHigh, true, "OS",
     "a file system is full", "checkpoints; /tmp of the container; quota",
     "`df -h` and `df -i` on this node"},
    {"open-files-limit", kError, kSpecific, kLine, kHigh, true, "OS",
     "a process has as many files open as it may",
     "data loader workers that share tensors by files; a small `ulimit -n`",
     "`ulimit -n` in the launched process; "
     "torch.multiprocessing.set_sharing_strategy('file_system')"},
    {"host-oom-kill", kError, kSpecific, kLine, kHigh, true, "kernel",
     "the kernel killed a process for lack of host memory",
     "data loader workers; a leak; too many pinned buffers",
     "process {2} (pid {1}) was killed: host memory, not the GPU's"},
    {"command-not-found", kError, kSpecific, kLine, kHigh, true, "shell",
     "a program that the launcher calls is not there",
     "wrong image or virtual environment; PATH",
     "{1} is not on PATH where it was called"},
    {"permission-denied", kError, kSpecific, kLine, kMedium, true, "OS",
     "a file may not be read or written",
     "another user's folder; read-only mount; container user",
     "{1}: look at owner and mode as the user that trains"},
    {"sigbus", kError, kKilled, kLine, kMedium, true, "OS",
     "a process touched memory that is not there (bus error)",
     "/dev/shm too small; a file cut while it was mapped",
     "see the size of /dev/shm: --shm-size or --ipc=host"},
};

constexpr Expression kExpressions[] = {
    {"ssh-unresolvable-host", "ssh: Could not resolve",
     R"(ssh: Could not resolve hostname ([^:\s]+): (.+))"},
    {"ssh-auth-or-connect-failed", "Permission denied (",
     R"((?:\S+@(\S+): )?Permission denied \([a-z,-]+)"},
    {"ssh-auth-or-connect-failed", "Host key verification",
     R"(Host key verification failed)"},
    {"ssh-auth-or-connect-failed", "ssh: connect to host",
     R"(ssh: connect to host (\S+) port (\d+): (.+))"},
    {"ssh-auth-or-connect-failed", "kex_exchange_identification",
     R"(kex_exchange_identification: (?:.+))"},
    {"ssh-auth-or-connect-failed", "returned non-zero exit status 255",
     R"(Command 'ssh [^']*' returned non-zero exit status 255)"},
    {"docker-no-gpu-driver", "could not select device driver",
     R"(could not select device driver "?\w*"? with capabilities: \[\[gpu)"},
    {"docker-no-gpu-driver", "nvidia-container-cli:",
     R"(nvidia-container-cli: (?:initialization|requirement|mount|device) error)"},
    {"docker-no-gpu-driver", "unknown ",
     R"(unknown (?:or invalid )?runtime(?: name)?:? "?nvidia)"},
    {"docker-image-or-daemon", "Cannot connect to the Docker",
     R"((Cannot connect to the Docker daemon))"},
    {"docker-image-or-daemon", "pull access denied",
     R"((pull access denied for \S+))"},
    {"docker-image-or-daemon", "manifest ",
     R"((manifest (?:for \S+ not found|unknown)))"},
    {"docker-image-or-daemon", "Error response from daemon",
     R"(Error response from daemon: (.+))"},
    {"docker-image-or-daemon", "No such container",
     R"((No such container: ?\S+))"},
    {"slurm-oom-kill", "oom-kill event",
     R"([Dd]etected \d+ oom[-_ ]kill event)"},
    {"slurm-oom-kill", "oom_kill event",
     R"([Dd]etected \d+ oom[-_ ]kill event)"},
    {"slurm-oom-kill", "slurmstepd", R"(slurmstepd.*: .*oom[-_ ]kill)"},
    {"slurm-oom-kill", "Out Of Memory",
     R"(srun: error: (\S+): tasks? (\S+): Out Of Memory)"},
    {"slurm-step-ended", "CANCELLED AT",
     R"(\*\*\* (?:STEP|JOB) (\S+) ON (\S+) CANCELLED AT)"},
    {"slurm-step-ended", "srun: error:",
     R"(srun: error: (\S+): tasks? (\S+): (?:Exited|Killed|Terminated|Segmentation|Aborted|Bus))"},
    {"slurm-time-limit", "DUE TO TIME LIMIT", R"(DUE TO (TIME LIMIT))"},
    {"slurm-node-failure", "DUE TO NODE FAILURE", R"(DUE TO (NODE FAILURE))"},
    {"slurm-node-failure", "Node failure on", R"(Node failure on (\S+))"},
    {"disk-full", "No space left on device",
     R"((\S*).{0,80}No space left on device)"},
    {"disk-full", "Disk quota exceeded", R"(Disk quota exceeded)"},
    {"open-files-limit", "Too many open files", R"(Too many open files)"},
    {"host-oom-kill", "OOMKilled", R"(\bOOMKilled\b)"},
    {"host-oom-kill", "Killed process", R"(Killed process (\d+) \(([^)]*)\))"},
    {"command-not-found", "command not found", R"((\S+): command not found)"},
    {"command-not-found", "executable file not found",
     R"(exec: \W?([^\s:]+?)\W?: executable file not found)"},
    {"command-not-found", "can't open file",
     R"(can't open file '?([^':]+)'?: \[Errno 2\])"},
    {"permission-denied", "Permission denied: '",
     R"(Permission denied: '([^']+)')"},
    {"sigbus", "Bus error", R"(Bus error)"},
};

}  // namespace

CatalogueTable LaunchTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
