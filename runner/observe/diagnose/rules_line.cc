#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

// Where the first code matches, the second says nothing more: on the same line
// or anywhere in the run.
struct Precedence {
  std::string_view specific;
  std::string_view general;
  bool same_line;
};

constexpr Precedence kPrecedences[] = {
    {"shm-no-space", "disk-full", false},
    {"open-files-limit", "shm-no-space", true},
    {"ib-mtu-mismatch", "ib-completion-other", true},
    {"gloo-wait-timeout", "gloo-connect-failed", true},
    {"script-rejects-local-rank", "megatron-unknown-argument", true},
    {"docker-no-gpu-driver", "docker-image-or-daemon", false},
    {"command-not-found", "docker-image-or-daemon", true},
    {"xid-nvlink", "xid-other", true},
    {"gpu-lost", "xid-other", true},
    {"cuda-oom", "cuda-error", true},
    {"cuda-ecc-uncorrectable", "cuda-error", true},
    {"cuda-illegal-access", "cuda-error", true},
    {"cuda-driver-too-old", "cuda-error", true},
    {"cuda-no-device", "cuda-error", true},
    {"cuda-invalid-device", "cuda-error", true},
    {"cuda-system-not-ready-802", "cuda-error", true},
    {"slurm-time-limit", "slurm-step-ended", true},
    {"slurm-node-failure", "slurm-step-ended", true},
    {"slurm-oom-kill", "slurm-step-ended", true},
    {"dataset-index-missing-on-node", "dataset-prefix-not-found", true},
    {"gloo-loopback-address", "gloo-connect-failed", false},
    {"gloo-peer-lost", "gloo-connect-failed", true},
    {"nccl-connect-failed", "remote-peer-closed", true},
    {"mnnvl-imex", "nvls-setup-failed", true},
    {"duplicate-gpu", "nccl-error-in-program", false},
};

bool Hidden(const RunFacts& facts, const SignatureFact& fact) {
  const std::string_view code = Signatures()[fact.signature].code;
  for (const Precedence& rule : kPrecedences) {
    if (rule.general != code) {
      continue;
    }
    const int specific = SignatureIndex(rule.specific);
    for (const SignatureFact& other : facts.signatures) {
      if (other.signature == specific &&
          (!rule.same_line || (other.at.source == fact.at.source &&
                               other.at.line == fact.at.line))) {
        return true;
      }
    }
  }
  return false;
}

// What the driver's numbers mean for the run.
void AddXid(const RunFacts& facts, const SignatureFact& fact,
            Findings& findings) {
  constexpr std::array kHarmless = {"63", "92", "94", "154"};
  Finding finding = MakeFinding(facts, "xid-other", fact.at, fact.captures);
  const std::string& number = fact.captures[1];
  if (std::find(kHarmless.begin(), kHarmless.end(), number) !=
      kHarmless.end()) {
    finding.severity = Severity::kWarning;
  }
  if (number == "45" || number == "43") {
    finding.order = CauseOrder::kConsequence;
    finding.meaning += "; it follows from an earlier error";
  } else if (number == "13" || number == "31") {
    finding.order = CauseOrder::kApplication;
  }
  findings.push_back(std::move(finding));
}

// "Duplicate GPU" and the like name ranks; a completion error names its peer.
void AddDetail(const SignatureFact& fact, Finding& finding) {
  if (finding.code == "loss-nan" && !fact.captures[0].empty()) {
    finding.rank = std::atoi(fact.captures[0].c_str());
    finding.node = fact.captures[1];
  }
  if (finding.code == "ssh-unresolvable-host" ||
      finding.code == "slurm-oom-kill" ||
      finding.code == "slurm-node-failure") {
    if (finding.node.empty()) {
      finding.node = fact.captures[0];
    }
  }
  if (finding.code == "ssh-auth-or-connect-failed" &&
      !fact.captures[0].empty()) {
    finding.node = fact.captures[0];  // the one that ssh wanted
  }
  if (finding.code == "fr-ranks-missing" &&
      fact.captures[0].find(',') == std::string::npos) {
    finding.rank = std::atoi(fact.captures[0].c_str());
  }
  if (finding.code == "gloo-loopback-address") {
    finding.node.clear();  // the peer is at fault, and it is not named
    finding.rank = -1;
  }
}

// Whether FINDING only repeats one that is there: the same code, and nobody
// else at fault. A line that names nobody takes node and rank of one that does,
// and one that leaves out what there is to say takes that too.
bool Merge(const Finding& finding, Findings& findings) {
  for (Finding& known : findings) {
    if (known.code != finding.code || known.file != finding.file ||
        finding.code == "xid-other") {
      continue;
    }
    const bool names_nobody = finding.node.empty() && finding.rank < 0;
    const bool same = known.node == finding.node && known.rank == finding.rank;
    if (known.node.empty() && known.rank < 0) {
      known.node = finding.node;
      known.rank = finding.rank;
    } else if (!same && !names_nobody) {
      continue;
    }
    constexpr std::string_view kUnknown = "(not said)";
    if (known.hint.find(kUnknown) != std::string::npos &&
        finding.hint.find(kUnknown) == std::string::npos) {
      known.meaning = finding.meaning;
      known.hint = finding.hint;
    }
    known.count += finding.count;
    return true;
  }
  return false;
}

}  // namespace

void AddLineFindings(const RunFacts& facts, Findings& findings) {
  for (const SignatureFact& fact : facts.signatures) {
    const Signature& row = Signatures()[fact.signature];
    if (Hidden(facts, fact)) {
      continue;
    }
    if (row.code == "xid-other") {
      AddXid(facts, fact, findings);
      continue;
    }
    if (row.evidence != Evidence::kLine && row.code != "disk-full") {
      continue;
    }
    Finding finding = MakeFinding(facts, row.code, fact.at, fact.captures);
    finding.count = fact.count;
    AddDetail(fact, finding);
    if (!Merge(finding, findings)) {
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace zs
