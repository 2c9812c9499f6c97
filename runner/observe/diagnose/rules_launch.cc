#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

std::string Listed(const std::set<int>& numbers) {
  std::string out;
  int shown = 0;
  for (const int number : numbers) {
    out += (out.empty() ? "" : ", ") + std::to_string(number);
    if (++shown == 16) {
      return out + ", ...";
    }
  }
  return out;
}

// The line about IPv6 alone is harmless: IPv4 may follow and work.
void AddUnresolvable(const RunFacts& facts, Findings& findings) {
  const int code = SignatureIndex("master-addr-unresolvable");
  const SignatureFact* only_ipv6 = nullptr;
  const SignatureFact* sure = nullptr;
  for (const SignatureFact& fact : facts.signatures) {
    if (fact.signature == code) {
      const bool ipv6 = fact.at.quote.find("IPv6") != std::string::npos;
      const SignatureFact*& which = ipv6 ? only_ipv6 : sure;
      which = which == nullptr ? &fact : which;
    }
  }
  Finding* timeout = FindFinding(findings, "c10d-store-connect-timeout");
  if (sure == nullptr && (only_ipv6 == nullptr || timeout == nullptr)) {
    return;
  }
  const SignatureFact& fact = sure != nullptr ? *sure : *only_ipv6;
  std::string captures[4] = {fact.captures[0]};
  if (captures[0].empty() && timeout != nullptr) {
    captures[0] = "the master address";
  }
  if (timeout != nullptr) {
    timeout->order = CauseOrder::kConsequence;
  }
  findings.push_back(
      MakeFinding(facts, "master-addr-unresolvable", fact.at, captures));
}

// The same limit on every node, rank 0's included: nobody hosts the store.
void ExplainStoreTimeout(const RunFacts& facts, Findings& findings) {
  Finding* timeout = FindFinding(findings, "c10d-store-connect-timeout");
  if (timeout == nullptr) {
    return;
  }
  std::set<std::string> hosts;
  for (const Finding& finding : findings) {
    if (finding.code == timeout->code && !finding.node.empty()) {
      hosts.insert(finding.node);
    }
  }
  if (hosts.size() > 1 && static_cast<int>(hosts.size()) == facts.NodeCount()) {
    timeout->hint +=
        "; every node times out, so no node takes itself for the store's "
        "host: give an endpoint that node 0 knows as its own";
  }
}

void AddLaunches(const RunFacts& facts, Findings& findings) {
  std::map<int, const LaunchFact*> ranks;
  bool met_on_one_host = false;
  for (const LaunchFact& launch : facts.launches) {
    if (launch.nodes < 2) {
      continue;
    }
    if (launch.endpoint_is_shell) {
      Finding own =
          MakeFinding(facts, "rdzv-localhost-on-many-nodes", launch.at);
      own.severity = Severity::kWarning;
      own.confidence = Confidence::kMedium;
      own.meaning =
          "the rendezvous endpoint is the host's own name: it "
          "differs on each node unless the launcher expands it once";
      findings.push_back(own);
      Finding same = MakeFinding(facts, "node-rank-duplicate", launch.at);
      same.severity = Severity::kError;
      same.confidence = Confidence::kLow;
      same.meaning =
          "started with this line, every node waits at its own "
          "endpoint and takes node rank 0";
      findings.push_back(same);
    } else if (launch.endpoint.rfind("localhost", 0) == 0 ||
               launch.endpoint.rfind("127.", 0) == 0) {
      findings.push_back(
          MakeFinding(facts, "rdzv-localhost-on-many-nodes", launch.at));
    }
    const auto [it, fresh] = ranks.emplace(launch.node_rank, &launch);
    if (!fresh && launch.node_rank >= 0 &&
        it->second->at.source != launch.at.source) {
      Finding twice = MakeFinding(facts, "node-rank-duplicate", launch.at);
      twice.hint = "node_rank " + std::to_string(launch.node_rank) +
                   " is given to two nodes; " + twice.hint;
      findings.push_back(twice);
      if (Finding* port = FindFinding(findings, "master-port-in-use")) {
        port->order = CauseOrder::kConsequence;  // both open the store
        met_on_one_host = true;
      }
    }
  }
  for (Finding& finding : findings) {
    if (met_on_one_host && finding.code == "rdzv-localhost-on-many-nodes") {
      finding.severity = Severity::kWarning;
    }
  }
  if (const SignatureFact* fact = facts.Find("node-rank-duplicate")) {
    Finding finding = MakeFinding(facts, "node-rank-duplicate", fact->at);
    finding.rank = std::atoi(fact->captures[0].c_str());
    finding.confidence = Confidence::kMedium;
    findings.push_back(finding);
  }
}

