#include "runner/check/preflight.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "runner/check/container.h"
#include "runner/check/gpus.h"
#include "runner/check/judge.h"
#include "runner/check/leftovers.h"
#include "runner/check/master.h"
#include "runner/check/network.h"
#include "runner/check/reach_fault.h"
#include "runner/check/round.h"
#include "runner/check/software.h"

namespace zs {
namespace {

// Asks and judges in rounds.
class Preflight {
 public:
  Preflight(const PreflightRequest& request, AgentPool& agents,
            int64_t timeout_ms)
      : request_(request),
        agents_(agents),
        timeout_ms_(timeout_ms),
        round_(request.nodes, agents, timeout_ms),
        master_{request.master_addr, request.master_port, request.any_port},
        master_check_(master_, round_) {}

  std::vector<CheckResult> Run() {
    round_.Reach();
    PlanFirst();
    round_.Run();
    DropUnreached();
    PlanSecond();
    round_.Run();
    master_check_.Finish();
    LookAtContainers();
    NameMissingVersions(round_.results());
    CompareOverNodes(round_.results());
    return std::move(round_.results());
  }

 private:
  // All that needs no other answer is asked at once: a node that is reached
  // early is done with it while the way to the others is still being made.
  void PlanFirst();
  void PlanSecond();
  void AskHost(size_t node);
  // Not to be reached is all that is said of such a node.
  void DropUnreached();
  void AskClock(size_t node);
  void AskLimit(size_t node, const char* check, const char* field,
                const char* command, int64_t wanted);
  void AskOpenFiles(size_t node) {
    AskLimit(node, "open_files", "open_files", "ulimit -n",
             request_.open_files);
  }
  void AskUlimits(size_t node);
  void AskLockedMemory(size_t node);
  void AskPaths(size_t node);
  void AskSpace(size_t node, const std::string& check, const std::string& path,
                int64_t wanted_bytes);
  void AskSoftware(size_t node);
  void AskGpus(size_t node);
  void AskLeftovers(size_t node);
  // Results that come in their own number: appended, the last one into RESULT.
  void AddAll(std::vector<CheckResult> several, CheckResult& result);
  void AskNetwork(size_t node);
  void LookAtContainers();

