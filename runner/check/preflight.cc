#include "runner/check/preflight.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "runner/check/judge.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

// Fills state, found and limit of a result from an answer.
using Judge = std::function<void(const Question&, CheckResult&)>;

// Asks and judges in rounds.
class Preflight {
 public:
  Preflight(const PreflightRequest& request, AgentPool& agents,
            int64_t timeout_ms)
      : request_(request), agents_(agents), timeout_ms_(timeout_ms) {}

  std::vector<CheckResult> Run() {
    Reach();
    LookAtNodes();
    CompareFiles();
    LookAtMaster();
    return std::move(results_);
  }

 private:
  struct Asked {
    size_t node;
    CheckResult result;
    Judge judge;
  };

  // Plans QUERY for NODE; COMMAND is how to repeat it.
  void Ask(size_t node, std::string check, QueryMsg query,
           const std::vector<std::string>& command, Judge judge);
  // Carries out what was planned.
  void Round();
  void Reach();
  void LookAtNodes();
  void AskLimits(size_t node);
  void AskPaths(size_t node);
  void AskSpace(size_t node, const std::string& check, const std::string& path,
                int64_t wanted_bytes);
  void AskResolve(size_t node);
  void CompareFiles();
  void LookAtMaster();
  void ReachPort(int port);
  int PortToCheck();

  const PreflightRequest& request_;
  AgentPool& agents_;
  int64_t timeout_ms_;
  std::map<size_t, Connection*> reached_;  // by place in request_.nodes
  std::vector<Question> questions_;
  std::vector<Asked> asked_;
  std::map<size_t, std::string> hosts_;      // the answers to "host"
  std::map<size_t, std::string> addresses_;  // of the master, as each node says
  // Path, then node, to the file's hash.
  std::map<std::string, std::map<size_t, std::string>> hashes_;
  std::vector<CheckResult> results_;
};

void Preflight::Ask(size_t node, std::string check, QueryMsg query,
                    const std::vector<std::string>& command, Judge judge) {
  Question question;
  question.connection = reached_.at(node);
  question.query = std::move(query);
  questions_.push_back(std::move(question));
  CheckResult result;
  result.name = std::move(check);
  result.node = request_.nodes[node].name;
  result.repeat = RepeatOn(request_.nodes[node].reach, command);
  asked_.push_back({node, std::move(result), std::move(judge)});
}

void Preflight::Round() {
  AskAll(questions_, timeout_ms_);
  for (size_t i = 0; i < asked_.size(); ++i) {
    CheckResult& result = asked_[i].result;
    if (questions_[i].answer.ok()) {
      asked_[i].judge(questions_[i], result);
    } else {
      // The agent's word on it where it has one, else nobody knows.
      result.state = questions_[i].answer.status().code() ==
                             StatusCode::kFailedPrecondition
                         ? CheckState::kFailed
                         : CheckState::kUnknown;
      result.found = questions_[i].answer.status().message();
    }
    results_.push_back(std::move(result));
  }
  questions_.clear();
  asked_.clear();
}

void Preflight::Reach() {
  for (size_t node = 0; node < request_.nodes.size(); ++node) {
    const PreflightNode& wanted = request_.nodes[node];
    const Result<Connection*> connection =
        agents_.Get(wanted.name, wanted.reach);
    if (!connection.ok()) {
      results_.push_back({"reach", wanted.name, CheckState::kFailed,
                          connection.status().message(), "an answer",
                          RepeatOn(wanted.reach, {"true"})});
      continue;
    }
    reached_[node] = *connection;
    Ask(node, "reach", {0, "host", {}}, {"true"},
        [this, node](const Question& question, CheckResult& result) {
          hosts_[node] = *question.answer;
          const int64_t ms =
              (question.answered_unix_us - question.sent_unix_us) / 1000;
          result.state = CheckState::kOk;
          result.found = "answered after " + std::to_string(ms) + " ms";
          result.limit = "an answer";
        });
  }
  Round();
  std::erase_if(reached_, [this](const auto& entry) {
    return !hosts_.contains(entry.first);
  });
  for (CheckResult& result : results_) {
    // Not to be reached is a fault of the node, whatever the reason.
    result.state =
        result.state == CheckState::kOk ? CheckState::kOk : CheckState::kFailed;
  }
}

void Preflight::LookAtNodes() {
  for (const auto& [node, connection] : reached_) {
    // Asked anew: the first answer had to wait for the way there.
    Ask(node, "clock", {0, "host", {}}, {"date", "+%s.%N"},
        [this](const Question& question, CheckResult& result) {
          const auto there_us =
              NumberOf(FieldOf(*question.answer, "unix_us").value_or(""));
          if (!there_us) {
            result.found = "no answer";
            return;
          }
          const int64_t half_us =
              (question.answered_unix_us - question.sent_unix_us) / 2;
          const int64_t here_us = question.sent_unix_us + half_us;
          JudgeClock(static_cast<double>(*there_us - here_us) * 1e-6,
                     static_cast<double>(half_us) * 1e-6 + 0.001,
                     request_.clock_skew_s, result);
        });
    AskLimits(node);
    AskPaths(node);
    AskResolve(node);
    AskSpace(node, "space", request_.space_path, request_.space_bytes);
    AskSpace(node, "shm", "/dev/shm", request_.shm_bytes);
  }
  Round();
}

void Preflight::AskLimits(size_t node) {
  const auto ask = [this, node](const char* check, const char* field,
                                const char* flag, int64_t wanted) {
    if (wanted == 0) {
      return;
    }
    Ask(node, check, {0, "limits", {}}, {"sh", "-c", flag},
        [field, wanted](const Question& question, CheckResult& result) {
          JudgeAtLeast(field,
                       NumberOf(FieldOf(*question.answer, field).value_or("")),
                       wanted, result);
          if (result.state != CheckState::kOk) {
            result.limit +=
                "; raise it in /etc/security/limits.conf, or for the service "
                "or container by which the node is reached";
          }
        });
  };
  ask("memlock", "memlock_bytes", "ulimit -l", request_.memlock_bytes);
  ask("open_files", "open_files", "ulimit -n", request_.open_files);
}

