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
    {"nic-no-socket-interface", kError, kSpecific, kLine, kHigh, true, "NCCL",
     "no network interface of this node fits NCCL's choice",
     "NCCL_SOCKET_IFNAME names an interface that is called otherwise here; "
     "an exclusion that leaves nothing; container without host network",
     "name an interface that exists on every node and has an address (`ip "
     "-br addr`)"},
    {"nic-loopback-selected", kError, kSpecific, kContext, kHigh, true, "NCCL",
     "NCCL uses lo: peers are told 127.0.0.1",
     "NCCL_SOCKET_IFNAME=lo, or an exclusion that lets lo in again; no other "
     "interface is up",
     "exclude lo as well (^lo,docker0), or name the data interface"},
    {"nic-virtual-selected", kWarning, kSpecific, kContext, kHigh, false,
     "NCCL", "a virtual interface is in NCCL's list",
     "bridges of docker, libvirt or Kubernetes on a host network",
     "set NCCL_SOCKET_IFNAME to the interface of MASTER_ADDR's subnet"},
    {"nic-same-subnet-routing", kWarning, kSpecific, kContext, kLow, false,
     "runner", "traffic leaves by another interface than the one named",
     "two interfaces in one subnet: the kernel's routing table decides",
     "give each interface a subnet of its own, or the slow one a larger "
     "metric; compare the interfaces' byte counters"},
    {"bootstrap-if-mismatch", kError, kComparison, kContext, kHigh, true,
     "NCCL", "nodes bootstrap on networks that cannot reach each other",
     "interfaces have other names; ib0 with a link-local address only",
     "set NCCL_SOCKET_IFNAME to an interface with a routable address on "
     "every node"},
    {"nic-link-local", kWarning, kSpecific, kContext, kHigh, false, "NCCL",
     "NCCL bootstraps on a link-local address",
     "USB interface of the board controller; IPoIB without an address",
     "name another interface in NCCL_SOCKET_IFNAME"},
    {"nccl-connect-retrying", kError, kNetwork, kContext, kHigh, true, "NCCL",
     "a peer's NCCL port cannot be reached; NCCL tries 34 times, about 60 s",
     "a firewall that opens MASTER_PORT only (NCCL takes random ports); wrong "
     "interface on the peer; the peer died",
     "allow all TCP between the nodes; the node that prints this is the "
     "victim, its peer the suspect"},
    {"nccl-connect-failed", kError, kNetwork, kLine, kHigh, true, "NCCL",
     "a peer's NCCL port cannot be reached",
     "firewall; wrong interface on the peer; the peer died",
     "look at the peer {1}; allow all TCP between the nodes"},
    {"remote-peer-closed", kError, kConsequence, kLine, kHigh, true, "NCCL",
     "the process at the other end has gone away", "another rank failed first",
     "see the first error of {1}; where that is this node, it is NCCL's own "
     "proxy thread"},
    {"nccl-version-mismatch", kError, kComparison, kContext, kHigh, true,
     "NCCL", "nodes run different NCCL versions",
     "different images or Python environments; a system libnccl found first",
     "one image for all; compare `NCCL version` lines, or ncclGetVersion, on "
     "each node"},
    {"socket-garbage-family", kError, kNetwork, kLine, kHigh, true, "NCCL",
     "a peer's address is garbage: both sides speak different formats",
     "different NCCL versions; a network plugin on one side only",
     "compare version and network plugin of all nodes"},
    {"net-plugin-mismatch", kError, kComparison, kContext, kHigh, true, "NCCL",
     "nodes use different network plugins: they hang without an error",
     "libnccl-net.so found on some nodes only; /dev/infiniband missing in one "
     "container",
     "make images alike, or NCCL_NET_PLUGIN=none on all"},
    {"socket-wrong-type", kWarning, kNetwork, kLine, kMedium, false, "NCCL",
     "a foreign connection came to NCCL's port",
     "port scanner; left-over processes; different versions",
     "harmless alone; else look for left-overs"},
    {"bootstrap-rank-count-mismatch", kError, kSpecific, kLine, kHigh, true,
     "NCCL", "processes disagree on the world size",
     "different WORLD_SIZE on the nodes; processes of another run",
     "compare WORLD_SIZE and nnodes of all nodes"},
    {"bootstrap-message-truncated", kError, kNetwork, kLine, kMedium, true,
     "NCCL", "bootstrap messages differ in size ({1} bytes instead of {2})",
     "different versions; a fault of one NCCL release (2.19.3); different "
     "settings by rank",
     "see that all nodes load the same NCCL; if they do, change the version"},
    {"socket-message-truncated", kError, kNetwork, kLine, kHigh, true, "NCCL",
     "two ranks run collectives of different sizes ({1} and {2} bytes)",
     "unequal tensors; NCCL_ALGO, PROTO or BUFFSIZE differ; send without recv",
     "compare NCCL_* of all ranks, then the program's branches"},
    {"collective-size-mismatch-ib", kError, kNetwork, kLine, kHigh, true,
     "NCCL", "two ranks run collectives of different sizes ({1} and {2})",
     "a NCCL variable that is not the same on all nodes; unequal tensors",
     "compare NCCL_PROTO, NCCL_ALGO, NCCL_BUFFSIZE and the version of all "
     "nodes; either end may be the odd one"},
    {"duplicate-gpu", kError, kSpecific, kLine, kHigh, true, "NCCL",
     "two ranks use the same GPU",
     "more processes than visible GPUs; LOCAL_RANK not used; "
     "CUDA_VISIBLE_DEVICES names one GPU for all",
     "ranks {1} and {2} share GPU {3}: compare nproc_per_node with "
     "`nvidia-smi -L` inside the container"},
    {"init-slow-kernels", kWarning, kWait, kContext, kMedium, false, "NCCL",
     "NCCL's initialisation was slow",
     "no native code for this GPU; cold disk; persistence mode off; late "
     "peers",
     "large 'kernels': loading code; large 'bootstrap': waiting for others"},
    {"nnodes-exceeds-hosts", kWarning, kComparison, kContext, kHigh, false,
     "NCCL", "NCCL sees another number of nodes than there are hosts",
     "one container a GPU, so that NVLink is not used; equal host names",
     "share host name, /dev/shm and IPC between the containers of a node"},
    {"ib-disable-ignored-by-plugin", kWarning, kSpecific, kContext, kMedium,
     false, "NCCL", "NCCL_IB_DISABLE=1 is set, an external plugin ignores it",
     "HPC-X on LD_LIBRARY_PATH", "to force TCP: NCCL_NET=Socket"},
    {"nccl-init-stuck", kError, kComparison, kContext, kMedium, true, "NCCL",
     "a communicator was started and never completed",
     "a rank is missing; a port is closed; versions or plugins differ",
     "the ranks that have not started are the ones to look at"},
    {"nccl-internal-error", kError, kNetwork, kContext, kLow, true, "NCCL",
     "NCCL warned of something that the catalogue does not know",
     "see the text", "NCCL: {1}"},
};