  const PreflightRequest& request_;
  AgentPool& agents_;
  int64_t timeout_ms_;
  CheckRound round_;
  const MasterToCheck master_;
  MasterCheck master_check_;
  std::map<size_t, std::string> hosts_;  // the answers to "host"
  std::map<size_t, NodeNetwork> networks_;
};

void Preflight::PlanFirst() {
  for (const auto& [node, connection] : round_.reached()) {
    AskHost(node);
  }
  for (const auto& [node, connection] : round_.reached()) {
    AskNetwork(node);
    AskOpenFiles(node);
    AskUlimits(node);
    AskPaths(node);
    AskSpace(node, "space", request_.space_path, request_.space_bytes);
    AskSpace(node, "shm", "/dev/shm", request_.shm_bytes);
    AskSoftware(node);
    AskGpus(node);
    AskLeftovers(node);
  }
  master_check_.PlanFirst();
}

void Preflight::AskHost(size_t node) {
  round_.Ask(node, "reach", {0, "host", {}}, {"true"},
             [this, node](const std::string& answer, CheckResult& result) {
               hosts_[node] = answer;
               const Question& asked = round_.question();
               const int64_t ms =
                   (asked.answered_unix_us - asked.sent_unix_us) / 1000;
               result.state = CheckState::kOk;
               result.found = "answered after " + std::to_string(ms) + " ms";
               result.limit = "an answer";
             });
}

void Preflight::DropUnreached() {
  std::set<std::string> unreached;
  for (size_t node = 0; node < request_.nodes.size(); ++node) {
    if (!hosts_.contains(node)) {
      round_.reached().erase(node);
      unreached.insert(request_.nodes[node].name);
    }
  }
  std::erase_if(round_.results(), [&](const CheckResult& result) {
    return result.name != "reach" && unreached.contains(result.node);
  });
  // Not to be reached is a fault of the node, whatever the reason.
  for (CheckResult& result : round_.results()) {
    if (result.name == "reach" && result.state != CheckState::kOk &&
        result.limit.empty()) {
      JudgeReachFault(result.found, result);
    }
  }
}

void Preflight::PlanSecond() {
  for (const auto& [node, connection] : round_.reached()) {
    // Asked anew, and first: the first answer had to wait for the way there.
    AskClock(node);
    // What adapters there are is known only now.
    AskLockedMemory(node);
  }
  master_check_.PlanSecond(hosts_);
}

void Preflight::AskClock(size_t node) {
  round_.Ask(node, "clock", {0, "host", {}}, {"date", "+%s.%N"},
             [this](const std::string& answer, CheckResult& result) {
               const auto there_us =
                   NumberOf(FieldOf(answer, "unix_us").value_or(""));
               if (!there_us) {
                 result.found = "no answer";
                 return;
               }
               const Question& asked = round_.question();
               const int64_t half_us =
                   (asked.answered_unix_us - asked.sent_unix_us) / 2;
               const int64_t here_us = asked.sent_unix_us + half_us;
               JudgeClock(static_cast<double>(*there_us - here_us) * 1e-6,
                          static_cast<double>(half_us) * 1e-6 + 0.001,
                          request_.clock_skew_s, result);
             });
}

void Preflight::AskNetwork(size_t node) {
  if (request_.network.empty() && !request_.memlock_for_adapters) {
    return;
  }
  round_.Ask(
      node, "network", {0, "network", {}},
      {"sh", "-c", "ip addr; head /sys/class/infiniband/*/ports/*/state"},
      [this, node](const std::string& answer, CheckResult& result) {
        networks_[node] = ParseNetwork(answer, hosts_[node]);
        std::vector<CheckResult> results;
        for (const auto& [variable, text] : request_.network) {
          results.push_back(result);
          results.back().name = "network";
          if (variable == "NCCL_IB_HCA") {
            JudgeAdapters(text, networks_[node], results.back());
          } else {
            JudgeSocketNames(variable, text, networks_[node], results.back());
          }
        }
        result.state = CheckState::kOk;
        result.found = std::to_string(networks_[node].interfaces.size()) +
                       " interfaces, " +
                       std::to_string(networks_[node].adapters.size()) +
                       " ports of adapters";
        AddAll(std::move(results), result);
      });
}

void Preflight::AskLimit(size_t node, const char* check, const char* field,
                         const char* command, int64_t wanted) {
  if (wanted == 0) {
    return;
  }
  const auto set =
      std::find_if(request_.ulimits.begin(), request_.ulimits.end(),
                   [field](const auto& l) { return l.first == field; });
  const bool is_set = set != request_.ulimits.end();
  const int64_t value = is_set ? set->second : 0;
  round_.Ask(node, check, {0, "limits", {}}, {"sh", "-c", command},
             [=](const std::string& answer, CheckResult& result) {
               if (is_set) {
                 JudgeAtLeast(std::string("ulimits.") + field, value, wanted,
                              result);
               } else {
                 JudgeLimit(field, answer, wanted, result);
               }
             });
}

void Preflight::AskUlimits(size_t node) {
  for (const auto& limit : request_.ulimits) {
    round_.Ask(node, "ulimit", {0, "limits", {}}, {"sh", "-c", "ulimit -Ha"},
               [&limit](const std::string& answer, CheckResult& result) {
                 JudgeUlimit(limit.first, limit.second, answer, result);
               });
  }
}

void Preflight::AskLockedMemory(size_t node) {
  if (!request_.memlock_for_adapters || networks_[node].has_active_adapter()) {
    AskLimit(node, "memlock", "memlock_bytes", "ulimit -l",
             request_.memlock_bytes);
  }
}

void Preflight::AskPaths(size_t node) {
  for (const WantedPath& wanted : request_.paths) {
    round_.Ask(node, "path", {0, "path", {wanted.path}},
               {"ls", "-ld", wanted.path},
               [&wanted](const std::string& answer, CheckResult& result) {
                 JudgePath(wanted, answer, result);
               });
    if (wanted.same_everywhere) {
      round_.Ask(node, "same_file", {0, "hash", {wanted.path}},
                 {"sha256sum", wanted.path},
                 [&wanted](const std::string& answer, CheckResult& result) {
                   JudgeHash(wanted, answer, result);
                 });
    }
  }
}

void Preflight::AskSpace(size_t node, const std::string& check,
                         const std::string& path, int64_t wanted_bytes) {
  if (wanted_bytes <= 0) {
    return;
  }
  round_.Ask(
      node, check, {0, "space", {path}}, {"df", "-B1", path},
      [path, wanted_bytes](const std::string& answer, CheckResult& result) {
        JudgeAtLeast("free bytes in " + path, NumberOf(answer), wanted_bytes,
                     result);
      });
}

void Preflight::AddAll(std::vector<CheckResult> several, CheckResult& result) {
  if (several.empty()) {
    return;
  }
  result = std::move(several.back());
  several.pop_back();
  round_.results().insert(round_.results().end(),
                          std::make_move_iterator(several.begin()),
                          std::make_move_iterator(several.end()));
}

void Preflight::AskSoftware(size_t node) {
  for (const std::string& program : request_.programs) {
    std::vector<std::string> words = {program, request_.program_folder};
    words.insert(words.end(), request_.program_words.begin(),
                 request_.program_words.end());
    // A PATH that is set lies above that of the login shell.
    const bool own_path = !request_.path.empty();
    round_.AskShell(
        node, "program",
        WithPath(request_.path,
                 ProgramScript(request_.login_shell && !own_path)),
        words, "",
        [&program, own_path](const std::string& answer, CheckResult& result) {
          JudgeProgram(program, own_path, answer, result);
        });
  }
  for (const std::string& tree : request_.trees) {
    round_.AskShell(node, "same_tree", TreeScript(), {tree}, "",
                    [&tree](const std::string& answer, CheckResult& result) {
                      JudgeTree(tree, answer, result);
                    });
  }
  if (request_.versions) {
    round_.Ask(node, "machine", {0, "machine", {}}, {"sh", "-c", "lscpu; free"},
               JudgeMachine);
    round_.Ask(node, "version", {0, "versions", {}},
               {"sh", "-c",
                "uname -r; cat /sys/module/nvidia/version; "
                "ls -d /usr/local/cuda-* /usr/lib*/*/libnccl.so.*"},
               [this](const std::string& answer, CheckResult& result) {
                 AddAll(JudgeVersions(answer, result), result);
               });
  }
  if (request_.versions && !request_.python.empty()) {
    round_.AskShell(node, "version",
                    WithPath(request_.path, PythonVersionScript()),
                    {request_.python}, "pip list",
                    [this](const std::string& answer, CheckResult& result) {
                      AddAll(JudgePythonVersions(answer, result), result);
                    });
  }
}

void Preflight::AskGpus(size_t node) {
  if (request_.gpus > 0) {
    round_.AskShell(node, "gpus", GpuScript(), {}, "nvidia-smi",
                    [this](const std::string& answer, CheckResult& result) {
                      AddAll(JudgeGpus(answer, request_.gpus, result), result);
                    });
  }
}

void Preflight::AskLeftovers(size_t node) {
  if (request_.leftovers) {
    round_.Ask(node, "leftovers", {0, "leftovers", {}},
               {"sh", "-c", LeftoverScript()},
               [](const std::string& answer, CheckResult& result) {
                 JudgeLeftovers(answer, result);
               });
  }
}

void Preflight::LookAtContainers() {
  std::vector<PreflightNode> hosts;
  std::vector<ContainerReach> containers;
  for (const auto& [node, connection] : round_.reached()) {
    const auto container = ContainerOf(request_.nodes[node].reach);
    if (container) {
      hosts.push_back({request_.nodes[node].name, container->host});
      containers.push_back(*container);
    }
  }
  CheckRound round(hosts, agents_, timeout_ms_);
  round.Reach();
  const size_t nodes = request_.nodes.size();
  for (const auto& [host, connection] : round.reached()) {
    const ContainerReach& container = containers[host];
    const std::vector<std::string> command = InspectCommand(container);
    QueryMsg query{0, "run", {"10000"}};
    query.args.insert(query.args.end(), command.begin(), command.end());
    round.Ask(
        host, "container", std::move(query), command,
        [&container, nodes](const std::string& answer, CheckResult& result) {
          JudgeContainer(container, answer, nodes, result);
        });
  }
  round.Run();
  round_.results().insert(round_.results().end(),
                          std::make_move_iterator(round.results().begin()),
                          std::make_move_iterator(round.results().end()));
}

}  // namespace

std::vector<CheckResult> RunPreflight(const PreflightRequest& request,
                                      AgentPool& agents, int64_t timeout_ms) {
  return Preflight(request, agents, timeout_ms).Run();
}

}  // namespace zs
