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
    {"master-addr-unresolvable", kError, kSpecific, kContext, kHigh, true,
     "c10d", "MASTER_ADDR does not resolve on this node",
     "short name without search domain; name known inside the cluster only; "
     "garbage in the variable; reverse lookup by torchrun",
     "MASTER_ADDR={1} does not resolve here: use the address of rank 0"},
    {"master-port-in-use", kError, kSpecific, kLine, kHigh, true, "c10d",
     "rank 0 cannot open MASTER_PORT: somebody else listens there",
     "left-over of the last run; another job; two launchers on one node",
     "choose a free port for each run, or find the owner of port {1} with "
     "`ss -ltnp`"},
    {"c10d-store-connect-timeout", kError, kSpecific, kLine, kHigh, true,
     "c10d", "a worker cannot reach the store on rank 0's node",
     "node 0 never started, or died first; wrong or loopback MASTER_ADDR; "
     "firewall on the port; no node takes itself for the store's host",
     "{1}:{2} does not answer: see that rank 0 lives and listens, then "
     "`nc -zv` from this node"},
    {"rdzv-failed", kError, kWait, kLine, kHigh, true, "torchrun",
     "the elastic rendezvous did not complete",
     "not all nodes arrived in time; different rdzv_id or endpoint; an "
     "earlier attempt closed it",
     "see which nodes have not started torchrun"},
    {"rdzv-localhost-on-many-nodes", kError, kSpecific, kContext, kHigh, true,
     "configuration", "every node would meet itself and nobody else",
     "MASTER_ADDR unset in the container; a default in a script",
     "with several nodes the rendezvous host must be one name for all"},
    {"node-rank-duplicate", kError, kSpecific, kContext, kHigh, true,
     "configuration", "two nodes or processes claim the same rank",
     "the same --node_rank on two nodes; a process of an older run",
     "node_rank must be 0 to nnodes - 1, each once; end left-overs"},
    {"node-not-started", kError, kComparison, kContext, kHigh, true, "runner",
     "a node's processes never reached NCCL's init while others wait",
     "ssh or docker failed there; slow image; a hung file system",
     "look at the last line of that node"},
    {"store-barrier-waiting", kError, kWait, kContext, kHigh, true, "PyTorch",
     "the process group waits for workers that have not come",
     "the missing rank never started, or died; a stale store",
     "the rank that does not print this line is the one to look at"},
    {"worker-sigkill", kError, kKilled, kContext, kHigh, true, "torchrun",
     "a worker was killed with SIGKILL",
     "host out of memory (kernel, container or Slurm); a person",
     "`dmesg | grep -i 'killed process'` on that node; mostly host memory, "
     "not the network"},
    {"worker-crash-signal", kError, kKilled, kContext, kHigh, true, "torchrun",
     "a worker died of a signal (-6 abort, -7 bus error, -11 segmentation "
     "fault)",
     "-6: mostly NCCL's watchdog; -7: mostly /dev/shm; -11: a native crash",
     "read the first error of that process"},
    {"worker-exit-code", kError, kWorker, kContext, kHigh, true, "torchrun",
     "a worker ended with an error code of its own",
     "the program called exit; its own message stands before",
     "look at the last lines of that rank"},
    {"worker-terminated", kError, kConsequence, kContext, kHigh, true,
     "torchrun", "a worker was ended with SIGTERM",
     "torchrun stops the others when one has failed; a person; Slurm", ""},
    {"run-stopped-by-signal", kError, kWait, kLine, kHigh, true, "torchrun",
     "the launcher got a signal and stopped the run",
     "a time limit; a person; the scheduler",
     "see who sent the signal; a hang before it shows in the last step's "
     "time"},
    {"torchrun-root-cause", kInfo, kConsequence, kContext, kHigh, false,
     "torchrun", "torchrun's report names its first observed failure", "",
     "each node's report knows that node only"},
    {"script-rejects-local-rank", kError, kSpecific, kLine, kHigh, true,
     "argparse", "the launcher passes --local-rank, the script refuses it",
     "torch.distributed.launch instead of torchrun",
     "start with torchrun: it sets LOCAL_RANK in the environment"},
    {"gloo-loopback-address", kError, kSpecific, kLine, kHigh, true, "Gloo",
     "Gloo has published a loopback address",
     "/etc/hosts gives 127.0.1.1 for the host's own name",
     "the node that was connected to is at fault: set GLOO_SOCKET_IFNAME, or "
     "correct its /etc/hosts"},
    {"gloo-connect-failed", kError, kNetwork, kLine, kMedium, true, "Gloo",
     "Gloo cannot connect its ranks", "a peer died; wrong interface; firewall",
     "see the peers' first errors, then GLOO_SOCKET_IFNAME"},
    {"gloo-wait-timeout", kError, kWait, kLine, kHigh, true, "Gloo",
     "this rank waited too long for another one",
     "the other is elsewhere in its program, hangs or was stopped",
     "look at the rank that does not report this"},
    {"gloo-peer-lost", kError, kConsequence, kLine, kHigh, true, "Gloo",
     "a rank that Gloo was talking to has gone", "the peer died first",
     "see how the other ranks ended"},
};

