// From facts to findings. Each function looks at one side of a run and only
// adds; RankFindings then decides what is cause and what consequence.
#ifndef RUNNER_OBSERVE_DIAGNOSE_RULES_H_
#define RUNNER_OBSERVE_DIAGNOSE_RULES_H_

#include <optional>

#include "runner/observe/diagnose/facts.h"
#include "runner/observe/diagnose/finding.h"

namespace zs {

// What one line is enough for, and the specific instead of the general where
// both match.
void AddLineFindings(const RunFacts& facts, Findings& findings);

// Launch and rendezvous: names, ports, node ranks, store barrier, workers.
void AddLaunchFindings(const RunFacts& facts, Findings& findings);

// NCCL within a node and compared over nodes.
void AddNcclFindings(const RunFacts& facts, Findings& findings);

// Which way the data goes: RDMA or TCP, GPU Direct, P2P or host memory. Part
// of AddNcclFindings.
void AddTransportFindings(const RunFacts& facts, Findings& findings);

// Who waited for whom, and exceptions of the program.
void AddWaitFindings(const RunFacts& facts, Findings& findings);

// Steps, checkpoints, stage in effect, bandwidths, misspelt settings.
void AddTrainingFindings(const RunFacts& facts, Findings& findings);

// Chooses the root among the errors (CauseOrder, then time, then order of
// reading), marks all other errors secondary and sorts: root first, then by
// severity and time. The index of the root, or nothing where there is no
// error.
std::optional<size_t> RankFindings(Findings& findings);

}  // namespace zs

#endif  // RUNNER_OBSERVE_DIAGNOSE_RULES_H_