constexpr Expression kExpressions[] = {
    {"nic-no-socket-interface", "no socket interface found",
     R"(Bootstrap : no socket interface found)"},
    {"nic-no-socket-interface", "NCCL_OOB_NET_IFNAME",
     R"(no device found matching .*NCCL_OOB_NET_IFNAME)"},
    {"nic-no-socket-interface", "no interface found",
     R"(NET/Socket : no interface found)"},
    {"nic-loopback-selected", "Bootstrap",
     R"(Bootstrap ?: Using (?:\[0\])?lo:)"},
    {"nic-loopback-selected", "NET/Socket", R"(NET/Socket ?: Using \[0\]lo:)"},
    {"nic-loopback-selected",
     "Using interface lo:", R"(NET : Using interface lo:127)"},
    {"nic-virtual-selected", "NET/Socket",
     R"(NET/Socket ?: Using.*?\b(docker\d+|docker_gwbridge|virbr\d+|br-[0-9a-f]{12}|veth[0-9a-z]+|cni\d+|flannel\.\d+|cali[0-9a-f]+|tunl\d+|ip6tnl\d+|vboxnet\d+|lxcbr\d+|tailscale\d+):)"},
    {"nic-virtual-selected", "Bootstrap",
     R"(Bootstrap ?: Using (?:\[0\])?(docker\d+|docker_gwbridge|virbr\d+|br-[0-9a-f]{12}|veth[0-9a-z]+|cni\d+|flannel\.\d+|cali[0-9a-f]+|tunl\d+|vboxnet\d+|lxcbr\d+|tailscale\d+):)"},
    {"nic-link-local", "Bootstrap",
     R"(Bootstrap ?: Using (?:\[0\])?(\S+?):(169\.254\.\d+\.\d+|fe80::\S+?)<\d+>)"},
    {"nccl-connect-retrying", "retrying",
     R"(connect (?:to (\S+?) )?returned (No route to host|Connection refused|Connection timed out|Network is unreachable), retrying(?: \((\d+)/(\d+)\))?)"},
    {"nccl-connect-failed", "NCCL WARN",
     R"(NCCL WARN (?:\w+ ?: )?[Cc]onnect to (\S+?)<(\d+)> (?:failed|returned) ?:? ?(.*))"},
    {"nccl-connect-failed", "exceeded ",
     R"(onnect:? .*exceeded (?:retries|timeouts|error retry count))"},
    {"nccl-connect-failed", "PollConnect to",
     R"(ocketPollConnect to (\S+?)<(\d+)> failed with error (.*))"},
    {"nccl-connect-failed", "Call to connect",
     R"(Call to connect (?:timeout|to (\S+) failed|failed) ?: (.*))"},
    {"remote-peer-closed", "closed by remote peer",
     R"(Connection closed by remote peer(?: ([^\s<]+)<(\d+)>)?)"},
    {"remote-peer-closed", "Call to ",
     R"(Call to (?:recv|send)(?: (?:from|to) (\S+?)<\d+>)? failed : (?:Connection reset by peer|Broken pipe))"},
    {"remote-peer-closed", "ncclRemoteError", R"(ncclRemoteError)"},
    {"nccl-version-mismatch", "Mismatched NCCL version",
     R"(Mismatched NCCL version detected : rank (\d+) version (\d+) rank (\d+) version (\d+))"},
    {"nccl-version-mismatch", "NCCL version mismatch",
     R"(NCCL version mismatch with remote peer (\S+))"},
    {"socket-garbage-family", "connecting to address",
     R"(connecting to address\s+(?:\S*\s+)?with family (-?\d+) is neither AF_INET)"},
    {"socket-wrong-type", "socketFinalizeAccept",
     R"(socketFinalizeAccept(?: from (\S+))?: wrong (?:type|magic) \S+ != \S+)"},
    {"bootstrap-rank-count-mismatch", "Bootstrap Root :",
     R"(Bootstrap Root : mismatch in (?:rank count|info) from procs)"},
    {"bootstrap-message-truncated", "essage truncated :",
     R"((?:bootstrap\.cc:\d+ (?:\(\w+\) )?NCCL WARN|Bootstrap :) [Mm]essage truncated : rece(?:ived|iving) (\d+) bytes instead of (\d+))"},
    {"socket-message-truncated", "essage truncated :",
     R"(NET/Socket : (?:peer \S+ )?message truncated : receiving (\d+) bytes instead of (\d+))"},
    {"collective-size-mismatch-ib", "collective mismatch",
     R"(collective mismatch error,? local size (\d+) remote (?:size )?(\d+))"},
    {"duplicate-gpu", "Duplicate GPU detected",
     R"(Duplicate GPU detected : rank (\d+) and rank (\d+) both on CUDA device ([0-9a-f]+))"},
    {"duplicate-gpu", "using the same GPU",
     R"(Multiple [Rr]anks (?:are|detected) using the same GPU)"},
};

}  // namespace

CatalogueTable NcclTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