constexpr Expression kExpressions[] = {
    {"master-addr-unresolvable", "host not found:",
     R"(host not found: (?:Name or service|Temporary failure))"},
    {"master-addr-unresolvable", "network addresses of (",
     R"(The IPv[46] network addresses of \(([^,]+), (\d+)\) cannot be retrieved)"},
    {"master-addr-unresolvable", "socket.gaierror",
     R"(socket\.gaierror: \[Errno -?\d+\])"},
    {"master-port-in-use", "server socket has failed to",
     R"(server socket has failed to (?:bind|listen).{0,60}?(?::|port: )(\d+).{0,100}(?:[Aa]ddress already in use|EADDRINUSE|errno: 98))"},
    {"master-port-in-use", "server socket has failed to",
     R"(server socket has failed to (?:bind|listen).{0,140}(?:Address already in use|EADDRINUSE|errno: 98))"},
    {"master-port-in-use", "[Errno 98]",
     R"(\[Errno 98\] Address already in use)"},
    {"c10d-store-connect-timeout", "client socket has timed out",
     R"(client socket has timed out after \d+\s*(?:ms|s) while trying to connect to \(([^,]+), (\d+)\))"},
    {"c10d-store-connect-timeout", "failed to connect/validate",
     R"(failed to connect/validate to host ([^:\s]+):(\d+) - timed out)"},
    {"c10d-store-connect-timeout", "client socket has failed to connect",
     R"(client socket has failed to connect to (?:any network address of )?[(\[]([^\],)]+)\]?[,:] ?(\d+))"},
    {"rdzv-failed", "Rendezvous",
     R"(Rendezvous(?:Connection|Timeout|Closed|State)Error)"},
    {"rdzv-failed", "The rendezvous ",
     R"(The rendezvous .{0,60}has (?:already )?(?:been )?closed)"},
    {"node-rank-duplicate", "Bootstrap Root :",
     R"(Bootstrap Root : rank (\d+) of (\d+) ranks has already checked in)"},
    {"worker-sigkill", "exitcode", R"(exitcode\s*: ?-9\b)"},
    {"worker-sigkill", "Signal 9 (SIGKILL)",
     R"(Signal 9 \(SIGKILL\) received by PID (\d+))"},
    {"worker-sigkill", "exited on signal",
     R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal 9\b)"},
    {"worker-sigkill", "code 137", R"(exit(?:ed with)? code:? 137\b)"},
    {"worker-crash-signal", "exited on signal",
     R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (?:6|7|8|11)\b)"},
    {"worker-sigkill", "exits with return code",
     R"(exits with return code = -9\b)"},
    {"worker-crash-signal", "exits with return code",
     R"(exits with return code = -(6|7|8|11)\b)"},
    {"worker-crash-signal", "exitcode", R"(exitcode\s*: ?-(6|7|8|11)\b)"},
    {"run-stopped-by-signal", "death signal",
     R"(Received (\w+) death signal, shutting down workers)"},
    {"run-stopped-by-signal",
     "got signal:", R"(Process \d+ got signal: (\d+))"},
    {"torchrun-root-cause", "Root Cause (first",
     R"(Root Cause \(first observed)"},
    {"script-rejects-local-rank", "unrecognized arguments:",
     R"(unrecognized arguments: .*--local[-_]rank=\d+)"},
    {"gloo-loopback-address", "127.0.1.1", R"(connect \[?127\.0\.1\.1\]?:\d+)"},
    {"gloo-loopback-address", "127.0.0.1",
     R"((?:gloo|Gloo).{0,160}connect \[?127\.0\.0\.1\]?:\d+)"},
    {"gloo-peer-lost", "gloo/transport",
     R"(gloo/transport\S*\] .*Connection (?:reset|closed) by peer)"},
    {"gloo-wait-timeout", "Timed out waiting",
     R"(gloo/transport\S*\] Timed out waiting \d+ms for (?:recv|send) operation)"},
    {"gloo-connect-failed", "connectFullMesh", R"(connectFullMesh failed)"},
    {"gloo-connect-failed", "gloo/transport",
     R"(gloo/transport\S*\] .*(?:Connection (?:refused|reset|closed|timed out)|Timed out|timeout))"},
};

}  // namespace

CatalogueTable RendezvousTable() {
  return {kSignatures, kExpressions};
}

}  // namespace zs