void Preflight::AskPaths(size_t node) {
  for (const WantedPath& wanted : request_.paths) {
    Ask(node, "path", {0, "path", {wanted.path}}, {"ls", "-ld", wanted.path},
        [&wanted](const Question& question, CheckResult& result) {
          JudgePath(wanted, *question.answer, result);
        });
    if (wanted.same_everywhere) {
      Ask(node, "same_file", {0, "hash", {wanted.path}},
          {"sha256sum", wanted.path},
          [this, node, &wanted](const Question& question, CheckResult& result) {
            hashes_[wanted.path][node] = *question.answer;
            result.state = CheckState::kOk;  // CompareFiles may change it
            result.found = wanted.path + ": " + *question.answer;
            result.limit = "equal on all nodes";
          });
    }
  }
}

void Preflight::AskSpace(size_t node, const std::string& check,
                         const std::string& path, int64_t wanted_bytes) {
  if (wanted_bytes <= 0) {
    return;
  }
  Ask(node, check, {0, "space", {path}}, {"df", "-B1", path},
      [path, wanted_bytes](const Question& question, CheckResult& result) {
        JudgeAtLeast("free bytes in " + path, NumberOf(*question.answer),
                     wanted_bytes, result);
      });
}

void Preflight::AskResolve(size_t node) {
  const std::string& name = request_.master_addr;
  if (name.empty()) {
    return;
  }
  if (IsNumericAddress(name)) {
    addresses_[node] = name;
    return;
  }
  Ask(node, "resolve", {0, "run", {"5000", "getent", "ahosts", name}},
      {"getent", "ahosts", name},
      [this, node, name](const Question& question, CheckResult& result) {
        const auto address = FirstAddress(*question.answer);
        result.state = address ? CheckState::kOk : CheckState::kFailed;
        result.found = name + ": " + address.value_or("not known here");
        result.limit = "an address; put the name into DNS or /etc/hosts";
        if (address) {
          addresses_[node] = *address;
        }
      });
}

void Preflight::CompareFiles() {
  for (const auto& [path, of_nodes] : hashes_) {
    std::map<std::string, int> votes;
    for (const auto& [node, hash] : of_nodes) {
      ++votes[hash];
    }
    if (votes.size() < 2) {
      continue;
    }
    const auto most = std::max_element(
        votes.begin(), votes.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    for (CheckResult& result : results_) {
      if (result.name == "same_file" && result.found.starts_with(path + ": ") &&
          !result.found.ends_with(most->first)) {
        result.state = CheckState::kFailed;
        result.limit = "equal on all nodes; most have " + most->first;
      }
    }
  }
}

void Preflight::LookAtMaster() {
  if (request_.master_addr.empty() || !reached_.contains(0)) {
    return;
  }
  const std::vector<std::string> own = AddressesOf(hosts_[0]);
  for (const auto& [node, address] : addresses_) {
    CheckResult result;
    result.name = "master_address";
    result.node = request_.nodes[node].name;
    result.repeat = RepeatOn(request_.nodes[node].reach,
                             {"getent", "ahosts", request_.master_addr});
    JudgeMasterAddress(address, own, static_cast<int>(request_.nodes.size()),
                       result);
    results_.push_back(std::move(result));
  }
  if (const int port_number = PortToCheck(); port_number != 0) {
    ReachPort(port_number);
  }
}

int Preflight::PortToCheck() {
  const int wanted = request_.master_port;
  if (!request_.any_port) {
    return wanted;
  }
  if (wanted != 0) {
    const auto state = zs::Ask(
        *reached_[0], {0, "port_free", {std::to_string(wanted)}}, timeout_ms_);
    if (state.ok() && *state == "free") {
      return wanted;
    }
  }
  const auto picked = zs::Ask(*reached_[0], {0, "pick_port", {}}, timeout_ms_);
  // Where there is none, the run will say so.
  return picked.ok() ? static_cast<int>(NumberOf(*picked).value_or(0)) : 0;
}

void Preflight::ReachPort(int port_number) {
  const std::string port = std::to_string(port_number);
  bool listening = false;
  Ask(0, "master_port", {0, "listen", {port}}, {"ss", "-ltnp"},
      [&listening, &port](const Question&, CheckResult& result) {
        listening = true;
        result.state = CheckState::kOk;
        result.found = "port " + port + " is free";
      });
  Round();
  if (!listening) {
    return;
  }
  for (const auto& [node, address] : addresses_) {
    Ask(node, "port_reachable", {0, "connect", {address, port, "3000"}},
        {"nc", "-zvw3", address, port},
        [](const Question& question, CheckResult& result) {
          result.state = CheckState::kOk;
          result.found = "connected after " + *question.answer + " ms";
          result.limit = "a connection to the master";
        });
  }
  Round();
  zs::Ask(*reached_[0], {0, "unlisten", {}}, timeout_ms_).ok();
}

}  // namespace

std::string_view CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kFailed:
      return "failed";
    case CheckState::kUnknown:
      return "unknown";
  }
  return "";
}

std::vector<CheckResult> RunPreflight(const PreflightRequest& request,
                                      AgentPool& agents, int64_t timeout_ms) {
  return Preflight(request, agents, timeout_ms).Run();
}

bool AllOk(const std::vector<CheckResult>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const CheckResult& result) {
                       return result.state == CheckState::kOk;
                     });
}

}  // namespace zs