void AddBarriers(const RunFacts& facts, Findings& findings) {
  if (!facts.series.empty()) {
    return;  // they came after all
  }
  for (const BarrierFact& barrier : facts.barriers) {
    Finding finding = MakeFinding(facts, "store-barrier-waiting", barrier.at);
    finding.rank = -1;
    const std::string of = std::to_string(barrier.joined) + " of " +
                           std::to_string(barrier.world) + " workers joined";
    if (barrier.joined > barrier.world) {
      finding.meaning = of +
                        ": the store survived an earlier run, or the "
                        "group was initialised twice";
      finding.hint = "take a new MASTER_PORT and end left-overs";
    } else if (barrier.joined == barrier.world) {
      continue;
    } else {
      std::set<int> silent;
      for (int rank = 0; rank < barrier.world && rank < 65'536; ++rank) {
        if (barrier.ranks.count(rank) == 0) {
          silent.insert(rank);
        }
      }
      finding.meaning = of;
      finding.hint = "rank " + Listed(silent) +
                     (silent.size() == 1 ? " does" : " do") +
                     " not print this line: look there first";
      if (silent.size() == 1) {
        finding.rank = *silent.begin();
      }
    }
    findings.push_back(finding);
  }
}

std::string_view WorkerCode(int exit_code) {
  switch (exit_code) {
    case -9:
      return "worker-sigkill";
    case -15:
      return "worker-terminated";
    case -6:
    case -7:
    case -8:
    case -11:
      return "worker-crash-signal";
    default:
      return "worker-exit-code";
  }
}

// When the first worker failed of itself; SIGTERM comes from torchrun.
std::optional<double> FirstFailure(const RunFacts& facts) {
  std::optional<double> first;
  for (const WorkerFact& worker : facts.workers) {
    if (worker.exit_code != 0 && worker.exit_code != -15 && worker.time_s) {
      first = std::min(first.value_or(*worker.time_s), *worker.time_s);
    }
  }
  return first;
}

// The line of SOURCE's first worker: what torchrun calls the root cause stands
// behind the failures that it lists.
int64_t FirstWorkerLine(const RunFacts& facts, int source) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const WorkerFact& worker : facts.workers) {
    first =
        worker.at.source == source ? std::min(first, worker.at.line) : first;
  }
  return first;
}

void AddWorkers(const RunFacts& facts, Findings& findings) {
  // torchrun looks at its workers ten times a second and tells whole seconds.
  constexpr double kSameMoment = 1.5;
  const std::optional<double> first = FirstFailure(facts);
  for (const WorkerFact& worker : facts.workers) {
    if (worker.exit_code == 0) {
      continue;
    }
    Finding finding =
        MakeFinding(facts, WorkerCode(worker.exit_code), worker.at);
    if (!worker.host.empty() && worker.host != "localhost") {
      finding.node = worker.host;
    }
    if (worker.rank >= 0 || worker.local_rank >= 0) {
      finding.rank = worker.rank >= 0 ? worker.rank : worker.local_rank;
    }
    finding.time_s = worker.time_s;
    finding.meaning += " (exit code " + std::to_string(worker.exit_code) + ")";
    if (worker.first_observed) {
      finding.sequence -=
          worker.at.line - FirstWorkerLine(facts, worker.at.source) + 1;
    }
    if (finding.order == CauseOrder::kKilled && worker.time_s.has_value() &&
        *worker.time_s > *first + kSameMoment) {
      finding.order = CauseOrder::kConsequence;  // torchrun ends the others
    }
    const bool waits = !facts.timeouts.empty();
    if (waits && (worker.exit_code == -6 || worker.exit_code == 1)) {
      finding.order = CauseOrder::kConsequence;
    }
    findings.push_back(finding);
  }
  if (!facts.workers.empty()) {
    return;
  }
  for (const std::string_view code :
       {"worker-sigkill", "worker-crash-signal"}) {
    if (const SignatureFact* fact = facts.Find(code)) {
      Finding finding = MakeFinding(facts, code, fact->at, fact->captures);
      if (!fact->captures[1].empty()) {  // mpirun names rank and node
        finding.rank = std::atoi(fact->captures[0].c_str());
        finding.node = fact->captures[1];
      }
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

void AddLaunchFindings(const RunFacts& facts, Findings& findings) {
  AddUnresolvable(facts, findings);
  ExplainStoreTimeout(facts, findings);
  AddLaunches(facts, findings);
  AddBarriers(facts, findings);
  AddWorkers(facts, findings);
}

}  // namespace zs
